import { h, type ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { convert } from '../../../../src/api.ts';
import { Dialog } from './dialog.ts';

/** An event of a field. */
type FieldEvent = Readonly<{ currentTarget: Readonly<{ value: string }> }>;

const NAMES = ['Makefile', 'justfile', 'Taskfile.yml', 'package.json'];

type ConvertProps = Readonly<{ close: () => void; use: (text: string, messages: string) => void }>;

/** Asks for the file of another tool, and converts it. */
export function ConvertDialog({ close, use }: ConvertProps): ComponentChild {
  const [name, setName] = useState('Makefile');
  const [text, setText] = useState('');
  const [messages, setMessages] = useState('');
  const submit = async (): Promise<void> => {
    const converted = await convert(text, name);
    if (converted.text === null) setMessages(converted.messages);
    else use(converted.text, converted.messages);
  };
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    void submit().catch((error: unknown) => setMessages(`cli: ${String(error)}\n`));
  };
  const options = NAMES.map((each) => h('option', { key: each, value: each }, each));
  return h(
    Dialog,
    { title: 'Convert the file of another tool', close },
    h(
      'form',
      { onSubmit },
      h(
        'label',
        null,
        'From ',
        h('select', { value: name, onChange: (event: FieldEvent) => setName(event.currentTarget.value) }, options),
      ),
      name === 'justfile' &&
        h(
          'p',
          null,
          'Only ',
          h('code', null, 'just'),
          ' can read a justfile: paste the output of ',
          h('code', null, 'just --dump --dump-format json'),
          '.',
        ),
      h('textarea', {
        'aria-label': 'Text of the file',
        rows: 14,
        spellcheck: false,
        value: text,
        onInput: (event: FieldEvent) => setText(event.currentTarget.value),
      }),
      messages !== '' && h('pre', { class: 'text bad', role: 'alert' }, messages),
      h(
        'p',
        { class: 'buttons' },
        h('button', { type: 'submit', class: 'primary' }, 'Convert'),
        h('button', { type: 'button', onClick: close }, 'Cancel'),
      ),
    ),
  );
}
