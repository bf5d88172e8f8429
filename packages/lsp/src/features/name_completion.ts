import { CompletionItemKind } from 'vscode-languageserver-types';
import { allowsOutputs, type Location } from '../../../../src/internal.ts';
import type { Spot } from '../model/names.ts';
import { isClosedString, type Edit } from './completion_edit.ts';
import type { Proposal } from './proposal.ts';
import { visibleSteps, visibleVariables } from './visible_names.ts';

/** Proposals for a name in a text. */
type NameCompletion = Readonly<{ proposals: readonly Proposal[]; edit: Edit }>;

/** Completes the name of a variable, step or output in a command, a condition or a value; undefined elsewhere. */
export function nameCompletions(spot: Spot, location: Location): NameCompletion | undefined {
  const { format, string, scope, isKey } = location;
  const { lines } = spot.file.part;
  const isShell = format.text === 'command' || format.text === 'condition';
  if (isKey || string === undefined || (!isShell && format.text !== 'value')) return undefined;
  const isClosed = isClosedString(lines.slice(string.start, string.end));
  const end = isClosed ? string.end - 1 : string.end;
  if (spot.offset <= string.start || spot.offset > end) return undefined;
  const before = lines.slice(string.start + 1, spot.offset);
  const after = lines.slice(spot.offset, end);
  const reference = /\$\{steps\.([^{}]*)$/.exec(before)?.[1];
  if (reference !== undefined) {
    if (!isShell && !allowsOutputs(scope)) return { proposals: [], edit: wordEdit(spot.offset, '', '', '') };
    return stepCompletion(spot, location, reference, after);
  }
  const [, vars] = isShell ? [] : (/\$\{vars\.(\w*)$/.exec(before) ?? []);
  const [, brace = '', shell] = isShell ? (/\$(\{?)(\w*)$/.exec(before) ?? []) : [];
  const partial = vars ?? shell;
  if (partial === undefined) return isShell && !isWord(format.text, before + after) ? NOTHING : undefined;
  const isBraced = vars !== undefined || brace !== '';
  const proposals = visibleVariables(spot, scope, !isShell).map((label) => {
    return { label, kind: CompletionItemKind.Variable };
  });
  return { proposals, edit: wordEdit(spot.offset, partial, /^\w*/.exec(after)?.[0] ?? '', closing(isBraced, after)) };
}

const NOTHING: NameCompletion = { proposals: [], edit: wordEdit(0, '', '', '') };

/** Whether a condition is a word, which is completed as a whole. */
function isWord(meaning: string | undefined, text: string): boolean {
  return meaning === 'condition' && /^\w*$/.test(text);
}

function stepCompletion(spot: Spot, { scope }: Location, reference: string, after: string): NameCompletion {
  const steps = visibleSteps(spot, scope);
  const named = steps
    .map((step) => ({ ...step, written: `${JSON.stringify(step.name).slice(1, -1)}.` }))
    .toSorted((one, other) => other.written.length - one.written.length)
    .find(({ written }) => reference.startsWith(written));
  if (named === undefined) {
    const rest = /^[^{}."\\]*/.exec(after)?.[0] ?? '';
    const proposals = steps.map(({ name }) => ({ label: name, kind: CompletionItemKind.Event }));
    return { proposals, edit: wordEdit(spot.offset, reference, rest, '') };
  }
  const partial = reference.slice(named.written.length);
  const proposals = named.outputs.map((label) => ({ label, kind: CompletionItemKind.Variable }));
  return { proposals, edit: wordEdit(spot.offset, partial, /^\w*/.exec(after)?.[0] ?? '', closing(true, after)) };
}

/** The brace that ends an expansion, unless something follows that does. */
function closing(isBraced: boolean, after: string): string {
  return isBraced && !/^\w*(?:\}|:?[-=?+#%/])/.test(after) ? '}' : '';
}

function wordEdit(offset: number, before: string, after: string, end: string): Edit {
  const range = { start: offset - before.length, end: offset + after.length };
  return (word) => ({ range, text: `${JSON.stringify(word).slice(1, -1)}${end}` });
}
