import { Fragment, h, type ComponentChild } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Preview, RunDocument, StartAction, Choices } from '../../../../../src/internal.ts';
import { CommandLine } from './command_line.ts';
import { requestStart, type StartAnswer } from '../connection.ts';
import { Dialog } from './dialog.ts';
import { paramTexts } from '../text.ts';

/** The decisions about a resume. `steps`: the steps whose end is unknown. */
type Decisions = Readonly<{ changed: Choices['changed']; steps: ReadonlyMap<string, 'again' | 'done'> }>;

/** The initial decisions. */
const UNDECIDED: Decisions = { changed: undefined, steps: new Map() };

/** The fields of a request for these decisions. `unknown` are all steps whose end is unknown. */
function fieldsOf({ changed, steps }: Decisions, unknown: Preview['unknown']): object {
  const namesOf = (decision: 'again' | 'done'): readonly string[] =>
    [...steps].flatMap(([step, decided]) => (decided === decision ? step : []));
  const [again, done] = [namesOf('again'), namesOf('done')];
  const isAll = again.length > 0 && unknown.every(({ step }) => steps.has(step));
  return {
    ...(changed !== undefined && { changed }),
    ...(isAll && { on_crash: 'rerun' }),
    ...(!isAll && again.length > 0 && { rerun: again }),
    ...(done.length > 0 && { done }),
  };
}

type Asked = Readonly<{
  preview: Preview;
  unknown: Preview['unknown'];
  decisions: Decisions;
  decide: (decisions: Decisions) => void;
}>;

/** The decisions of `resume`. They stay on the page when the plan no longer needs them, so that they can be changed. */
function DecisionButtons({ preview, unknown, decisions, decide }: Asked): ComponentChild {
  const { changed, steps } = decisions;
  const choice = (name: string, isChosen: boolean, decided: Decisions): ComponentChild =>
    h('button', { type: 'button', 'aria-pressed': isChosen, onClick: () => decide(decided) }, name);
  const decideStep = (step: string, decision: 'again' | 'done'): Decisions => ({
    ...decisions,
    steps: new Map([...steps, [step, decision]]),
  });
  return h(
    Fragment,
    null,
    (preview.has_conflicts || changed !== undefined) &&
      h(
        'div',
        { class: 'buttons', role: 'group', 'aria-label': 'Changed steps' },
        choice('Keep finished steps', changed === 'keep', { ...decisions, changed: 'keep' }),
        choice('Run again from the first conflict', changed === 'rerun', { ...decisions, changed: 'rerun' }),
      ),
    unknown.map(({ step, text }) =>
      h(
        'div',
        { key: step, role: 'group', 'aria-label': text },
        h('p', null, text),
        h(
          'div',
          { class: 'buttons' },
          choice('Run it again', steps.get(step) === 'again', decideStep(step, 'again')),
          choice('Count it as finished', steps.get(step) === 'done', decideStep(step, 'done')),
        ),
      ),
    ),
  );
}

const TITLES = { resume: 'Resume the run?', again: 'Run the workflow again?' } as const;
const STARTS = { resume: 'Resume', again: 'Run again' } as const;

const CHANGED = 'The plan has changed since it was shown. Nothing was started.';
const NOT_ALLOWED = 'The state of the run does not allow it. Nothing was started.';

type Shown = Readonly<{ run: RunDocument; action: StartAction; onClose: () => void }>;

