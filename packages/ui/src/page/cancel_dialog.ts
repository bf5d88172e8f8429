import { h, type ComponentChild } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { cancelRun } from './connection.ts';

/** Asks before a run is interrupted. The browser keeps the focus in the dialog, and closes it at Escape. */
export function CancelDialog({ id, onClose }: Readonly<{ id: string; onClose: () => void }>): ComponentChild {
  const element = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState('');
  useEffect(() => element.current?.showModal(), []);
  const cancel = async (): Promise<void> => {
    if (await cancelRun(id)) onClose();
    else setProblem('The run is not running any more, or its process is not certain. Nothing was done.');
  };
  const onClick = (): void => void cancel().catch(() => setProblem('The server does not answer. Try again.'));
  return h(
    'dialog',
    { role: 'dialog', 'aria-labelledby': 'cancel-title', ref: element, onClose },
    h('h2', { id: 'cancel-title' }, 'Cancel the run?'),
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
