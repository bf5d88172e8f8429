import { h, type ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Comparison, ExportedScript, Preview } from '../../../../src/api.ts';
import type { Answers } from '../engine/answers.ts';
import { ExplainView } from '../views/explain_view.ts';
import { GraphView } from '../views/graph_view.ts';
import { Problems } from '../views/problems.ts';
import { assumptionsOf, WhatIf, type Assumed } from '../views/what_if.ts';
import type { Tab } from './tabs.ts';
import { Text } from '../views/text.ts';

/** The input of the views: the file, the workflow with its parameters, the assumptions, and the older text. */
export type Shown = Readonly<{
  answers: Answers;
  workflow: string | undefined;
  params: Readonly<Record<string, string>>;
  assumed: Assumed;
  before: string | undefined;
}>;

type PanelProps = Readonly<{
  tab: Tab;
  shown: Shown;
  goTo: (line: number, column: number) => void;
  assume: (subject: string, value: string | undefined) => void;
}>;

/** The last result of a request that takes time; undefined before the first. A later request overtakes an earlier one. */
function useLatest<Value>(request: () => Promise<Value>, keys: readonly unknown[]): Value | undefined {
  const [value, setValue] = useState<Value | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    const load = async (): Promise<void> => {
      const found = await request();
      if (isCurrent) setValue(found);
    };
    void load();
    return () => {
      isCurrent = false;
    };
  }, keys);
  return value;
}

type PlannedProps = Readonly<{ workflow: string }> & Omit<PanelProps, 'goTo'>;

/** The view of a tab. */
export function Panel({ tab, shown, goTo, assume }: PanelProps): ComponentChild {
  const { answers, workflow } = shown;
  if (tab === 'Problems') return h(Problems, { answers, goTo });
  if (tab === 'Diff') return h(Diff, { shown });
  if (workflow === undefined) return h('p', null, 'The file has no workflow. See “Problems”.');
  if (tab === 'Script') return h(Script, { shown, workflow });
  if (tab === 'Explain') return h(ExplainView, { explained: answers.explain(workflow, shown.params) });
  return h(Planned, { tab, shown, workflow, assume });
}

/** The views of a preview. */
function Planned({ tab, shown, workflow, assume }: PlannedProps): ComponentChild {
  const { answers, params, assumed } = shown;
  const [isDocument, setDocument] = useState(false);
  const assumptions = tab === 'Dry run' ? [] : assumptionsOf(assumed);
  const request = (): Promise<Preview> => answers.preview(workflow, params, assumptions);
  const preview = useLatest(request, [answers, workflow, JSON.stringify([params, assumptions])]);
  if (preview === undefined) return null;
  if (tab === 'Dry run') return h(DryRunView, { preview, isDocument, setDocument });
  return tab === 'Graph' ? h(GraphView, { preview }) : h(WhatIf, { preview, assumed, assume });
}

/** The bash script of a workflow. */
function Script({ shown: { answers }, workflow }: Readonly<{ shown: Shown; workflow: string }>): ComponentChild {
  const exported = useLatest((): Promise<ExportedScript> => answers.script(workflow), [answers, workflow]);
  const [state, setState] = useState('');
  if (exported === undefined) return null;
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

/** The changes since the file was compared. */
function Diff({ shown: { answers, before } }: Readonly<{ shown: Shown }>): ComponentChild {
  const request = async (): Promise<Comparison | undefined> =>
    before === undefined ? undefined : answers.since(before);
  const comparison = useLatest(request, [answers, before]);
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

type DryRunProps = Readonly<{ preview: Preview; isDocument: boolean; setDocument: (isOn: boolean) => void }>;

/** The dry run of a workflow, as text or as its document. */
function DryRunView({ preview, isDocument, setDocument }: DryRunProps): ComponentChild {
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
