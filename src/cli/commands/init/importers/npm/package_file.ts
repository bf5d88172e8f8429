import { FILE } from '../../../../../frontend/check/file_checker.ts';
import { DiagnosticList } from '../../../../../frontend/diagnostics/diagnostic.ts';
import { parseJsonFile } from '../../../../../frontend/syntax/json_problems.ts';
import { mentionsSecret } from '../../../../../ir/secret_names.ts';
import type { Result } from '../../../../../base/result.ts';
import { fileErrors, type Message } from '../../../../output/messages/message.ts';
import { attempt, LeftOut, together } from '../../imported.ts';
import type { Imported, ImportedStep, ImportedWorkflow, Unconverted } from '../../imported.ts';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ruleMessage } from '../../../../../frontend/schema/rules.ts';
import { brokenRule, Command } from '../../../../../frontend/schema/schema.ts';
import { CALLER_REFERENCE } from '../../../../../base/caller_reference.ts';
import { memberOf, members, type JsonNode } from '../../../../../frontend/syntax/json_tree.ts';
import { shellWord } from '../../../../../base/shell_word.ts';
import { sourceDirectory } from '../../import_kind.ts';
import { commandFor, SH } from '../../other_shell.ts';

/** Settings without a counterpart that only save time: without them, a script runs more often. */
const CACHING = new Set(['files', 'output', 'clean', 'packageLocks', 'allowUsuallyExcludedPaths']);

/** The steps of a script that wireit runs: its dependencies as a group of calls, then its command. */
function wireitSteps(
  name: string,
  settings: JsonNode | undefined,
  toSteps: (command: string) => ImportedStep[],
  note: (line: string) => void,
): ImportedStep[] {
  if (settings?.kind !== 'object') throw new LeftOut("it runs wireit, whose settings in 'wireit' are missing");
  const steps: ImportedStep[] = [];
  let command: ImportedStep[] = [];
  const cached: string[] = [];
  for (const { key, value } of settings.members) {
    if (key.startsWith('#')) continue; // A comment.
    if (key === 'command' && value.kind === 'string') command = toSteps(value.value);
    else if (key === 'dependencies' && value.kind === 'array') steps.push(...value.items.map(dependency));
    else if (CACHING.has(key)) cached.push(`'${key}'`);
    else throw new LeftOut(`its setting '${key}' for wireit has no counterpart`);
  }
  if (cached.length > 0) note(`script '${name}': ${cached.join(', ')} of wireit left out: it runs every time`);
  return [...together(steps, true), ...command];
}

function dependency(node: JsonNode): ImportedStep {
  const script =
    node.kind === 'object'
      ? node.members.find(({ key }) => key === 'script' && node.members.length === 1)?.value
      : node;
  if (script?.kind !== 'string') throw new LeftOut('it has a dependency with settings for wireit');
  if (/^[.$<^]/.test(script.value) || script.value.includes('#')) {
    throw new LeftOut(`its dependency '${script.value}' is in another package`);
  }
  return { workflow: script.value, once: true };
}

