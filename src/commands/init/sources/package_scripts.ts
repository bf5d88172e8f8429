import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ruleMessage } from '../../../frontend/schema/rules.ts';
import { brokenRule, Command } from '../../../frontend/schema/schema.ts';
import type { JsonNode, Member } from '../../../frontend/syntax/json_tree.ts';
import { sourceDirectory } from '../import_kind.ts';
import { attempt, LeftOut, type Imported, type ImportedStep, type ImportedWorkflow } from '../imported.ts';
import { member } from './json_value.ts';
import { callOfScript, isSplittable, programsIn, splitAtAnd } from './npm_script.ts';
import { wireitSteps } from './wireit.ts';

/** The directory of the programs of installed packages. */
const BIN = 'node_modules/.bin';

/**
 * Converts npm scripts into workflows with the same names. As in npm, `pre<name>` and `post<name>` run before and after
 * a script. A part `npm run <name>` becomes a call. Returns undefined if the file has no scripts.
 */
export function importScripts(path: string, root: JsonNode): Imported | undefined {
  const scripts = member(root, 'scripts');
  if (scripts?.kind !== 'object') return undefined;
  return new Scripts(path, scripts.members, member(root, 'wireit')).convert();
}

class Scripts {
  readonly #directory: string;
  readonly #commands = new Map<string, string>();
  readonly #wireit: JsonNode | undefined;
  readonly #leftOut: string[] = [];

  constructor(path: string, scripts: readonly Member[], wireit: JsonNode | undefined) {
    this.#directory = dirname(path);
    this.#wireit = wireit;
    for (const { key, value } of scripts) if (value.kind === 'string') this.#add(key, value.value);
  }

  convert(): Imported {
    const workflows = [...this.#commands.keys()]
      .filter((name) => !this.#isAround(name))
      .flatMap((name) => this.#workflow(name));
    return { noun: 'script', env: new Map(), workflows, leftOut: this.#leftOut };
  }

  #add(name: string, command: string): void {
    const rule = brokenRule(Command, command);
    if (rule === undefined) this.#commands.set(name, command);
    else this.#leftOut.push(`script '${name}' is left out: it ${ruleMessage(rule, '')}`);
  }

  /** Whether a script runs before or after another script. */
  #isAround(name: string): boolean {
    const inner = /^(?:pre|post)(.+)$/s.exec(name)?.[1];
    return inner !== undefined && this.#commands.has(inner);
  }

  #workflow(name: string): ImportedWorkflow[] {
    const steps = attempt(() => [`pre${name}`, name, `post${name}`].flatMap((each) => this.#steps(each)));
    if (!(steps instanceof LeftOut)) {
      return [{ name, description: `npm run ${name}`, dir: sourceDirectory(this.#directory), steps }];
    }
    this.#leftOut.push(`script '${name}' is left out: ${steps.message}`);
    return [];
  }

  #steps(name: string): ImportedStep[] {
    const command = this.#commands.get(name);
    if (command === undefined) return [];
    if (/\$\{?npm_/.test(command)) throw new LeftOut('it uses a variable that only npm sets');
    if (/^wireit\b/.test(command)) {
      const toSteps = (each: string): ImportedStep[] => this.#commandSteps(name, each);
      return wireitSteps(name, member(this.#wireit, name), toSteps, (line) => this.#leftOut.push(line));
    }
    return this.#commandSteps(name, command);
  }

  #commandSteps(name: string, command: string): ImportedStep[] {
    const parts = isSplittable(command) ? splitAtAnd(command) : [command];
    const targets = parts.map((part) => this.#target(part));
    if (targets.every((target) => target === undefined)) return [{ name, run: this.#withPath(command) }];
    return parts.map((part, index) => {
      const target = targets[index];
      return target === undefined ? { run: this.#withPath(part) } : { workflow: target };
    });
  }

  /** The workflow that a command such as `npm run <name>` calls. */
  #target(command: string): string | undefined {
    const called = callOfScript(command);
    return called !== undefined && this.#commands.has(called) && !this.#isAround(called) ? called : undefined;
  }

  /** A command. If it names a program of a package, their directory is added to PATH. */
  #withPath(command: string): string {
    const isInstalled = (program: string): boolean => existsSync(join(this.#directory, BIN, program));
    return programsIn(command).some(isInstalled) ? `PATH="$PWD/${BIN}:$PATH"; ${command}` : command;
  }
}
