import { checkedStep, literalPatterns } from '../../checked_step.ts';
import { LeftOut, named, type ImportedStep, type ImportedWorkflow } from '../../imported.ts';

/** The targets that are files, which make skips while they are newer than their prerequisites. */
export class FileTargets {
  readonly #phony = new Set<string>();
  #isKnown = true;
  /** The files with commands that run every time. */
  readonly #unchecked = new Set<string>();

  /** Adds the targets of `.PHONY`. */
  exclude(names: readonly string[] | LeftOut): void {
    if (names instanceof LeftOut) this.#isKnown = false;
    else for (const name of names) this.#phony.add(name);
  }

  isPhony(name: string): boolean {
    return this.#phony.has(name);
  }

  /**
   * The commands of a target, as a step with its files if it is one. Order-only prerequisites do not count.
   * `mayBePhony`: an unknown part of the file may say so.
   */
  checked(
    name: string,
    needed: readonly string[],
    commands: readonly ImportedStep[],
    mayBePhony: boolean,
  ): readonly ImportedStep[] {
    if (commands.length === 0 || [name, ...needed].some((each) => this.isPhony(each))) return commands;
    const sources = literalPatterns(needed);
    const generates = literalPatterns([name]);
    const isKnown = this.#isKnown && !mayBePhony && sources !== undefined && generates !== undefined;
    const step = isKnown ? checkedStep(commands, { sources, generates }) : undefined;
    if (step !== undefined) return [step];
    this.#unchecked.add(name);
    return commands;
  }

  /** The warning about the files among some targets that are made in every run. */
  warnings(workflows: readonly ImportedWorkflow[]): string[] {
    const names = workflows.map(({ name }) => name).filter((name) => this.#unchecked.has(name));
    if (names.length === 0) return [];
    const are =
      names.length === 1 ? 'is a file (it is not .PHONY), and is' : 'are files (they are not .PHONY), and are';
    return [`${named('target', names)} ${are} made in every run`];
  }
}
