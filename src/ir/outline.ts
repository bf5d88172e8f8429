import { at, type Plan, type Test } from './plan.ts';
import { unreachable } from '../unreachable.ts';

/** Deeper calls are not indented further, or a chain of them would fill the screen with blanks. */
const DEEPEST = 12;

/**
 * The plan as an indented list for people: a heading for each workflow gone through, under it its
 * steps and calls with their conditions, the hooks around them.
 */
export function* outline(plan: Plan): Generator<string> {
  const depths: number[] = [];

  yield plan.workflow;
  depths.push(0);
  for (const [index, op] of plan.ops.entries()) {
    yield* headings(index);
    switch (op.kind) {
      case 'hook':
        yield `${indent(1)}[${op.hook}]  ${oneLine(op.command)}`;
        break;
      case 'condition':
        break;
      case 'run': {
        const note = conditionNote(plan, index, op);
        yield `${indent(at(depths, op.call) + 1)}${op.name}${note}  ${oneLine(op.command)}`;
        break;
      }
      default:
        unreachable(op);
    }
  }
  yield* headings(plan.ops.length);

  /** Shows the calls that begin at or before an op and were not shown yet. */
  function* headings(index: number): Generator<string> {
    for (let call = plan.calls[depths.length]; call !== undefined && call.start <= index;) {
      const { from } = call;
      if (from === null) throw new Error('only the first call comes from nowhere');
      const depth = at(depths, from.call) + 1;
      depths.push(depth);
      yield `${indent(depth)}> ${call.workflow}${conditionNote(plan, call.start, from)}`;
      call = plan.calls[depths.length];
    }
  }
}

function indent(depth: number): string {
  return '  '.repeat(Math.min(depth, DEEPEST));
}

/** The condition of a step stands just before what it guards. */
function conditionNote(
  plan: Plan,
  index: number,
  place: { readonly call: number; readonly step: number },
): string {
  const op = plan.ops[index - 1];
  const own = op?.kind === 'condition' && op.call === place.call && op.step === place.step;
  return own ? `  (if ${testWords(op.test)})` : '';
}

function testWords(test: Test): string {
  return test.kind === 'variable' ? `${test.name} is set` : oneLine(test.command);
}

/** The first line of a command, and a sign that there are more. */
function oneLine(command: string): string {
  const [first = '', ...rest] = command.trim().split('\n');
  return rest.length === 0 ? first : `${first} …`;
}