/** Words before the program of a command: variables, shell keywords, and programs that run another one. */
const BEFORE_PROGRAM = /^(?:[A-Za-z_]\w*=.*|if|then|else|elif|do|while|until|!|\{|time|exec|env|command|nohup)$/s;

/** Commands that change the shell for the commands after them. */
const CHANGES_SHELL = /^(?:cd|pushd|popd|export|set|unset|alias|source|\.|umask|trap|exit|eval|shopt|[A-Za-z_]\w*=)/;

/** The programs that a script names literally. */
function programsIn(script: string): string[] {
  return script.split(/&&|\|\||\$\(|[;&|()\n`]/).flatMap((command) => {
    const words = command.trim().split(/\s+/);
    const program = words.find((word) => !BEFORE_PROGRAM.test(word));
    return program === undefined || program.includes('/') ? [] : [program.replaceAll(/["']/g, '')];
  });
}

/** Whether the commands of `a && b` can run in separate shells. */
function isSplittable(script: string): boolean {
  if (/["'`(){}\\#\n]/.test(script.replaceAll(/"[^"$`\\&]*"|'[^'&]*'/g, ''))) return false;
  const words = script.split(/\s+/);
  if (words.some((word) => /^(?:if|for|while|until|case)$/.test(word))) return false;
  // `a && b; c` always runs `c`; steps would not.
  if (/\|\||;|(?<!&)&(?!&)/.test(script)) return false;
  return script.split(/&&|\|/).every((command) => !CHANGES_SHELL.test(command.trim()));
}

/** The name of the script that a command runs, undefined for any other command. */
function callOfScript(command: string): string | undefined {
  const [, name, short] =
    /^npm (?:(?:-s|--silent) )?(?:(?:run|run-script) (?:(?:-s|--silent) )?([\w:./@-]+)|(test|start))$/.exec(command) ??
    [];
  return name ?? short;
}

/** The directory of the programs of installed packages. */
const BIN = 'node_modules/.bin';

/** Programs that a system has without packages, and commands of the shell. */
const SYSTEM_PROGRAMS = new Set(
  'node npm npx echo printf cd rm mkdir rmdir cp mv ln cat ls touch chmod chown find grep sed awk sort head tail tr cut wc tee xargs test true false exit export set git curl wget tar zip unzip gzip bash sh python python3 make docker docker-compose go cargo which kill sleep date sudo ssh scp rsync open diff read source . [ [[ : wait trap eval exec'.split(
    ' ',
  ),
);

/**
 * Converts npm scripts into workflows with the same names. As in npm, `pre<name>` and `post<name>` run before and after
 * a script. A part `npm run <name>` becomes a call.
 */
class Scripts {
  readonly #directory: string;
  readonly #commands = new Map<string, string>();
  readonly #root: JsonNode;
  readonly #leftOut: (string | Unconverted)[] = [];

  constructor(path: string, root: JsonNode) {
    this.#directory = dirname(path);
    this.#root = root;
    for (const { key: name, value } of members(memberOf(root, 'scripts'))) {
      if (value.kind !== 'string') continue;
      const rule = brokenRule(Command, value.value);
      if (rule === undefined) this.#commands.set(name, value.value);
      else this.#leftOut.push({ name, reason: `it ${ruleMessage(rule, '')}` });
    }
  }

  convert(): Imported {
    const workflows = [...this.#commands.keys()]
      .filter((name) => !this.#isAround(name))
      .flatMap((name) => this.#workflow(name));
    const call = (name: string): ImportedWorkflow =>
      this.#asWorkflow(name, [{ run: `npm run ${shellWord(name)} -- "$@"` }]);
    return { noun: 'script', env: this.#env(workflows), workflows, leftOut: this.#leftOut, call };
  }

  /** Whether a script runs before or after another script. */
  #isAround(name: string): boolean {
    const inner = /^(?:pre|post)(.+)$/s.exec(name)?.[1];
    return inner !== undefined && this.#commands.has(inner);
  }

  #workflow(name: string): ImportedWorkflow[] {
    const steps = attempt(() => [`pre${name}`, name, `post${name}`].flatMap((each) => this.#steps(each)));
    if (!(steps instanceof LeftOut)) return [this.#asWorkflow(name, steps)];
    this.#leftOut.push({ name, reason: steps.message });
    return [];
  }

  #asWorkflow(name: string, steps: readonly ImportedStep[]): ImportedWorkflow {
    return { name, description: `npm run ${name}`, dir: sourceDirectory(this.#directory), steps };
  }

  #steps(name: string): ImportedStep[] {
    const command = this.#commands.get(name);
    if (command === undefined) return [];
    if (/\$\{?npm_/.test(command)) throw new LeftOut('it uses a variable that only npm sets');
    if (/\$[1-9@*#]|\$\{[1-9@*#]/.test(command)) throw new LeftOut('it uses arguments');
    if (/^wireit\b/.test(command)) {
      const toSteps = (each: string): ImportedStep[] => this.#commandSteps(name, each);
      const settings = memberOf(memberOf(this.#root, 'wireit'), name);
      return wireitSteps(name, settings, toSteps, (line) => this.#leftOut.push(line));
    }
    return this.#commandSteps(name, command);
  }

  #commandSteps(name: string, command: string): ImportedStep[] {
    const parts = isSplittable(command) ? command.split('&&').map((part) => part.trim()) : [command];
    const targets = parts.map((part) => this.#target(part));
    if (targets.every((target) => target === undefined)) return [{ name, run: commandFor(SH, command) }];
    return parts.map((part, index) => {
      const target = targets[index];
      return target === undefined ? { run: commandFor(SH, part) } : { workflow: target };
    });
  }

  /** The workflow that a command such as `npm run <name>` calls. */
  #target(command: string): string | undefined {
    const called = callOfScript(command);
    return called !== undefined && this.#commands.has(called) && !this.#isAround(called) ? called : undefined;
  }

  /** The variables of npm that scripts use. */
  #env(workflows: readonly ImportedWorkflow[]): Map<string, string> {
    const usesCaller = [...this.#commands.values()].some((command) => /\bINIT_CWD\b/.test(command));
    const caller: (readonly [string, string])[] = usesCaller ? [['INIT_CWD', CALLER_REFERENCE]] : [];
    return new Map([...caller, ...this.#path(workflows)]);
  }

  /** `PATH` with the programs of packages, if a script runs one of them, installed or not. */
  #path(workflows: readonly ImportedWorkflow[]): Map<string, string> {
    const packages = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'].flatMap((kind) =>
      members(memberOf(this.#root, kind)),
    );
    const hasPackages = packages.length > 0 || existsSync(join(this.#directory, BIN));
    const programs = workflows
      .flatMap(({ steps }) => steps.flatMap((step) => ('run' in step ? [[step.run].flat().join('\n')] : [])))
      .flatMap(programsIn);
    if (!hasPackages || programs.every((program) => SYSTEM_PROGRAMS.has(program))) return new Map();
    // A program that starts cli in another directory can leave PWD as it was.
    const directories = this.#directory.startsWith('/')
      ? [this.#directory]
      : [join('${vars.PWD:-.}', this.#directory), this.#directory];
    return new Map([['PATH', [...directories.map((each) => join(each, BIN)), '${vars.PATH}'].join(':')]]);
  }
}

/** Converts the scripts of a package.json. */
export function importPackage(path: string, bytes: Buffer): Result<Imported, Message> {
  const { lines, syntax } = parseJsonFile(bytes);
  if (syntax.ok) return { ok: true, value: new Scripts(path, syntax.value).convert() };
  const errors = new DiagnosticList();
  for (const problem of syntax.problems) errors.add({ severity: 'error', code: 'syntax', owner: FILE, ...problem });
  return fileErrors({ path, lines, included: [], isSecret: mentionsSecret, isForeign: () => false }, errors);
}
