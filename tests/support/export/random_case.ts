import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { random, type Random } from '../random/random.ts';
import { fileText } from '../random/random_file_text.ts';
import { randomFile, variables, type HowToRun, type RandomStep } from '../random/random_file.ts';
import type { Answers } from './recorded.ts';

/** A random file, a command line for it, and what its commands do. */
export interface RandomCase {
  readonly text: string;
  readonly workflow: string;
  readonly params: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly directories: readonly string[];
  readonly programs: readonly string[];
  readonly answers: Answers;
  /** Whether the calls have one order: no members run side by side. */
  readonly isOrdered: boolean;
}

/** The programs that a random file calls, by the number of the command; `check` begins conditions. */
function programsOf(text: string): readonly string[] {
  return [...new Set(['check', ...Array.from(text.matchAll(/command (\d+)/g), ([, number = '']) => number)])];
}

/** Standard outputs that have the values of the paths of random files, and some that do not. */
const TEXTS = [
  '{"a": ["x"], "odd name": [1, 2.50]}',
  '{"a": [ {"b" : "\\u00e9", "c": [1e400, 12345678901234567890]} ], "odd name": ["\\"q\\" $A `b`\\n"]}',
  '{"a": [true], "odd name": [[], {}]}',
  '{"a": [""], "odd name": ["\\ud83d\\ude00 ž"]}',
  '{"a": [null]}',
  'no JSON',
];

const SHORT = { text: '3ms', milliseconds: 3, shown: '3ms' };
const LONG = { text: '1h', milliseconds: 3_600_000, shown: '1h' };

/** Makes a random case; nothing in it depends on how long anything takes. */
export function randomCase(seed: number): RandomCase {
  const source = random(seed);
  const file = randomFile(source, source.chance(0.7));
  const quick = {
    ...file,
    workflows: file.workflows.map((each) => ({ ...each, steps: each.steps.map(withShortTimes) })),
  };
  const { text, isOrdered } = withGroups(fileText(quick, source), source);
  const workflow = source.pick(file.workflows).name;
  return {
    text,
    workflow,
    isOrdered,
    params: variables(source).map(([name, value]) => `${name}:${value}`),
    env: Object.fromEntries(variables(source).filter(([name]) => name !== '__proto__')),
    directories: ['sub', '$A', 'ž "b"'].filter(() => source.chance(0.7)),
    programs: programsOf(text),
    answers: answers(programsOf(text), source, !isOrdered),
  };
}

function withShortTimes(step: RandomStep): RandomStep {
  if (step.kind !== 'run') return step;
  const { retry, timeout } = step;
  const times: HowToRun = {
    ...(retry === undefined ? {} : { retry: { ...retry, delay: SHORT } }),
    ...(timeout === undefined ? {} : { timeout: LONG }),
  };
  return { ...step, ...times };
}

/** The answers of programs; if they are all alike, they do not depend on the number of the call. */
function answers(programs: readonly string[], source: Random, alike: boolean): Answers {
  const stdout = new Map<string, string>();
  const codes = new Map<string, number>();
  for (const name of programs) {
    const number = (): readonly [text: string | undefined, code: number | undefined] => [
      source.chance(0.9) ? source.pick(source.chance(0.9) ? TEXTS.slice(0, 4) : TEXTS) : undefined,
      source.chance(name === 'check' ? 0.4 : 0.1) ? source.pick([1, 3, 124, 126, 127, 255]) : undefined,
    ];
    const first = number();
    for (let call = 0; call < 20; call += 1) {
      const [text, code] = alike || call === 0 ? first : number();
      if (text !== undefined) stdout.set(`${name}.${call}`, text);
      if (code !== undefined) codes.set(`${name}.${call}`, code);
    }
  }
  return { stdout, codes };
}

/** An insertion into a text. */
interface Insertion {
  readonly offset: number;
  readonly text: string;
}

const INPUTS = [
  '"A": {"type": "boolean"}',
  '"B": {"default": "x y"}',
  '"_c": {"type": "choice", "options": ["x", "$A", "a=b:c"]}',
  '"D9": {"required": true}',
  '"A": {"type": "boolean", "default": true}',
];

/** A file with some of its steps in groups, and with inputs in some of its workflows. */
function withGroups(text: string, source: Random): { text: string; isOrdered: boolean } {
  const isOrdered = source.chance(0.7);
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  const root = parseTree(text.slice(start), [], { allowTrailingComma: true });
  const insertions: Insertion[] = [];
  const workflows = root === undefined ? [] : (findNodeAtLocation(root, ['workflows'])?.children ?? []);
  for (const { children: [, workflow] = [] } of workflows) {
    if (workflow === undefined) continue;
    if (source.chance(0.15)) {
      const inputs = `"inputs": {${source.pick(INPUTS)}},`;
      insertions.push({ offset: workflow.offset + 1, text: inputs });
    }
    const steps = findNodeAtLocation(workflow, ['steps'])?.children ?? [];
    if (steps.length === 0 || !source.chance(0.35)) continue;
    const from = source.below(steps.length);
    const to = from + source.below(Math.min(4, steps.length - from));
    const [first, last] = [steps[from], steps[to]];
    if (first === undefined || last === undefined) continue;
    const options = isOrdered ? `, "max_parallel": 1${source.chance(0.4) ? ', "fail_fast": true' : ''}` : '';
    const grouped = source.chance(0.3) ? ', "output": "grouped"' : '';
    insertions.push(
      { offset: first.offset, text: '{"parallel": [' },
      { offset: last.offset + last.length, text: `]${options}${grouped}}` },
    );
  }
  return { text: insertAll(text, start, insertions), isOrdered };
}

function insertAll(text: string, start: number, insertions: readonly Insertion[]): string {
  let result = text;
  for (const { offset, text: added } of insertions.toSorted((one, other) => other.offset - one.offset)) {
    result = `${result.slice(0, start + offset)}${added}${result.slice(start + offset)}`;
  }
  return result;
}
