import { basename, dirname } from 'node:path';
import { brokenRule, VariableName } from '../../../frontend/schema/schema.ts';
import { sourceDirectory } from '../import_kind.ts';
import { attempt, LeftOut, type Imported, type ImportedStep, type ImportedWorkflow } from '../imported.ts';
import { readMakefile, type Assignment, type MakefileLines, type MakeRule } from './makefile_lines.ts';
import { inserted, shellText, type TemplatePart } from '../shell_template.ts';

/** A use of a variable in make, with `$$`, `$@` and the like. */
const EXPANSION = /\$(?:\(([^()]*)\)|\{([^{}]*)\}|(.?))/gs;

/** Text that can stand in `${NAME:-text}`, in quotes or not. */
const PLAIN = /^[\w ./:@%+,=-]*$/;

/** The rules of a simple Makefile as workflows, with prerequisites as calls and variables as `env`. */
export function importMakefile(path: string, text: string): Imported {
  return new Makefile(path, readMakefile(text)).convert();
}

class Makefile {
  readonly #path: string;
  readonly #lines: MakefileLines;
  readonly #leftOut: [line: number, text: string][] = [];
  /** The values of variables. Those of `?=` are in `#defaults`, because the process environment overrides them. */
  readonly #values = new Map<string, string>();
  readonly #defaults = new Map<string, string>();
  readonly #unknown = new Set<string>();
  readonly #phony = new Set<string>();
  #isOneShell = false;

  constructor(path: string, lines: MakefileLines) {
    this.#path = path;
    this.#lines = lines;
  }

