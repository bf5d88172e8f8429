import { secretNames } from '../secret_names.ts';
import { paramWord } from '../../base/param_word.ts';
import { formatOf } from '../ops.ts';
import { runParams, type Plan } from '../plan.ts';
import { disassemble } from './disassembly.ts';

/**
 * The lines of a plan file: its format, workflow and parameters in the first line, the text form of the plan below it.
 * The plan must have no secret parameters.
 */
export function* planFile(plan: Plan): Generator<string> {
  const params = runParams(plan).map((param) => headerWord(paramWord(param)));
  yield ['plan', formatOf(plan), headerWord(plan.workflow), ...params].join(' ');
  yield* disassemble(plan);
}

/** The first line of a plan file; the words are a workflow and parameters. */
type PlanHeader = Readonly<{ format: number; words: readonly [workflow: string, ...params: string[]] }>;

const WORD = String.raw`"(?:[^"\\]|\\.)*"|[A-Za-z0-9._:/=-]+`;

/** Maximum length of a header: longer words exhaust the stack of the regular expression. A command line has 2 MiB. */
const HEADER_LIMIT = 4 * 1024 * 1024;

/** Reads the first line of a plan file; undefined if the text is none. */
export function readPlanHeader(line: string): PlanHeader | undefined {
  if (line.length > HEADER_LIMIT || !new RegExp(`^plan [1-9][0-9]{0,8}(?: (?:${WORD}))+$`).test(line)) return undefined;
  const [, format = '', ...quoted] = line.match(new RegExp(WORD, 'g')) ?? [];
  const [workflow, ...params] = quoted.flatMap(unquoted);
  if (workflow === undefined || params.length !== quoted.length - 1) return undefined;
  return { format: Number(format), words: [workflow, ...params] };
}

/** The variables of a plan whose values it hides. */
export function hiddenVariables(plan: Plan): string[] {
  const isSecret = secretNames(plan);
  const loaded = plan.frames.flatMap(({ dotenv = [] }) => dotenv.flatMap(({ vars }) => vars));
  const set = plan.frames.flatMap(({ vars, inputs = [] }) => [
    ...vars.flatMap(([name, value]) => (value === '' ? [] : name)),
    ...inputs.flatMap((input) => (input.default ? input.name : [])),
  ]);
  return [
    ...new Set([...set, ...[...loaded, ...plan.params].flatMap(([name, value]) => (value === '' ? [] : name))]),
  ].filter((name) => isSecret(name));
}

function headerWord(text: string): string {
  return /^[A-Za-z0-9._:/=-]+$/.test(text) ? text : JSON.stringify(text);
}

/** A word of a header; none if its quotes hold no JSON. */
function unquoted(word: string): string[] {
  if (!word.startsWith('"')) return [word];
  try {
    const text: unknown = JSON.parse(word);
    return typeof text === 'string' ? [text] : [];
  } catch {
    // A malformed escape.
    return [];
  }
}
