import { basename, dirname } from 'node:path';
import { sourceDirectory } from '../../import_kind.ts';
import { attempt, LeftOut, type Imported, type ImportedWorkflow, type Unconverted } from '../../imported.ts';
import { SH, type OtherShell } from '../../other_shell.ts';
import { expandsVariable } from '../../imported_uses.ts';
import { ImplicitRules } from './implicit_rules.ts';
import { automaticVariables, recipeSteps, changedShell } from './make_recipe.ts';
import { FileTargets } from './file_targets.ts';
import { callOfMake, withRule, reasonAgainst, type Target } from './make_target.ts';
import { words } from './make_text.ts';
import { MakeVariables } from './make_variables.ts';
import { OtherParts, variablesIn, whileReading } from './other_parts.ts';
import { readMakefile, type Assignment, type Directive, type MakeRule } from './makefile_lines.ts';

/** The rules of a Makefile as workflows, with prerequisites as calls and variables as `env`. */
export function importMakefile(path: string, text: string): Imported {
  return new Makefile(path, text).convert();
}

class Makefile {
  readonly #path: string;
  readonly #directory: string;
  readonly #name: string;
  readonly #text: string;
  readonly #leftOut: [line: number, left: string | Unconverted][] = [];
  readonly #variables: MakeVariables;
  readonly #implicit: ImplicitRules;
  readonly #targets = new Map<string, Target>();
  readonly #others = new OtherParts();
  readonly #files = new FileTargets();
  readonly #exported = new Set<string>();
  readonly #used = new Map<string, string>();
  /** Why no command of this file can be converted. */
  #unusable: string | undefined;
  #exportsAll = false;
  #isOneShell = false;
  #shell: OtherShell = SH;
  #goal: string | undefined;
  #isGoalKnown = true;

  constructor(path: string, text: string) {
    this.#path = path;
    this.#directory = dirname(path);
    this.#name = basename(path);
    this.#text = text;
    this.#implicit = new ImplicitRules(path);
    this.#variables = new MakeVariables(this.#name, (name) => this.#isVisible(name));
  }

