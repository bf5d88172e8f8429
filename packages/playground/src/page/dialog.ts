import { h, type ComponentChild, type ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

type DialogProps = Readonly<{ title: string; close: () => void; children?: ComponentChildren }>;

/** A modal dialog. Escape closes it. */
export function Dialog({ title, close, children }: DialogProps): ComponentChild {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return h('dialog', { ref: element, 'aria-label': title, onClose: close }, h('h2', null, title), children);
}
