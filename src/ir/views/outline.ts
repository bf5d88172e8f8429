import { describeOptions } from './describe_options.ts';
import { truncateLines } from '../../truncate.ts';
import { at, type StepPosition, type Plan, type RunOp, type Test } from '../plan.ts';

/** Deeper calls are not indented further, or a chain of them would fill the screen with blanks. */
const DEEPEST = 12;
const indent = (depth: number): string => '  '.repeat(Math.min(depth, DEEPEST));

/**
 * The plan as an indented list for people: a heading for each workflow gone through, under it its
 * steps and calls with their conditions, the hooks around them.
 */
export function* outline(plan: Plan): Generator<string> {
  const depths = [0];
  /** The calls that begin at or before an op and were not shown yet. */
  function* headings(index: number): Generator<string> {
    for (let call = plan.calls[depths.length]; call !== undefined && call.start <= index;) {
      if (call.from === null) throw new Error('only the first call comes from nowhere');
      const depth = depths[depths.push(at(depths, call.from.call) + 1) - 1] ?? 0;
      const { name, step } = call.from;
      const label = name === `step_${step}` ? call.workflow : `${name}: ${call.workflow}`;
      yield `${indent(depth)}> ${label}${condition(plan, call.start, call.from)}`;
      call = plan.calls[depths.length];
    }
  }

  yield `workflow ${plan.workflow}`;
  for (const [index, op] of plan.ops.entries()) {
    yield* headings(index);
    if (op.kind === 'hook') yield `${indent(1)}[${op.hook}]  ${truncateLines(op.command)}`;
    if (op.kind !== 'run') continue;
    const start = `${indent(at(depths, op.call) + 1)}- ${op.name}${condition(plan, index, op)}`;
    yield `${start}${how(op)}  ${truncateLines(op.command)}`;
  }
  yield* headings(plan.ops.length);
}

/** The condition of a step or call stands just before the first op that it guards. */
function condition(plan: Plan, index: number, place: StepPosition): string {
  const op = plan.ops[index - 1];
  const own = op?.kind === 'condition' && op.call === place.call && op.step === place.step;
  return own ? `  (if ${testWords(op.test)})` : '';
}

function testWords(test: Test): string {
  return test.kind === 'variable' ? `${test.name} is set` : truncateLines(test.command);
}

/** What is unusual about how a step is run. */
function how(op: RunOp): string {
  const all = [...(op.dir === null ? [] : [`in ${op.dir}`]), ...describeOptions(op), ...givesOf(op)];
  return all.length === 0 ? '' : `  (${all.join('; ')})`;
}

function givesOf({ outputs }: RunOp): string[] {
  return outputs.length === 0 ? [] : [`gives ${outputs.map(([name]) => name).join(', ')}`];
}
