import { h, type ComponentChild } from 'preact';

/** A text of the tool; nothing for an empty one. Long lines are wrapped, but in a script. */
export function Text({
  label,
  text,
  kind = 'plain',
}: Readonly<{ label: string; text: string; kind?: 'plain' | 'warn' | 'bad' | 'script' }>): ComponentChild {
  if (text === '') return null;
  return h('pre', { class: `text ${kind}`, tabIndex: 0, role: 'region', 'aria-label': label }, text);
}