/** Shows what would start on the word of a run, asks for the decisions that it needs, and starts what is shown. */
export function StartDialog({ run: { id, params }, action, onClose }: Shown): ComponentChild {
  const [preview, setPreview] = useState<Preview | undefined>();
  const [unknown, setUnknown] = useState<Preview['unknown']>([]);
  const [decisions, setDecisions] = useState(UNDECIDED);
  const [ticked, setTicked] = useState<ReadonlySet<number>>(new Set());
  const [problem, setProblem] = useState('');
  const [isStarting, setStarting] = useState(false);
  const last = useRef(0);

  const show = (shown: Preview): void => {
    setPreview(shown);
    setTicked(new Set());
    if (shown.unknown.length > 0) setUnknown((known) => merge(known, shown.unknown));
  };
  const take = (answer: StartAnswer): void => {
    if (answer.kind === 'started') {
      location.hash = `#/runs/${answer.run}`;
      onClose();
      return;
    }
    if (answer.kind === 'preview') show(answer.preview);
    else if (answer.preview === undefined) setProblem(NOT_ALLOWED);
    else {
      setProblem(
        answer.problems.some((each) => each.startsWith('the plan has changed')) ? CHANGED : answer.problems.join('\n'),
      );
      show(answer.preview);
    }
  };
  // While something starts, nothing else is asked: the answer to an earlier question is dropped.
  const isBusy = useRef(false);
  const ask = (fields: object, starts = false): void => {
    if (isBusy.current) return;
    const setBusy = (isOn: boolean): void => {
      isBusy.current = isOn;
      setStarting(isOn);
    };
    last.current += 1;
    const mine = last.current;
    setProblem('');
    if (starts) setBusy(true);
    requestStart(id, action, fields)
      .then(
        (answer) => mine === last.current && take(answer),
        () => setProblem('The server does not answer. Try again.'),
      )
      .finally(() => starts && setBusy(false));
  };
  useEffect(() => ask({}), []);
  const decide = (decided: Decisions): void => {
    if (isBusy.current) return;
    setDecisions(decided);
    ask(fieldsOf(decided, unknown));
  };

  const questions = preview?.questions ?? [];
  const isReady = preview?.blocked === false && preview.digest !== null && ticked.size === questions.length;
  const start = (): void => {
    const confirmed = questions.length > 0 && { confirmed: true };
    ask({ ...fieldsOf(decisions, unknown), digest: preview?.digest, ...confirmed }, true);
  };
  return h(
    Dialog,
    { title: TITLES[action], onClose },
    problem !== '' && h('p', { role: 'alert', class: 'lost' }, problem),
    action === 'again' && h(Parameters, { params }),
    preview === undefined
      ? h('p', { role: 'status' }, 'The plan is being made.')
      : h(
          Fragment,
          null,
          preview.lines.length > 0 &&
            h('pre', { tabIndex: 0, role: 'group', 'aria-label': 'Plan' }, preview.lines.join('\n')),
          preview.problems.length > 0 &&
            h(
              'ul',
              null,
              preview.problems.map((each) => h('li', { key: each }, each)),
            ),
          action === 'resume' && h(DecisionButtons, { preview, unknown, decisions, decide }),
          questions.map((text, index) =>
            h(Question, {
              key: `${index} ${text}`,
              text,
              isTicked: ticked.has(index),
              onTick: (isOn) => setTicked((before) => toggled(before, index, isOn)),
            }),
          ),
        ),
    h(
      'div',
      { class: 'buttons' },
      h('button', { type: 'button', disabled: !isReady || isStarting, onClick: start }, STARTS[action]),
      h('button', { type: 'button', onClick: onClose }, 'Close'),
    ),
    preview !== undefined && h(CommandLine, { title: 'The same at the command line:', command: preview.command }),
  );
}

function merge(known: Preview['unknown'], found: Preview['unknown']): Preview['unknown'] {
  return [...known, ...found.filter(({ step }) => known.every((each) => each.step !== step))];
}

function toggled(before: ReadonlySet<number>, index: number, isOn: boolean): ReadonlySet<number> {
  return new Set(isOn ? [...before, index] : [...before].filter((each) => each !== index));
}

function Parameters({ params }: Pick<RunDocument, 'params'>): ComponentChild {
  const values = paramTexts(params);
  if (values.length === 0) return null;
  return h(
    'dl',
    null,
    h('dt', null, 'Parameters'),
    values.map((each) => h('dd', { key: each }, each)),
  );
}

type Asking = Readonly<{ text: string; isTicked: boolean; onTick: (isOn: boolean) => void }>;

function Question({ text, isTicked, onTick }: Asking): ComponentChild {
  const onChange = (event: Readonly<{ currentTarget: HTMLInputElement }>): void => onTick(event.currentTarget.checked);
  return h('p', null, h('label', null, h('input', { type: 'checkbox', checked: isTicked, onChange }), ` ${text}`));
}
