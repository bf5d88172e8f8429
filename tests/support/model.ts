import type { RandomFile, RandomStep, Variables } from './random_file.ts';

/** A command as a run should give it to the shell. */
export interface Expected {
  readonly command: string;
  /** What the file and the parameters set, and what the process had below it. */
  readonly variables: ReadonlyMap<string, string>;
  readonly input: 'inherit' | 'none';
}

/** What a run should come to. */
export interface Prediction {
  readonly commands: readonly Expected[];
  readonly steps: readonly { name: string; command: string; exit_code: number }[];
  readonly success: boolean;
}

/** A step of a dry run. */
export interface Planned {
  readonly name: string;
  readonly command: string;
  readonly if: readonly string[];
  readonly env: ReadonlyMap<string, string>;
}

/**
 * The rules of a run once more, in the plainest way there is: by walking through the file, with no
 * plan in between. `exitOf` says how each command ends.
 */
export class Model {
  readonly #file: RandomFile;
  readonly #process: Variables;
  readonly #params: Variables;

  constructor(file: RandomFile, process: Variables, params: Variables) {
    this.#file = file;
    this.#process = process;
    this.#params = params;
  }

  run(workflow: number, exitOf: (command: string) => number): Prediction {
    const commands: Expected[] = [];
    const steps: { name: string; command: string; exit_code: number }[] = [];
    let failed = false;
    const start = (command: string, scopes: readonly Variables[], input: 'inherit' | 'none'): number => {
      const variables = new Map([this.#process, ...scopes, this.#params].flat());
      commands.push({ command, variables, input });
      return exitOf(command);
    };
    const holds = (condition: string, scopes: readonly Variables[]): boolean => {
      const name = bareName(condition);
      if (name === undefined) return start(condition, scopes, 'none') === 0;
      const value = new Map([this.#process, ...scopes, this.#params].flat()).get(name);
      return value !== undefined && value !== '';
    };
    const walk = (index: number, scopes: readonly Variables[]): void => {
      for (const [position, step] of this.#stepsOf(index).entries()) {
        if (failed) return;
        const own = step.kind === 'short' ? scopes : [...scopes, step.with];
        const condition = conditionOf(step);
        if (condition !== undefined && !holds(condition, own)) continue;
        if (step.kind === 'call') {
          walk(step.target, [...scopes, this.#envOf(step.target), step.with]);
          continue;
        }
        const code = start(step.run, own, 'inherit');
        steps.push({ name: nameOf(step, position), command: step.run, exit_code: code });
        if (code !== 0) failed = true;
      }
    };
    const outermost = [this.#file.env, this.#envOf(workflow)];
    const hook = (command: string | undefined): void => {
      if (command === undefined || command.trim() === '') return;
      if (start(command, outermost, 'inherit') !== 0) failed = true;
    };
    hook(this.#file.before_all);
    if (!failed) walk(workflow, outermost);
    if (!failed) hook(this.#file.after_all);
    const success = !failed;
    if (failed) hook(this.#file.error);
    return { commands, steps, success };
  }

  /** The steps of a dry run, with the conditions around each and what it is given. */
  plan(workflow: number): Planned[] {
    const walk = (index: number, scopes: readonly Variables[], guards: readonly string[]): Planned[] =>
      this.#stepsOf(index).flatMap((step, position) => {
        const condition = conditionOf(step);
        const inner = condition === undefined ? guards : [...guards, bareName(condition) ?? condition];
        if (step.kind === 'call') {
          return walk(step.target, [...scopes, this.#envOf(step.target), step.with], inner);
        }
        const own = step.kind === 'short' ? scopes : [...scopes, step.with];
        const env = new Map([...own, this.#params].flat());
        return [{ name: nameOf(step, position), command: step.run, if: inner, env }];
      });
    return walk(workflow, [this.#file.env, this.#envOf(workflow)], []);
  }

  /** The hooks of a dry run. */
  hooks(): Record<string, { command: string }> {
    const { before_all, after_all, error } = this.#file;
    const all = { before_all, after_all, error };
    return Object.fromEntries(
      Object.entries(all).flatMap(([name, command]) =>
        command === undefined || command.trim() === '' ? [] : [[name, { command }]],
      ),
    );
  }

  #stepsOf(workflow: number): readonly RandomStep[] {
    return this.#file.workflows[workflow]?.steps ?? [];
  }

  #envOf(workflow: number): Variables {
    return this.#file.workflows[workflow]?.env ?? [];
  }
}

function nameOf(step: RandomStep, position: number): string {
  return (step.kind === 'run' ? step.name : undefined) ?? `step_${position + 1}`;
}

function conditionOf(step: RandomStep): string | undefined {
  const condition = step.kind === 'short' ? undefined : step.if;
  return condition === undefined || condition.trim() === '' ? undefined : condition;
}

/** The variable that a condition names, if it is one. */
function bareName(condition: string): string | undefined {
  const word = condition.trim();
  const isName = /^[A-Za-z_]\w*$/.test(word) && !['true', 'false'].includes(word);
  return isName ? word : undefined;
}
