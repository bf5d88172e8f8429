import { h, type ComponentChild } from 'preact';
import type { Preview } from '../../../../src/api.ts';
import { Text } from './text.ts';

/** The dry run of a workflow, as text or as its document. */
export function DryRunView({
  preview,
  isDocument,
  setDocument,
}: Readonly<{ preview: Preview; isDocument: boolean; setDocument: (isOn: boolean) => void }>): ComponentChild {
  const { messages, dryRun } = preview;
  const document = dryRun === null ? '' : `${JSON.stringify(dryRun.document, undefined, 2)}\n`;
  return [
    h(
      'label',
      { class: 'switch' },
      h('input', { type: 'checkbox', checked: isDocument, onChange: () => setDocument(!isDocument) }),
      ' Document',
    ),
    h(Text, { label: 'Messages', text: messages, kind: dryRun === null ? 'bad' : 'warn' }),
    h(Text, { label: 'Dry run', text: isDocument ? document : (dryRun?.text ?? '') }),
  ];
}
