import type { LoadedFile } from '../cli/driver/load.ts';
import type { SourceText, WorkflowFile } from '../frontend/ast.ts';
import type { Owner } from '../frontend/diagnostics/diagnostic.ts';
import { commandsOf as ownedCommands, stepsOf } from '../frontend/lint/scopes.ts';
import { testOf } from '../ir/compile/condition_test.ts';
import { isOriginal, placeIn } from './places.ts';
import type { Command } from './types.ts';

/** A text for the shell, with its step or hook. */
type FoundCommand = Readonly<{ kind: Command['kind']; text: SourceText; owner: Owner; name: string }>;

/** The texts of a file for the shell: those of the file, then those of each included file once, by position. */
export function commandsOf({ file, source }: LoadedFile): readonly Command[] {
  if (file === undefined) return [];
  const files = [source, ...source.included];
  return [...textsOf(file)]
    .filter(({ text }) => isOriginal(source, text.range.start))
    .toSorted((one, other) => one.text.range.start - other.text.range.start)
    .map(({ kind, text, owner, name }): Command => {
      const { workflow, step = null } = owner;
      return Object.assign(placeIn(files, text.range), { kind, workflow, step, name, command: text.text });
    });
}

function* textsOf(file: WorkflowFile): Generator<FoundCommand> {
  for (const [text, owner, name] of ownedCommands(file)) {
    if (owner.step === undefined) yield { kind: 'hook', text, owner, name: name.replace('hook:', '') };
    else yield { kind: 'step', text, owner, name };
  }
  for (const { step, owner } of stepsOf(file)) {
    const { name, condition: text } = step;
    if (text !== undefined && testOf(text.text, []).kind === 'command') yield { kind: 'condition', text, owner, name };
  }
}
