import type { Assumptions } from '../../../backend/simulation/assumptions.ts';
import { createRedactor } from '../../command_line/redact.ts';
import { isInBackground } from '../../../ir/ops.ts';
import { at, isWorkflowHook, type HookOp, type Plan } from '../../../ir/plan.ts';
import { resolveStep, type FoundStep } from '../../../ir/steps/resolve_step.ts';
import type { Result } from '../../../base/result.ts';

/** A text of the command line, split at its first `=`. Values are never printed. */
type Assumed = Readonly<{ subject: string; value: string }>;

/** The error message for an assumption; undefined if it is valid. */
type Problem = string | undefined;

/**
 * Reads assumptions about a run: `STEP=fail|skip|ok|CODE`, `STEP=dies` for one in the background, `HOOK=…`,
 * `STEP.KEY=VALUE` and `if:STEP=true|false`. The last assumption about an op applies. A step takes precedence over an output or a hook with the same name.
 */
export function readAssumptions(plan: Plan, texts: readonly string[]): Result<Assumptions> {
  const reader = new AssumptionReader(plan, texts);
  const problems = texts.flatMap((text) => reader.read(text) ?? []);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: reader.assumptions };
}

const EXPECTED = 'STEP=fail|skip|ok|dies|CODE, STEP.KEY=VALUE or if:STEP=true|false';

class AssumptionReader {
  readonly #plan: Plan;
  readonly #redact: (word: string) => string;
  readonly assumptions = {
    exits: new Map<number, number>(),
    answers: new Map<number, boolean>(),
    outputs: new Map<number, Map<string, string>>(),
    leftOut: new Set<number>(),
    dying: new Set<number>(),
  };

  constructor(plan: Plan, texts: readonly string[]) {
    this.#plan = plan;
    this.#redact = createRedactor(texts);
  }

  /** Reads an assumption. Returns the problem with it, if any. */
  read(text: string): Problem {
    const sign = text.indexOf('=');
    if (sign < 1) return `--assume ${this.#redact(text)}: expected ${EXPECTED}`;
    const assumed = { subject: text.slice(0, sign), value: text.slice(sign + 1) };
    const { subject } = assumed;
    if (resolveStep(this.#plan, subject).kind !== 'none') return this.#step(assumed);
    if (subject.startsWith('if:')) return this.#condition(assumed);
    const hook = HOOKS.find((name) => subject.replace(/^hook:/, '') === name);
    if (hook !== undefined) return this.#hook(hook, assumed);
    return subject.includes('.') ? this.#output(assumed) : this.#step(assumed);
  }

  /** The step with a name, or the problem with the name. */
  #find(name: string): FoundStep | string {
    const found = resolveStep(this.#plan, name);
    if (found.kind === 'one') return found;
    const paths = found.paths.join(', ');
    const problem =
      found.kind === 'none'
        ? `has no step ${this.#redact(name)}; steps: ${paths}`
        : `has several steps ${this.#redact(name)}: ${paths}`;
    return `--assume: workflow '${this.#plan.workflow}' ${problem}`;
  }

  /** A call or a group stands for all its steps. The hooks of their workflows are only left out. */
  #step({ subject, value }: Assumed): Problem {
    const [found, end] = [this.#find(subject), endOf(value)];
    if (typeof found === 'string') return found;
    if (end === undefined) return this.#unknownEnd(subject);
    const { range, condition } = found;
    if (end === 'dies' && !(found.command !== null && isInBackground(this.#plan.ops[found.command])))
      return `--assume ${this.#redact(subject)}: only a single step in the background dies; use fail, skip, ok or an exit code`;
    for (let index = range.start; index < range.end; index += 1) this.#assume(index, end);
    if (condition === null) return undefined;
    // A step that its condition skips needs no output values; a step that is left out does.
    this.assumptions.leftOut.delete(condition);
    if (end === 'skip') this.assumptions.answers.set(condition, false);
    else this.assumptions.answers.delete(condition);
    return undefined;
  }

  #hook(hook: HookOp['hook'], { subject, value }: Assumed): Problem {
    const end = endOf(value);
    if (end === undefined || end === 'dies') return this.#unknownEnd(subject);
    const index = this.#plan.ops.findIndex((op) => op.kind === 'hook' && op.call === undefined && op.hook === hook);
    if (index === -1) return `--assume ${this.#redact(subject)}: the file has no such hook`;
    this.#assume(index, end);
    return undefined;
  }

  #assume(index: number, end: AssumedEnd): void {
    if (end === 'skip') this.assumptions.leftOut.add(index);
    else this.assumptions.leftOut.delete(index);
    if (end === 'dies') this.assumptions.dying.add(index);
    else this.assumptions.dying.delete(index);
    const op = at(this.#plan.ops, index);
    const isCommand = op.kind === 'run' || (op.kind === 'hook' && !isWorkflowHook(op));
    if (end !== 'skip' && isCommand) this.assumptions.exits.set(index, end === 'dies' ? 0 : end);
  }

  #unknownEnd(subject: string): string {
    return `--assume ${this.#redact(subject)}: expected fail, skip, ok or an exit code`;
  }

  #condition({ subject, value }: Assumed): Problem {
    const name = subject.slice('if:'.length);
    const found = this.#find(name);
    if (typeof found === 'string') return found;
    if (found.condition === null) return `--assume: step ${this.#redact(name)} has no condition`;
    if (value !== 'true' && value !== 'false') {
      return `--assume: the condition of step ${this.#redact(name)} can be true or false`;
    }
    this.assumptions.answers.set(found.condition, value === 'true');
    return undefined;
  }

  #output({ subject, value }: Assumed): Problem {
    const dot = subject.lastIndexOf('.');
    const key = subject.slice(dot + 1);
    const found = this.#find(subject.slice(0, dot));
    if (typeof found === 'string') return found;
    const op = found.command === null ? undefined : at(this.#plan.ops, found.command);
    const outputs = op?.kind === 'run' ? op.options.outputs.map(([name]) => name) : [];
    if (found.command === null || !outputs.includes(key)) {
      const known = outputs.length === 0 ? 'the step has no outputs' : `the outputs of the step: ${outputs.join(', ')}`;
      return `--assume ${this.#redact(subject)}: ${known}`;
    }
    const values = this.assumptions.outputs.get(found.command) ?? new Map<string, string>();
    this.assumptions.outputs.set(found.command, values.set(key, value));
    return undefined;
  }
}

const HOOKS: readonly HookOp['hook'][] = ['before_all', 'after_all', 'error', 'finally'];

/** The end of a step: an exit code, `skip` for a step that is left out, or `dies` for one in the background. */
type AssumedEnd = number | 'skip' | 'dies';

/** The end that a word stands for. */
function endOf(value: string): AssumedEnd | undefined {
  if (value === 'skip' || value === 'dies') return value;
  if (value === 'ok') return 0;
  if (value === 'fail') return 1;
  return /^\d{1,3}$/.test(value) && Number(value) <= 255 ? Number(value) : undefined;
}
