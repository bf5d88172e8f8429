import { Fragment, h, type ComponentChild } from 'preact';

/** A command line to copy. */
export function CommandLine({ title, command }: Readonly<{ title: string; command: string }>): ComponentChild {
  const onClick = (): void => void navigator.clipboard.writeText(command).catch(() => undefined);
  return h(
    Fragment,
    null,
    h('p', null, title),
    h('pre', { tabIndex: 0, role: 'group', 'aria-label': 'Command line' }, command),
    h('div', { class: 'buttons' }, h('button', { type: 'button', onClick }, 'Copy')),
  );
}
