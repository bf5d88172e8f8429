import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import * as v from 'valibot';
import { temporaryDirectory, ROOT, type CommandResult } from '../cli.ts';
import { ONLY_PATH } from '../environment.ts';
import { inProcess, quickCliWithAnnouncements } from '../in_process.ts';
import { argvOf, type Case } from './goldens.ts';

/** One value for all calls, or a list with one value per call. */
const ByCall = <Shape extends v.GenericSchema>(
  shape: Shape,
): v.UnionSchema<[Shape, v.ArraySchema<Shape, undefined>], undefined> => v.union([shape, v.array(shape)]);

const Answer = v.strictObject({
  /** The program and its first arguments, separated by spaces. */
  call: v.string(),
  /** The numbers of the runs with this answer, from 1. Default: all runs. */
  runs: v.optional(v.array(v.number())),
  stdout: v.optional(ByCall(v.string())),
  /** A value printed as JSON in place of `stdout`. Only `stdout` keeps all digits of large numbers. */
  json: v.optional(v.unknown()),
  stderr: v.optional(ByCall(v.string())),
  exit: v.optional(ByCall(v.number())),
  delay_ms: v.optional(ByCall(v.number())),
});

/** The environment of a pipeline, `answers.json`. */
const World = v.strictObject({
  /** The programs with a stand-in. All others are those of the system. */
  programs: v.array(v.string()),
  env: v.optional(v.record(v.string(), v.string()), {}),
  /** Directories to create, and files with their texts. */
  directories: v.optional(v.array(v.string()), []),
  files: v.optional(v.record(v.string(), v.string()), {}),
  answers: v.array(Answer),
  /** The numbers of the runs whose calls are compared in alphabetical order, because members of a group call in any order. */
  sorted: v.optional(v.array(v.number()), []),
});

/** Follows each word of `$call` in stand-ins. */
const SEPARATOR = '\u001F';

const STAND_IN = join(ROOT, 'tests/support/goldens/stand_in.bash');

const quoted = (text: string | number): string => `'${String(text).replaceAll("'", String.raw`'\''`)}'`;

/** A bash script that sets the answers of stand-ins: those of the first answer whose words start `$call`. */
function answersFor(answers: readonly v.InferOutput<typeof Answer>[]): string {
  const branches = answers.map(({ call, stdout, json, stderr, exit, delay_ms: delay }, number) => {
    const output = stdout ?? (json === undefined ? '' : `${JSON.stringify(json)}\n`);
    const seconds = [delay ?? 0].flat().map((milliseconds) => milliseconds / 1000);
    const lists = { stdout: [output].flat(), stderr: [stderr ?? ''].flat(), codes: [exit ?? 0].flat(), seconds };
    const length = Math.max(...Object.values(lists).map((list) => list.length));
    const set = Object.entries(lists).map(([name, list]) => {
      const filled = Array.from({ length }, (_, attempt) => list[Math.min(attempt, list.length - 1)] ?? '');
      return `${name}=(${filled.map(quoted).join(' ')})`;
    });
    return `${quoted(`${call.replaceAll(' ', SEPARATOR)}${SEPARATOR}`)}*) answer=${number} ${set.join(' ')} ;;\n`;
  });
  return `answer=\ncase $call in\n${branches.join('')}esac\n`;
}

/** A pipeline in a temporary directory, with stand-ins for the programs that it calls. */
export interface Sandbox {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The programs with a stand-in. */
  readonly programs: readonly string[];
  /** Runs `cli workflow …`. The path of the sandbox is `<sandbox>` in its output. */
  readonly workflow: (...words: readonly string[]) => Promise<CommandResult>;
  /** The same in the process of the tests, for commands that start no process. */
  readonly view: (...words: readonly string[]) => Promise<CommandResult>;
  /** The calls of stand-ins so far, one per line: name, arguments, working directory. */
  readonly calls: () => string;
}

/** The command lines of a case: one argument per line, and an empty line between two runs. */
export function runsOf(given: Case): string[][] {
  return argvOf(given)
    .join('\n')
    .split('\n\n')
    .map((run) => run.split('\n'));
}

/** Creates the sandbox for a run of a case. The first run is 1. */
export function sandbox(t: TestContext, given: Case, run: number): Sandbox {
  const read = (name: string): string => readFileSync(join(given.directory, name), 'utf8');
  const world = v.parse(World, JSON.parse(read('answers.json')));
  const answers = world.answers.filter(({ runs }) => runs?.includes(run) ?? true);
  const files = Object.entries({ ...world.files, '.cli/workflow.json': read(given.file) });
  const inside = Object.fromEntries(files.map(([name, text]) => [`work/${name}`, text]));
  // Calls print their working directory without links, which a temporary directory contains on some systems.
  const home = realpathSync(temporaryDirectory(t, { ...inside, 'answers.bash': answersFor(answers) }));
  const [bin, cwd] = [join(home, 'bin'), join(home, 'work')];
  mkdirSync(bin);
  // The workflow files that the case includes.
  const included = join(given.directory, 'files');
  if (existsSync(included)) cpSync(included, join(cwd, '.cli/files'), { recursive: true });
  for (const program of world.programs) symlinkSync(STAND_IN, join(bin, program));
  for (const name of world.directories) mkdirSync(join(cwd, name), { recursive: true });
  const env = { ...ONLY_PATH, ...world.env, PATH: [bin, ONLY_PATH['PATH']].join(delimiter) };
  const shown = (text: string): string => text.replaceAll(cwd, '<sandbox>');
  return {
    cwd,
    env,
    programs: world.programs,
    workflow: async (...words) => {
      const finished = await quickCliWithAnnouncements(['workflow', ...words], { cwd, env });
      return { ...finished, stdout: shown(finished.stdout), stderr: shown(finished.stderr) };
    },
    view: (...words) => inProcess(t, ['workflow', ...words], { cwd, env }),
    calls: () => {
      const log = join(home, 'calls.txt');
      const text = existsSync(log) ? shown(readFileSync(log, 'utf8')) : '';
      return text !== '' && world.sorted.includes(run) ? `${text.trimEnd().split('\n').toSorted().join('\n')}\n` : text;
    },
  };
}
