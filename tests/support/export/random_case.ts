import { random, type Random } from '../random/random.ts';
import { fileTexts } from '../random/random_file_text.ts';
import { PATHS, variables } from '../random/random_fields.ts';
import { randomFile } from '../random/random_file.ts';
import { nameIn, type HowToRun, type RandomSecret, type RandomStep } from '../random/random_file_types.ts';
import type { Answer, Answers } from './recorded.ts';

/** A random file, a command line for it, and the answers of its commands. */
export interface RandomCase {
  readonly files: Readonly<Record<string, string>>;
  readonly workflow: string;
  readonly params: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly directories: readonly string[];
  readonly answers: Answers;
  /** Whether the order of calls is defined, because no members run in parallel. */
  readonly isOrdered: boolean;
}

/** The programs that a random file calls, by the number of the command; `check` begins conditions. */
function programsOf(text: string): readonly string[] {
  return [...new Set(['check', ...Array.from(text.matchAll(/command (\d+)/g), ([, number = '']) => number)])];
}

/** Standard outputs that contain the values of the paths of random files, and some that do not. */
const TEXTS = [
  '{"a": ["x"], "odd name": [1, 2.50]}',
  '{"a": [ {"b" : "\\u00e9", "c": [1e400, 12345678901234567890]} ], "odd name": ["\\"q\\" $A `b`\\n"]}',
  '{"a": [true], "odd name": [[], {}]}',
  '{"a": [""], "odd name": ["\\ud83d\\ude00 ž"]}',
  '{"a": [null]}',
  'no JSON',
];

const SECRETS = ['S_1', 'S_2', 'S_3'];
/** The programs that print them. */
const PROVIDERS = ['provider_1', 'provider_2'];

const SHORT = { text: '3ms', milliseconds: 3, shown: '3ms' };
const LONG = { text: '1h', milliseconds: 3_600_000, shown: '1h' };

/** Creates a random case that does not depend on timing. */
export function randomCase(seed: number): RandomCase {
  const source = random(seed);
  const file = randomFile(source, { references: source.chance(0.7), includes: true, background: true });
  const secrets = source.chance(0.75) ? SECRETS.map((name) => randomSecret(name, source)) : [];
  const quick = {
    ...file,
    secrets,
    workflows: file.workflows.map((each) => ({ ...each, steps: each.steps.map(withShortTimes) })),
  };
  const files = fileTexts(quick, source);
  const programs = [...programsOf(Object.values(files).join('\n')), ...PROVIDERS];
  const { isOrdered } = file;
  const workflow = nameIn(file, source.below(file.workflows.length));
  return {
    files,
    workflow,
    isOrdered,
    params: variables(source).map(([name, value]) => `${name}:${value}`),
    env: Object.fromEntries([
      ...variables(source).filter(([name]) => name !== '__proto__'),
      ...secrets.filter(() => source.chance(0.4)).map(({ name }) => [name, source.pick(['', 'given', ' a\nb ', '$A'])]),
    ]),
    directories: ['sub', '$A', 'ž "b"'].filter(() => source.chance(0.7)),
    answers: answers(programs, source, !isOrdered),
  };
}

/** Several secrets may have the same list of arguments. */
function randomSecret(name: string, source: Random): RandomSecret {
  const argument = source.pick([[], [], ['$A `id`'], ['ž ${vars.P:-none}'], ['', '${vars.Q:-} "']]);
  const value = source.chance(0.3) ? source.pick(PATHS) : undefined;
  return { name, command: [source.pick(PROVIDERS), ...argument], value };
}

function withShortTimes(step: RandomStep): RandomStep {
  if (step.kind === 'group') return { ...step, members: step.members.map(withShortTimes) };
  if (step.kind !== 'run') return step;
  const { retry, timeout } = step;
  const times: HowToRun = {
    ...(retry === undefined ? {} : { retry: { ...retry, delay: SHORT } }),
    ...(timeout === undefined ? {} : { timeout: LONG }),
  };
  return { ...step, ...times };
}

/** The answers of programs. If they are all alike, they do not depend on the number of the call. */
function answers(programs: readonly string[], source: Random, alike: boolean): Answers {
  return new Map(
    programs.map((name) => {
      const answer = (): Answer => ({
        text: source.chance(0.9) ? source.pick(source.chance(0.9) ? TEXTS.slice(0, 4) : TEXTS) : '',
        code: source.chance(name === 'check' ? 0.4 : 0.1) ? source.pick([1, 3, 124, 126, 127, 255]) : 0,
      });
      const first = answer();
      return [name, Array.from({ length: 20 }, (_, call) => (alike || call === 0 ? first : answer()))];
    }),
  );
}
