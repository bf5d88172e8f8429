import { h, type ComponentChild } from 'preact';

type TextProps = Readonly<{ label: string; text: string; kind?: 'plain' | 'warn' | 'bad' | 'script' }>;

/** A text of the tool; nothing for an empty one. Long lines are wrapped, but in a script. */
export function Text({ label, text, kind = 'plain' }: TextProps): ComponentChild {
  if (text === '') return null;
  return h('pre', { class: `text ${kind}`, tabIndex: 0, role: 'region', 'aria-label': label }, text);
}
