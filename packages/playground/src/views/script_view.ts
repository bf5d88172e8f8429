import { h, type ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import type { ExportedScript } from '../../../../src/api.ts';
import { Text } from './text.ts';

/** The bash script of a workflow. */
export function ScriptView({ exported }: Readonly<{ exported: ExportedScript }>): ComponentChild {
  const [state, setState] = useState('');
  const { messages, script } = exported;
  const copy = (): void => {
    void navigator.clipboard.writeText(script ?? '').then(
      () => setState('Copied.'),
      () => setState('The browser does not allow it: select the text.'),
    );
  };
  return [
    h(Text, { label: 'Messages', text: messages, kind: script === null ? 'bad' : 'warn' }),
    script !== null &&
      h('p', null, h('button', { type: 'button', onClick: copy }, 'Copy'), h('span', { role: 'status' }, ` ${state}`)),
    h(Text, { label: 'Script', text: script ?? '', kind: 'script' }),
  ];
}