  convert(): Imported {
    for (const statement of readMakefile(this.#text)) {
      this.#unusable ??= whileReading(statement, this.#text);
      if (statement.kind === 'assignment') this.#assign(statement);
      else if (statement.kind === 'directive') this.#direct(statement);
      else this.#rule(statement);
    }
    const exported = this.#exportedValues();
    const workflows = this.#workflows();
    for (const [name, { line, reason }] of this.#targets) {
      if (reason !== undefined) this.#omit(line, { name, reason, place: `${this.#name}:${line}: ` });
    }
    const leftOut = this.#leftOut
      .toSorted(([one], [other]) => one - other)
      .map(([line, left]) => (typeof left === 'string' ? `${this.#name}:${line}: ${left}` : left));
    leftOut.push(...this.#files.warnings(workflows));
    const env = new Map([...this.#used, ...exported]);
    const goal = this.#isGoalKnown ? this.#goal : undefined;
    const call = (name: string): ImportedWorkflow => callOfMake(this.#path, name, this.#targets.get(name));
    return { noun: 'target', default: goal, env, workflows, leftOut, call };
  }

  #omit(line: number, left: string | Unconverted): void {
    this.#leftOut.push([line, left]);
  }

  /** Whether a program or command could take a variable of make for one of its own. */
  #isVisible(name: string): boolean {
    if (this.#exportsAll || this.#exported.has(name)) return false;
    // A make that a recipe starts reads variables of the environment.
    return /\$[({]MAKE[)}]|^\t[^#]*\bmake\b/m.test(this.#text) || expandsVariable(this.#text, name, '$$');
  }

  #assign(assignment: Assignment): void {
    const { name, value, operator, modifiers, isConditional, line } = assignment;
    if (name === '.DEFAULT_GOAL') {
      const goal = attempt(() => this.#variables.constant(value).trim());
      this.#isGoalKnown = !isConditional && !(goal instanceof LeftOut);
      this.#goal = goal instanceof LeftOut ? undefined : goal;
    } else if (name === 'SHELL' || name === '.SHELLFLAGS') this.#setShell(name, value, isConditional);
    else if (name === '.RECIPEPREFIX') this.#unusable = `it sets '${name}'`;
    else if (name === 'MAKEFLAGS') this.#omit(line, `'${name} ${operator} ${value}' is left out`);
    else this.#variables.assign(assignment);
    if (modifiers.includes('export') && !modifiers.includes('unexport')) this.#exported.add(name);
  }

  #setShell(name: 'SHELL' | '.SHELLFLAGS', value: string, isConditional: boolean): void {
    const text = attempt(() => this.#variables.constant(value));
    const shell = changedShell(this.#shell, name, text instanceof LeftOut ? value : text);
    if (shell === undefined || isConditional) this.#unusable = `${name} is '${value}'`;
    else this.#shell = shell;
  }

  #direct({ word, text, line, isConditional }: Directive): void {
    const names = words(text).slice(1);
    if (word === 'vpath' || word === 'info' || word === 'warning') this.#omit(line, `'${text}' is left out`);
    else if (word === 'export' && !isConditional && names.every((name) => /^\w+$/.test(name))) {
      for (const name of names) this.#exported.add(name);
      if (names.length === 0) this.#exportsAll = true;
    } else if (word === 'export' || word === 'unexport') {
      this.#unusable = `'${text}' changes the environment of the commands`;
    } else if (word === 'error') this.#unusable = `'${text}' may stop it`;
    else {
      const files = attempt(() => words(this.#variables.constant(text)).slice(1));
      const isInclude = word.endsWith('include') && !(files instanceof LeftOut);
      const paths = isInclude ? files.map((file) => this.#implicit.pathOf(file)) : [];
      const assignments = isConditional ? undefined : variablesIn(paths, this.#text);
      for (const each of assignments ?? []) this.#assign(each);
      if (assignments !== undefined) return;
      this.#omit(line, `'${text}' is left out`);
      // Lists of dependencies that a compiler writes set no variables.
      if (!isInclude || !paths.every((path) => path.endsWith('.d'))) {
        this.#variables.leaveOut(`'${text}'`);
        const changes = paths.filter((path) => this.#others.addFile(text, path)).length > 0;
        if (changes) this.#unusable = `'${text}' changes how commands run`;
        if (!isInclude && word !== 'undefine') this.#others.add(text);
        if (this.#goal === undefined) this.#isGoalKnown = false;
      }
    }
  }

  /** The variables that make exports. The commands of this file cannot be converted without them. */
  #exportedValues(): Map<string, string> {
    if (this.#exportsAll) for (const name of this.#variables.names) this.#exported.add(name);
    const exported = new Map<string, string>();
    if (this.#exportsAll && this.#variables.missing !== undefined) {
      this.#unusable = `it exports what ${this.#variables.missing} may set`;
    }
    for (const name of this.#exported) {
      if (!this.#variables.has(name) || (this.#exportsAll && !/^\w+$/.test(name))) continue;
      const value = attempt(() => this.#variables.exported(name));
      if (value instanceof LeftOut) this.#unusable = `it exports the variable '${name}', but ${value.message}`;
      else exported.set(name, value);
    }
    return exported;
  }

  #rule(rule: MakeRule): void {
    const names = attempt(() => words(this.#variables.constant(rule.targets)));
    if (names instanceof LeftOut || names.length === 0) {
      this.#omit(
        rule.line,
        `the rule of '${rule.targets}' is left out: ${names instanceof LeftOut ? names.message : ''}`,
      );
      return;
    }
    if (this.#isSpecial(names, rule)) return;
    const needed = attempt(() => this.#variables.constant(rule.prerequisites));
    const [normal = '', orderOnly = ''] = needed instanceof LeftOut ? [] : needed.split('|');
    const reason = reasonAgainst(rule, needed);
    for (const name of names) {
      if (this.#implicit.add(name)) this.#omit(rule.line, `the rule of '${name}' is left out: it is a pattern`);
      else {
        if (this.#goal === undefined && this.#isGoalKnown && !/^\.[^/]*$/.test(name)) {
          this.#goal = name;
          this.#isGoalKnown = !rule.isConditional;
        }
        const known = this.#targets.get(name);
        const own = { needed: words(normal), orderOnly: words(orderOnly), recipe: rule.recipe };
        this.#targets.set(name, {
          line: known?.line ?? rule.line,
          description: known?.description ?? rule.description,
          ...(known === undefined ? own : withRule(known, own)),
          reason: known?.reason ?? reason,
        });
      }
    }
  }

  /** Handles a special target such as `.PHONY`. */
  #isSpecial([target = '']: readonly string[], rule: MakeRule): boolean {
    if (!/^\.[A-Z_]+$/.test(target)) return false;
    const names = attempt(() => words(this.#variables.constant(rule.prerequisites)));
    if (target === '.PHONY') this.#files.exclude(names);
    else if (target === '.ONESHELL') this.#isOneShell = true;
    else if (target === '.EXPORT_ALL_VARIABLES') this.#exportsAll = true;
    else if (target === '.POSIX') this.#shell = { ...this.#shell, letters: 'e' };
    else if (target === '.IGNORE') this.#unusable = "it has the target '.IGNORE'";
    else if (!/^\.(?:SILENT|NOTPARALLEL|SUFFIXES|DELETE_ON_ERROR|PRECIOUS|SECONDARY|INTERMEDIATE)$/.test(target))
      this.#omit(rule.line, `the rule of '${target}' is left out`);
    return true;
  }

  /** The targets that can be converted. Repeats until none fails, because a target fails with its prerequisites. */
  #workflows(): ImportedWorkflow[] {
    for (;;) {
      this.#used.clear();
      let isComplete = true;
      const workflows = [...this.#targets].flatMap(([name, target]): ImportedWorkflow[] => {
        if (target.reason !== undefined) return [];
        const workflow = attempt(() => this.#workflow(name, target));
        if (!(workflow instanceof LeftOut)) return [workflow];
        target.reason = workflow.message;
        isComplete = false;
        return [];
      });
      if (isComplete) return workflows;
    }
  }

  #workflow(name: string, target: Target): ImportedWorkflow {
    const needed = [...new Set(target.needed)];
    const orderOnly = [...new Set(target.orderOnly)].filter((each) => !needed.includes(each));
    const called = [...needed, ...orderOnly].filter((each) => this.#isMade(each));
    if (target.recipe.length > 0 && this.#unusable !== undefined) throw new LeftOut(this.#unusable);
    const other = this.#others.addingTo(name, target.recipe.length > 0);
    if (other !== undefined) throw new LeftOut(`'${other}' may add to it`);
    const rule = target.recipe.length > 0 || this.#files.isPhony(name) ? undefined : this.#implicit.ruleFor(name);
    if (rule !== undefined) throw new LeftOut(`it is made by ${rule}`);
    const commands = recipeSteps({
      lines: target.recipe,
      automatic: automaticVariables(name, needed, target.needed, this.#files.isPhony(name)),
      variables: this.#variables,
      shell: this.#shell,
      isOneShell: this.#isOneShell,
      isTarget: (each) => this.#targets.has(each) && this.#targets.get(each)?.reason === undefined,
      used: this.#used,
    });
    const calls = called.map((workflow) => ({ workflow, once: true }) as const);
    const steps = [...calls, ...this.#files.checked(name, needed, commands, this.#others.mayDeclarePhony())];
    return { name, description: target.description, dir: sourceDirectory(this.#directory), steps };
  }

  /** Whether a prerequisite has a rule. Otherwise it is a file that exists, or phony. */
  #isMade(name: string): boolean {
    const target = this.#targets.get(name);
    if (target !== undefined && target.reason === undefined) return true;
    if (target !== undefined) throw new LeftOut(`it needs '${name}', which is not converted`);
    if (this.#files.isPhony(name)) return false;
    const rule = this.#implicit.ruleFor(name);
    if (rule !== undefined) throw new LeftOut(`it needs '${name}', which is made by ${rule}`);
    if (!this.#implicit.exists(name)) throw new LeftOut(`it needs the file '${name}', which does not exist`);
    return false;
  }
}
