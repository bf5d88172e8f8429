import { h, type ComponentChild } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Answers } from '../engine/answers.ts';
import { Language } from '../engine/language.ts';
import { Editor } from '../editor/editor.ts';
import type { Assumed } from '../views/what_if.ts';
import { ConvertDialog } from './convert_dialog.ts';
import { Dialog } from './dialog.ts';
import { EXAMPLES } from './examples.ts';
import { carriesFile, fileIn, fragmentOf } from './link.ts';
import { Panel } from './panel.ts';
import { ParamsForm } from './params_form.ts';
import { idOf, Tabs, type Tab } from './tabs.ts';

/** An event of a field. */
type FieldEvent = Readonly<{ currentTarget: Readonly<{ value: string }> }>;

/** The time after the last key until the views are renewed, in milliseconds. */
const WAIT = 60;

/** A text that is to replace the file, if the user agrees. */
type Replacement = Readonly<{ text: string; from: string }>;

/** The page. `start` is the first text of the file, and `problem` the problem with the link that was opened. */
export function App({ start, problem }: Readonly<{ start: string; problem: string }>): ComponentChild {
  const language = useMemo(() => new Language(), []);
  const [answers, setAnswers] = useState(() => answersFor(language, start));
  const [tab, show] = useState<Tab>('Problems');
  const [named, setNamed] = useState('');
  const [params, setParams] = useState<Readonly<Record<string, string>>>({});
  const [assumed, setAssumed] = useState<Assumed>(new Map());
  const [before, setBefore] = useState<string | undefined>(undefined);
  const [notice, setNotice] = useState(problem);
  const [dialog, setDialog] = useState<'convert' | Replacement | undefined>(undefined);
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | undefined>(undefined);
  /** The text that was loaded last: another one is the user's work. */
  const loaded = useRef(start);

  const renew = (text: string): void => {
    try {
      setAnswers(answersFor(language, text));
      editor.current?.mark();
    } catch (error) {
      // The stack of a browser is smaller than that of Node.js.
      if (!(error instanceof RangeError)) throw error;
      setNotice('The file is nested too deeply for this page.');
    }
  };
  const put = (text: string): void => {
    loaded.current = text;
    editor.current?.replace(text);
    setParams({});
    setAssumed(new Map());
    setDialog(undefined);
  };
  const offer = (text: string, from: string): void => {
    if (editor.current?.text === loaded.current && from !== 'the link') put(text);
    else setDialog({ text, from });
  };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onChange = (text: string): void => {
      clearTimeout(timer);
      timer = setTimeout(() => renew(text), WAIT);
    };
    if (host.current !== null) editor.current = new Editor(host.current, language, start, onChange);
    editor.current?.mark();
    const open = async (): Promise<void> => {
      if (!carriesFile(location.hash)) return;
      const found = await fileIn(location.hash);
      if ('problem' in found) setNotice(`The link cannot be opened: ${found.problem}.`);
      else if (found.text !== editor.current?.text) offer(found.text, 'the link');
    };
    addEventListener('hashchange', () => void open());
  }, []);

  const { workflows } = answers;
  const chosen =
    workflows.find(({ name }) => name === named) ?? workflows.find((each) => !each.private) ?? workflows[0];
  const own = Object.fromEntries(
    (chosen?.inputs ?? []).flatMap(({ name }) => {
      const value = params[name] ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );
  const assume = (subject: string, value: string | undefined): void => {
    const next = new Map(subject === '' ? [] : assumed);
    if (value === undefined) next.delete(subject);
    else next.set(subject, value);
    setAssumed(next);
  };
  const copyLink = async (): Promise<void> => {
    history.replaceState(null, '', await fragmentOf(editor.current?.text ?? ''));
    try {
      await navigator.clipboard.writeText(location.href);
      setNotice('The link is copied. It carries the file, and only whoever opens it can read it.');
    } catch {
      setNotice('The address of this page is now the link: copy it from the address bar.');
    }
  };
  const choose = (name: string): void => {
    setNamed(name);
    setParams({});
    setAssumed(new Map());
  };
  const count = /(\d+) errors?, (\d+) warnings?\n$/.exec(answers.problems);
  const total = Number(count?.[1] ?? 0) + Number(count?.[2] ?? 0);
  const shown = { answers, workflow: chosen?.name, params: own, assumed, before };
  const { missingFiles } = answers;
  return [
    h(Header, { offer, copyLink: () => void copyLink(), convert: () => setDialog('convert') }),
    h(
      'p',
      { class: 'notice', role: 'status', hidden: notice === '' },
      notice,
      h('button', { type: 'button', 'aria-label': 'Close the message', onClick: () => setNotice('') }, '×'),
    ),
    missingFiles.length > 0 &&
      h(
        'p',
        { class: 'notice' },
        `The page has no other files: what ${missingFiles.join(' and ')} names is missing here.`,
      ),
    h(
      'main',
      null,
      h('section', { class: 'editor', 'aria-label': 'Editor' }, h('div', { ref: host, class: 'host' })),
      h(
        'section',
        { class: 'views', 'aria-label': 'What cli says' },
        h(
          'div',
          { class: 'bar' },
          h(
            'label',
            { class: 'workflow' },
            'Workflow ',
            h(
              'select',
              {
                value: chosen?.name ?? '',
                'aria-label': 'Workflow',
                onChange: (event: FieldEvent) => choose(event.currentTarget.value),
              },
              workflows.map(({ name }) => h('option', { key: name, value: name }, name)),
            ),
          ),
          h(
            'button',
            {
              type: 'button',
              onClick: () => {
                setBefore(editor.current?.text ?? '');
                setNotice('Changes from here on are in “Diff”.');
              },
            },
            'Compare from here',
          ),
        ),
        h(ParamsForm, {
          inputs: chosen?.inputs ?? [],
          params,
          set: (name, value) => setParams({ ...params, [name]: value }),
        }),
        h(Tabs, { shown: tab, show, count: total === 0 ? '' : String(total) }),
        h(
          'div',
          { id: 'panel', class: 'panel', role: 'tabpanel', 'aria-labelledby': `tab-${idOf(tab)}`, tabIndex: -1 },
          h(Panel, { tab, shown, assume, goTo: (line, column) => editor.current?.goTo(line, column) }),
        ),
      ),
    ),
    dialog === 'convert' &&
      h(ConvertDialog, {
        close: () => setDialog(undefined),
        use: (text, messages) => {
          put(text);
          setNotice(messages.trimEnd());
        },
      }),
    typeof dialog === 'object' && h(Question, { replacement: dialog, put, close: () => setDialog(undefined) }),
  ];
}

function answersFor(language: Language, text: string): Answers {
  language.text = text;
  return new Answers(text, language.root.project);
}

type HeaderProps = Readonly<{ offer: (text: string, from: string) => void; copyLink: () => void; convert: () => void }>;

function Header({ offer, copyLink, convert }: HeaderProps): ComponentChild {
  const choose = (event: { readonly currentTarget: HTMLSelectElement }): void => {
    const found = EXAMPLES.find(({ name }) => name === event.currentTarget.value);
    event.currentTarget.value = '';
    if (found !== undefined) offer(found.text, 'the example');
  };
  return h(
    'header',
    null,
    h('a', { class: 'brand', href: '../' }, 'workflow-plan'),
    h('h1', null, 'Playground'),
    h(
      'p',
      { class: 'promise' },
      'Everything runs in this page. Nothing is sent anywhere, and no step is ever executed.',
    ),
    h(
      'div',
      { class: 'tools' },
      h(
        'select',
        { 'aria-label': 'Examples', value: '', onChange: choose },
        h('option', { value: '' }, 'Examples'),
        EXAMPLES.map(({ name }) => h('option', { key: name, value: name }, name)),
      ),
      h('button', { type: 'button', onClick: convert }, 'Convert…'),
      h(
        'button',
        { type: 'button', class: 'primary', title: 'The link contains the file', onClick: copyLink },
        'Copy link',
      ),
    ),
  );
}

type QuestionProps = Readonly<{ replacement: Replacement; put: (text: string) => void; close: () => void }>;

function Question({ replacement: { text, from }, put, close }: QuestionProps): ComponentChild {
  return h(
    Dialog,
    { title: `Replace the file with that of ${from}?`, close },
    h('p', null, 'Undo in the editor brings the text back.'),
    h(
      'p',
      { class: 'buttons' },
      h('button', { type: 'button', class: 'primary', onClick: () => put(text) }, 'Replace'),
      h('button', { type: 'button', onClick: close }, 'Keep'),
    ),
  );
}
