import type { ImportedStep, ImportedVariables } from './imported.ts';

/** The patterns of the files that the commands of a workflow read and make. */
export type FileCheck = Readonly<{ sources: readonly string[]; generates: readonly string[] }>;

type Command = Extract<ImportedStep, { run: unknown }>;

/**
 * One step for all commands of a workflow, which is skipped while its files are up to date, and for a question before
 * them. Undefined if there is no command, or if one of the other steps is a call, a question, or has outputs.
 */
export function checkedStep(steps: readonly ImportedStep[], check: FileCheck): ImportedStep | undefined {
  const [question, ...rest] = steps;
  if (question === undefined || !('run' in question) || question.confirm === undefined) return command(steps, check);
  const step = question.run === ':' ? command(rest, check) : undefined;
  return step === undefined ? undefined : { ...step, confirm: question.confirm };
}

function command(steps: readonly ImportedStep[], check: FileCheck): Command | undefined {
  const commands = steps.flatMap((step) => ('run' in step && isPlain(step) ? [step] : []));
  const variables = commonVariables(commands);
  const [first] = commands;
  if (first === undefined || commands.length < steps.length || variables === undefined) return undefined;
  const isOne = commands.length === 1 && first.allow_failure === undefined;
  const lines = commands.flatMap(subshell);
  return {
    run: isOne ? first.run : lines.length === 1 ? lines.join('') : lines,
    ...(variables.size === 0 ? {} : { with: variables }),
    sources: check.sources,
    ...(check.generates.length === 0 ? {} : { generates: check.generates }),
  };
}

function isPlain({ confirm, outputs, dir, sources }: Command): boolean {
  return [confirm, outputs, dir, sources].every((field) => field === undefined);
}

/** The variables of all commands; undefined if two have different values for one. */
function commonVariables(commands: readonly Command[]): ImportedVariables | undefined {
  const all = new Map<string, string>();
  for (const [name, value] of commands.flatMap((command) => [...(command.with ?? [])])) {
    if ((all.get(name) ?? value) !== value) return undefined;
    all.set(name, value);
  }
  return all;
}

/**
 * A command as lines of a script, in a shell of its own. The script ends at the first command that fails, but inside of
 * a command only the last one of a list counts, unless it says otherwise.
 */
function subshell({ run, allow_failure: mayFail }: Command): string[] {
  const text = [run].flat().join('\n');
  const [first = '', ...rest] = text.split('\n');
  const begin = /[;\n]/.test(text) && mayFail !== true && !/^set -\w*e/.test(first) ? `(set +e; ${first}` : `(${first}`;
  const end = mayFail === true ? ') || true' : ')';
  // A comment, a backslash or a here-document would contain the bracket.
  const isClosed = rest.length === 0 && !/#|\\$|<</.test(first);
  return isClosed ? [`${begin}${end}`] : [begin, ...rest, end];
}

/** The pattern of exactly one path; undefined if none can be written. */
function literalPattern(path: string): string | undefined {
  if (path === '' || path.includes('${') || /\p{Cc}/u.test(path)) return undefined;
  return path.replaceAll(/[\\*?[{]|^!/g, String.raw`\$&`);
}

/** The patterns of some paths; undefined if one of them cannot be written. */
export function literalPatterns(paths: readonly string[]): string[] | undefined {
  const patterns = paths.flatMap((path) => literalPattern(path) ?? []);
  return patterns.length === paths.length ? patterns : undefined;
}
