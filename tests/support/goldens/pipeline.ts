import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import * as v from 'valibot';
import { cliWithAnnouncements, folder, ROOT, type Finished } from '../cli.ts';
import { ONLY_PATH } from '../environment.ts';
import { argvOf, type Case } from './goldens.ts';

/** One for all calls, or a list of which each call takes the next. */
const ByCall = <Shape extends v.GenericSchema>(
  shape: Shape,
): v.UnionSchema<[Shape, v.ArraySchema<Shape, undefined>], undefined> => v.union([shape, v.array(shape)]);

const Answer = v.strictObject({
  /** The program and the first of its arguments, with a blank between them. */
  call: v.string(),
  /** The runs that get this answer, from 1; without it all of them do. */
  runs: v.optional(v.array(v.number())),
  stdout: v.optional(ByCall(v.string())),
  /** In place of `stdout`, to be written as JSON; of large numbers only a text keeps the digits. */
  json: v.optional(v.unknown()),
  stderr: v.optional(ByCall(v.string())),
  exit: v.optional(ByCall(v.number())),
  delay_ms: v.optional(ByCall(v.number())),
});

/** What surrounds a pipeline, `answers.json`. */
const World = v.strictObject({
  /** The programs that have a stand-in; every other one is the system's. */
  programs: v.array(v.string()),
  env: v.optional(v.record(v.string(), v.string()), {}),
  /** Folders to make, and files with their texts. */
  folders: v.optional(v.array(v.string()), []),
  files: v.optional(v.record(v.string(), v.string()), {}),
  answers: v.array(Answer),
});

const STAND_IN = join(ROOT, 'tests/support/goldens/stand_in.mjs');

/** A pipeline in a folder of its own, with stand-ins for the programs that it calls. */
export interface Sandbox {
  readonly cwd: string;
  /** The programs that have a stand-in. */
  readonly programs: readonly string[];
  /** Runs `cli workflow …`, and gives what it left, with the sandbox's path as `<sandbox>`. */
  readonly workflow: (...words: readonly string[]) => Promise<Finished>;
  /** The calls of stand-ins so far, a line each: name, arguments, working directory. */
  readonly calls: () => string;
}

/** The command lines of a case: words a line each, and an empty line between two runs. */
export function runsOf(given: Case): string[][] {
  return argvOf(given)
    .join('\n')
    .split('\n\n')
    .map((run) => run.split('\n'));
}

/** Makes the sandbox for one run of a case; runs count from 1. */
export function sandbox(t: TestContext, given: Case, run: number): Sandbox {
  const read = (name: string): string => readFileSync(join(given.folder, name), 'utf8');
  const world = v.parse(World, JSON.parse(read('answers.json')));
  const answers = world.answers.filter(({ runs }) => runs?.includes(run) ?? true);
  const files = Object.entries({ ...world.files, '.cli/workflow.json': read(given.file) });
  const inside = Object.fromEntries(files.map(([name, text]) => [`work/${name}`, text]));
  // Working directories are told without links, which a temporary folder has on some systems.
  const home = realpathSync(folder(t, { ...inside, 'answers.json': JSON.stringify(answers) }));
  const [bin, cwd] = [join(home, 'bin'), join(home, 'work')];
  mkdirSync(bin);
  for (const program of world.programs) symlinkSync(STAND_IN, join(bin, program));
  for (const name of world.folders) mkdirSync(join(cwd, name), { recursive: true });
  const env = { ...ONLY_PATH, ...world.env, PATH: [bin, ONLY_PATH['PATH']].join(delimiter) };
  const shown = (text: string): string => text.replaceAll(cwd, '<sandbox>');
  return {
    cwd,
    programs: world.programs,
    workflow: async (...words) => {
      const finished = await cliWithAnnouncements(['workflow', ...words], { cwd, env });
      return { ...finished, stdout: shown(finished.stdout), stderr: shown(finished.stderr) };
    },
    calls: () => {
      const log = join(home, 'calls.txt');
      return existsSync(log) ? shown(readFileSync(log, 'utf8')) : '';
    },
  };
}
