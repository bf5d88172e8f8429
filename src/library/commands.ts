import type { LoadedFile } from '../cli/driver/load.ts';
import type { SourceText, WorkflowFile } from '../frontend/ast.ts';
import type { Owner } from '../frontend/diagnostics/diagnostic.ts';
import { FILE, stepsOf } from '../frontend/lint/scopes.ts';
import { testOf } from '../ir/compile/condition_test.ts';
import { isOriginal, placeIn } from './places.ts';
import type { Command } from './types.ts';

/** A text for the shell, with its step or hook. */
type FoundCommand = Readonly<{ kind: Command['kind']; text: SourceText; owner: Owner; name: string }>;

/** The texts of a file for the shell: those of the file, then those of each included file once, by position. */
export function commandsOf({ file, source }: LoadedFile): readonly Command[] {
  if (file === undefined) return [];
  const files = [source, ...source.included];
  return [...hooksOf(file), ...stepCommands(file)]
    .filter(({ text }) => isOriginal(source, text.range.start))
    .toSorted((one, other) => one.text.range.start - other.text.range.start)
    .map(({ kind, text, owner, name }): Command => {
      const { workflow, step = null } = owner;
      return Object.assign(placeIn(files, text.range), { kind, workflow, step, name, command: text.text });
    });
}

function* hooksOf(file: WorkflowFile): Generator<FoundCommand> {
  const { beforeAll, afterAll, error, finally: last } = file;
  yield* hook('before_all', beforeAll, FILE);
  yield* hook('after_all', afterAll, FILE);
  yield* hook('error', error, FILE);
  yield* hook('finally', last, FILE);
  for (const [workflow, own] of file.workflows) {
    yield* hook('error', own.error, { workflow });
    yield* hook('finally', own.finally, { workflow });
  }
}

function* hook(name: string, text: SourceText | undefined, owner: Owner): Generator<FoundCommand> {
  if (text !== undefined) yield { kind: 'hook', text, owner, name };
}

function* stepCommands(file: WorkflowFile): Generator<FoundCommand> {
  for (const { step, owner } of stepsOf(file)) {
    const { name, condition } = step;
    if (condition !== undefined && testOf(condition.text, []).kind === 'command') {
      yield { kind: 'condition', text: condition, owner, name };
    }
    if (step.kind === 'run') yield { kind: 'step', text: step.command, owner, name };
  }
}
