import { h, type ComponentChild } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { cancelRun } from '../connection.ts';
import { Dialog } from './dialog.ts';

/** Asks before a run is interrupted. */
export function CancelDialog({ id, onClose }: Readonly<{ id: string; onClose: () => void }>): ComponentChild {
  const [problem, setProblem] = useState('');
  // A second signal would end the hooks.
  const isBusy = useRef(false);
  const cancel = async (): Promise<void> => {
    if (await cancelRun(id)) onClose();
    else setProblem('The run has ended, or its process cannot be identified. Nothing was done.');
  };
  const onClick = (): void => {
    if (isBusy.current) return;
    isBusy.current = true;
    void cancel()
      .catch(() => setProblem('The server does not answer. Try again.'))
      .finally(() => (isBusy.current = false));
  };
  return h(
    Dialog,
    { title: 'Cancel the run?', onClose },
    h('p', null, 'The running step is interrupted, as with Ctrl-C, and hooks run. A second time ends them, too.'),
    problem !== '' && h('p', { role: 'alert' }, problem),
    h(
      'div',
      { class: 'buttons' },
      h('button', { type: 'button', onClick }, 'Cancel the run'),
      h('button', { type: 'button', onClick: onClose }, 'Close'),
    ),
  );
}
