import { h, type ComponentChildren, type ComponentChild } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

type Shown = Readonly<{ title: string; onClose: () => void; children?: ComponentChildren }>;

/** A question in front of the page. The browser keeps the focus in the dialog, and closes it at Escape. */
export function Dialog({ title, onClose, children }: Shown): ComponentChild {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return h(
    'dialog',
    { role: 'dialog', 'aria-labelledby': 'dialog-title', ref: element, onClose },
    h('h2', { id: 'dialog-title' }, title),
    children,
  );
}
