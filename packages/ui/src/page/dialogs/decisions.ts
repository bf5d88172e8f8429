import { Fragment, h, type ComponentChild } from 'preact';
import type { Choices, Preview } from '../../../../../src/internal.ts';

/** The decisions about a resume. `steps`: the steps whose end is unknown. */
export type Decisions = Readonly<{ changed: Choices['changed']; steps: ReadonlyMap<string, 'again' | 'done'> }>;

/** The initial decisions. */
export const UNDECIDED: Decisions = { changed: undefined, steps: new Map() };

/** The fields of a request for these decisions. `unknown` are all steps whose end is unknown. */
export function fieldsOf({ changed, steps }: Decisions, unknown: Preview['unknown']): object {
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
export function DecisionButtons({ preview, unknown, decisions, decide }: Asked): ComponentChild {
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
