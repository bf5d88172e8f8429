import type { ParsedFile } from '../frontend/parse.ts';
import { compile } from '../ir/compile.ts';
import type { Plan } from '../ir/plan.ts';
import { isPlain } from '../output/escape.ts';
import { inputVariables } from './variables.ts';
import { isParam } from '../command_line/params.ts';
import { DEFAULT_FILE } from '../command_line/default_file.ts';
import { COMMANDS, FLAGS, GLOBAL_FLAGS, type Command, type Flag } from '../command_line/spec.ts';

/** What could stand at the cursor, and what it is. After what ends with a colon, no space follows. */
export type Candidate = readonly [text: string, describe: string];

/** What may follow a command line; files are the names of files, which a shell knows better. */
export type Candidates = readonly Candidate[] | 'files';

/** The words before the cursor as far as they mean something. `open` is the flag whose value comes next. */
type Typed = Readonly<{
  positional: readonly string[];
  values: ReadonlyMap<Flag, string>;
  switches: ReadonlySet<Flag>;
  open: Flag | undefined;
  /** Whether `--` was there, after which nothing is a flag. */
  ended: boolean;
}>;

/** What could stand at the cursor, after the words `before`; `current` is what was typed there. */
export async function candidates(
  before: readonly string[],
  current: string,
  parse: (file: string) => Promise<ParsedFile | undefined>,
): Promise<Candidates> {
  const typed = readTyped(before);
  const { positional, values, switches, open, ended } = typed;
  const [first = '', second, ...rest] = positional;
  const command = COMMANDS.find(({ words }) => words === `${first} ${second}`);
  const parsed = (): Promise<ParsedFile | undefined> => parse(values.get('file') ?? DEFAULT_FILE);
  const valuesOf = async (flag: Flag): Promise<Candidates> => {
    if (FLAGS[flag].takes === 'path') return 'files';
    if (flag === 'format') return (command?.formats ?? []).map((format) => [format, '']);
    return flag === 'step' ? stepNames(planOf(await parsed(), rest[0])) : [];
  };
  if (open !== undefined) return valuesOf(open);
  if (!ended && current.startsWith('-')) {
    const flags = [...(command?.flags ?? []), ...GLOBAL_FLAGS];
    const flag = flags.find((name) => current.startsWith(`--${name}=`));
    if (flag === undefined) {
      const unused = flags.filter((name) => !switches.has(name) && !values.has(name));
      return unused.map((name) => [`--${name}`, FLAGS[name].describe]);
    }
    const found = await valuesOf(flag);
    return found === 'files' ? found : found.map(([text, describe]) => [`--${flag}=${text}`, describe]);
  }
  if (command === undefined) return second === undefined ? commandWords(positional) : [];
  if (command.operands === undefined) return [];
  if (rest.length === 0) return workflowNames(await parsed(), current, ended);
  return parameterNames(command, planOf(await parsed(), rest[0]), rest.slice(1), current);
}

function readTyped(before: readonly string[]): Typed {
  const positional: string[] = [];
  const values = new Map<Flag, string>();
  const switches = new Set<Flag>();
  let open: Flag | undefined;
  let ended = false;
  for (const word of before) {
    const [, name = '', value] = /^--([^=]*)(?:=([^]*))?$/.exec(word) ?? [];
    if (open !== undefined) {
      values.set(open, word);
      open = undefined;
    } else if (ended || !/^-./.test(word)) positional.push(word);
    else if (word === '--') ended = true;
    else if (isFlag(name)) {
      if (FLAGS[name].takes === 'nothing') switches.add(name);
      else if (value === undefined) open = name;
      else values.set(name, value);
    }
  }
  return { positional, values, switches, open, ended };
}

function isFlag(name: string): name is Flag {
  return Object.hasOwn(FLAGS, name);
}

/** The next word of the commands that begin with those. */
function commandWords(given: readonly string[]): Candidate[] {
  const start = given.map((word) => `${word} `).join('');
  const fitting = COMMANDS.filter(({ words }) => words.startsWith(start));
  const next = fitting.map(({ words, describe }): Candidate => {
    const [word = '', ...others] = words.slice(start.length).split(' ');
    return [word, others.length === 0 ? describe : ''];
  });
  return [...new Map(next)];
}

/** Private workflows are told only where no other one begins with what was typed. */
function workflowNames(parsed: ParsedFile | undefined, current: string, ended: boolean): Candidate[] {
  const all = [...(parsed?.file?.workflows ?? [])].filter(([name]) => isPlain(name) && (ended || !/^-./.test(name)));
  const listed = all.filter(([, workflow]) => !workflow.private);
  const some = listed.some(([name]) => name.startsWith(current)) ? listed : all;
  return some.map(([name, { description }]) => [name, description]);
}

function planOf(parsed: ParsedFile | undefined, workflow: string | undefined): Plan | undefined {
  if (parsed?.kind !== 'valid' || workflow === undefined || !parsed.file.workflows.has(workflow)) return undefined;
  const compiled = compile(parsed.file, workflow, []);
  return compiled.kind === 'plan' ? compiled.plan : undefined;
}

function stepNames(plan: Plan | undefined): Candidate[] {
  const steps = new Map<string, string>();
  for (const op of plan?.ops ?? []) if (op.kind === 'run' && isPlain(op.name)) steps.set(op.name, op.command);
  return [...steps];
}

/** Every variable that something in the plan sets, tests or reads, but for those that were given already. */
function parameterNames(
  command: Command,
  plan: Plan | undefined,
  given: readonly string[],
  current: string,
): Candidate[] {
  if (plan === undefined || command.words === 'workflow graph' || isParam(current)) return [];
  const set = plan.frames.flatMap(({ vars }) => vars.map(([name]) => name));
  const read = plan.ops.flatMap((op) => {
    if (op.kind !== 'condition') return inputVariables(op.command);
    return op.test.kind === 'variable' ? op.test.name : inputVariables(op.test.command);
  });
  const gone = new Set(given.map((word) => word.replace(/[:=][^]*/, '')));
  const names = [...new Set([...set, ...read])].filter((name) => !gone.has(name));
  const asked = command.words === 'workflow explain' && given.length === 0 ? names : [];
  return [...asked, ...names.map((name) => `${name}:`)].map((name) => [name, '']);
}
