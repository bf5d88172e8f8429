import { paramWord } from '../../base/param_word.ts';
import { NO_FLAGS } from '../../cli/command_line/flag_values.ts';
import type { Options } from '../../cli/command_line/parse_command_line.ts';
import type { ReadFile } from '../../cli/driver/load.ts';
import { DEFAULT_FILE } from '../../cli/command_line/default_file.ts';
import type { Io } from '../../cli/output/io.ts';
import type { LoadedProject } from '../projects.ts';

/** The options of a command about a workflow, without a command line. */
export function optionsFor(
  path: string,
  workflow: string,
  params: Readonly<Record<string, string>>,
  { assume = [], strict = false }: Partial<Pick<Options, 'assume' | 'strict'>> = {},
): Options {
  const words = [workflow, ...Object.entries(params).map(paramWord)];
  const named = { file: path, isFileNamed: path !== DEFAULT_FILE, isFound: true };
  return { ...NO_FLAGS, assume, strict, ...named, form: 'long', format: 'json', words, args: [] };
}

function die(): Promise<number> {
  throw new Error('the library ends no process');
}

/** The environment of a command that prints nothing. */
export function silentIo(env: Readonly<Record<string, string | undefined>>): Io {
  return { stdin: -1, stdout: -1, stderr: -1, env: { ...env }, die };
}

/** A project in place of the file that a command would read. */
export function readProjectFile(project: LoadedProject): ReadFile {
  if (project.kind === 'unreadable') return { ok: false, problems: [project.problem] };
  return { ok: true, value: project.loaded };
}

/** The path of the file of a project. */
export function pathOfProject(project: LoadedProject): string {
  return project.kind === 'unreadable' ? project.path : project.loaded.source.path;
}