  convert(): Imported {
    for (const { text, line } of this.#lines.others) this.#omit(line, `'${text}' is left out`);
    for (const assignment of this.#lines.assignments) this.#assign(assignment);
    const rules = this.#mergedRules();
    const workflows = [...rules].flatMap(([target, rule]): ImportedWorkflow[] => {
      const workflow = attempt(() => this.#workflow(target, rule, rules));
      if (!(workflow instanceof LeftOut)) return [workflow];
      this.#omit(rule.line, `target '${target}' is left out: ${workflow.message}`);
      return [];
    });
    const name = basename(this.#path);
    const leftOut = this.#leftOut
      .toSorted(([one], [other]) => one - other)
      .map(([line, why]) => `${name}:${line}: ${why}`);
    return { noun: 'target', env: this.#values, workflows, leftOut };
  }

  #omit(line: number, text: string): void {
    this.#leftOut.push([line, text]);
  }

  #assign({ name, operator, value, line }: Assignment): void {
    if (name === 'SHELL' && /^(?:\/usr)?(?:\/bin\/)?(?:env )?(?:ba)?sh$/.test(value)) return;
    const isSimple = ['=', ':=', '::=', '?='].includes(operator) && brokenRule(VariableName, name) === undefined;
    const text = attempt(() =>
      isSimple && name !== 'SHELL' ? this.#constant(value) : fail('only NAME = text is converted'),
    );
    if (text instanceof LeftOut) {
      this.#omit(line, `variable '${name}' is left out: ${text.message}`);
      for (const known of [this.#values, this.#defaults]) known.delete(name);
      this.#unknown.add(name);
    } else if (operator !== '?=') this.#values.set(name, text);
    else if (!PLAIN.test(text)) this.#unknown.add(name);
    else if (!this.#values.has(name) && !this.#defaults.has(name)) this.#defaults.set(name, text);
  }

  /** A text without unknown variables. */
  #constant(text: string): string {
    const constant = text.replaceAll(EXPANSION, (_, round?: string, curly?: string, sign?: string) => {
      const name = round ?? curly;
      const value = name === undefined ? undefined : this.#values.get(name);
      return value ?? (sign === '$' ? '$' : fail(`$(${name ?? sign ?? ''}) has no fixed value`));
    });
    return constant.includes('$') ? fail('its value holds a $') : constant;
  }

  /** The rules by target. Several rules for a target are one. Special targets are left out. */
  #mergedRules(): Map<string, MakeRule> {
    const rules = new Map<string, MakeRule>();
    for (const rule of this.#lines.rules) {
      const names = attempt(() => this.#constant(rule.targets).split(/\s+/));
      const target = names instanceof LeftOut ? rule.targets : names.join(' ');
      if (target === '.PHONY') for (const name of rule.prerequisites.split(/\s+/)) this.#phony.add(name);
      else if (target === '.ONESHELL') this.#isOneShell = true;
      else if (names instanceof LeftOut || names.length !== 1 || /[%*?]/.test(target) || /^\.[A-Z_]+$/.test(target)) {
        this.#omit(rule.line, `the rule of '${target}' is left out: only rules for one target are converted`);
      } else {
        const { prerequisites, recipe, ...first } = rules.get(target) ?? { ...rule, prerequisites: '', recipe: [] };
        const all = `${prerequisites} ${rule.prerequisites}`.trim();
        rules.set(target, { ...first, prerequisites: all, recipe: [...recipe, ...rule.recipe] });
      }
    }
    return rules;
  }

  #workflow(target: string, rule: MakeRule, rules: ReadonlyMap<string, MakeRule>): ImportedWorkflow {
    const needed = this.#constant(rule.prerequisites)
      .split(/[\s|]+/)
      .filter((name) => name !== '');
    if (needed.some((name) => name.includes('%'))) throw new LeftOut('its prerequisites are a pattern');
    const calls = needed.filter((name) => rules.has(name)).map((workflow): ImportedStep => ({ workflow, once: true }));
    const recipe = rule.recipe.flatMap((line) => this.#steps(line.text, target, needed, rules));
    const files = needed.filter((name) => !rules.has(name)).map((name) => `'${name}'`);
    if (files.length > 0)
      this.#omit(rule.line, `the files ${files.join(', ')} that '${target}' depends on are left out`);
    if (!this.#phony.has(target)) {
      this.#omit(rule.line, `target '${target}' is a file (it is not .PHONY), and is made in every run`);
    }
    const steps = this.#isOneShell ? oneShell(recipe) : recipe;
    const dir = sourceDirectory(dirname(this.#path));
    return { name: target, description: rule.description, dir, steps: [...calls, ...steps] };
  }

  #steps(
    text: string,
    target: string,
    needed: readonly string[],
    rules: ReadonlyMap<string, MakeRule>,
  ): ImportedStep[] {
    const [, signs = '', command = ''] = /^\s*([@+-]*)\s*(.*)$/s.exec(text) ?? [];
    if (/^(?:#.*)?$/s.test(command)) return [];
    const [, called] = /^\$[({]MAKE[)}]((?:\s+[\w.-]+)+)$/.exec(command) ?? [];
    const targets = called?.trim().split(/\s+/) ?? [];
    if (targets.length > 0 && targets.every((name) => rules.has(name)))
      return targets.map((workflow) => ({ workflow }));
    const run = shellText(this.#parts(command, target, needed));
    return [{ run, ...(signs.includes('-') ? { allow_failure: true } : {}) }];
  }

  /** The parts of a recipe line. */
  #parts(text: string, target: string, needed: readonly string[]): TemplatePart[] {
    const parts: TemplatePart[] = [];
    let end = 0;
    for (const { 0: found, 1: round, 2: curly, 3: sign, index } of text.matchAll(EXPANSION)) {
      parts.push(text.slice(end, index), this.#expansion(round ?? curly, sign, target, needed));
      end = index + found.length;
    }
    return [...parts, text.slice(end)];
  }

  #expansion(
    name: string | undefined,
    sign: string | undefined,
    target: string,
    needed: readonly string[],
  ): TemplatePart {
    const automatic = new Map([
      ['$', '$'],
      ['@', target],
      ['<', needed[0] ?? ''],
      ['^', needed.join(' ')],
    ]);
    if (sign === '(' || sign === '{') throw new LeftOut('it calls a function of make');
    if (name === undefined) return automatic.get(sign ?? '') ?? fail(`$${sign ?? ''} has no counterpart`);
    if (this.#unknown.has(name)) throw new LeftOut(`it uses the variable '${name}', which is left out`);
    if (brokenRule(VariableName, name) !== undefined || /^(?:MAKE|CURDIR)/.test(name)) {
      throw new LeftOut(`$(${name}) has no counterpart`);
    }
    const value = this.#values.get(name);
    if (value !== undefined) return inserted(name, value);
    return { expansion: `\${${name}:-${this.#defaults.get(name) ?? ''}}` };
  }
}

/** The steps of a recipe as one script. */
function oneShell(steps: readonly ImportedStep[]): ImportedStep[] {
  const lines = steps.map((step) =>
    'run' in step ? step.run : fail('it calls make, in one shell with other commands'),
  );
  return lines.length === 0 ? [] : [{ run: lines.join('\n') }];
}

function fail(reason: string): never {
  throw new LeftOut(reason);
}
