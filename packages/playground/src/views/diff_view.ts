import { h, type ComponentChild } from 'preact';
import type { Comparison } from '../../../../src/api.ts';
import { Text } from './text.ts';

/** The changes since the file was compared. */
export function DiffView({ comparison }: Readonly<{ comparison: Comparison | undefined }>): ComponentChild {
  if (comparison === undefined) {
    return h(
      'p',
      null,
      'Press “Compare from here”, then change the file: this view shows what a run would do differently.',
    );
  }
  const { messages, text } = comparison;
  const lines = text.split(/(?<=\n)/).map((line, index) => {
    const kind = /^ *\+ /.test(line) ? 'good' : /^ *- /.test(line) ? 'bad' : '';
    return kind === '' ? line : h('span', { key: index, class: kind }, line);
  });
  return [
    h(Text, { label: 'Messages', text: messages, kind: 'bad' }),
    text !== '' && h('pre', { class: 'text', tabIndex: 0, role: 'region', 'aria-label': 'Changes' }, lines),
  ];
}
