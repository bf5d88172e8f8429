import { isUtf8 } from 'node:buffer';
import { formatJsonPath } from '../../ir/views/format_json_path.ts';
import type { JsonPath, Output } from '../../frontend/schema/option_fields.ts';
import type { Variable } from '../../ir/plan.ts';
import { JsonText } from './json_text.ts';
import { grouped } from '../../base/keys.ts';
import { failure, type Result } from '../../base/result.ts';
import type { OutputsResult } from '../command_runner.ts';
import { withoutEnd } from './text_of_output.ts';

/** An output that is one value of a JSON text. */
type PathOutput = readonly [name: string, path: JsonPath];

/** Outputs whose paths lead to or through a value, `depth` segments from the root. */
type Group = Readonly<{ value: number; depth: number; outputs: readonly PathOutput[] }>;

/** The value of a path segment, or the reason why there is none. */
type Child = Readonly<{ segment: string | number; found: number | string }>;

/**
 * Reads the outputs of a step from its standard output, which must be one JSON text if any output has a path.
 *
 * The value of a string is its text. Numbers and booleans stay as written, and so do objects and arrays, without the
 * blanks between their tokens. Null and missing values are problems. No problem quotes the text, which may be secret.
 * However many outputs there are, each part of the text is read at most twice per level of a path.
 */
export function readOutputs(stdout: Buffer, outputs: readonly Output[]): OutputsResult {
  const withPath = outputs.filter(hasPath);
  const json = withPath.length === 0 ? undefined : new JsonText(stdout);
  if (json?.problem !== undefined) return noOutputs(withPath, `standard output is not one JSON text: ${json.problem}`);
  const picked = json === undefined ? new Map<Output, Result<string>>() : pickAll(json, withPath);
  const text = withPath.length === outputs.length ? undefined : wholeText(stdout);
  const values: Variable[] = [];
  const problems: string[] = [];
  for (const output of outputs) {
    const found = hasPath(output) ? picked.get(output) : text;
    if (found?.ok === true) values.push([output[0], found.value]);
    else if (found !== undefined)
      problems.push(...found.problems.map((problem) => `output '${output[0]}': ${problem}`));
  }
  return problems.length === 0 ? { ok: true, values } : { ok: false, problems };
}

/** The text, number or boolean at a path in a JSON text; undefined if there is none. */
export function readScalar(stdout: Buffer, path: JsonPath): string | undefined {
  const json = new JsonText(stdout);
  if (json.problem !== undefined) return undefined;
  const output: PathOutput = ['', path];
  const found = pickAll(json, [output], (value) => !/^(?:object|array)$/.test(json.kind(value))).get(output);
  return found?.ok === true ? found.value : undefined;
}

function hasPath(output: Output): output is PathOutput {
  return output[1] !== 'text';
}

/** The whole standard output, without the line breaks at its end. */
function wholeText(stdout: Buffer): Result<string> {
  if (!isUtf8(stdout)) return failure('standard output is not UTF-8');
  if (stdout.includes(0)) {
    return failure('standard output holds a NUL character, which no variable can hold');
  }
  return { ok: true, value: withoutEnd(stdout) };
}

/** The values of the outputs' paths, as far as they are allowed. */
function pickAll(
  json: JsonText,
  outputs: readonly PathOutput[],
  isAllowed: (value: number) => boolean = () => true,
): ReadonlyMap<Output, Result<string>> {
  const picked = new Map<Output, Result<string>>();
  const groups: Group[] = [{ value: json.root, depth: 0, outputs }];
  // The loop also visits elements that it adds to the list.
  for (const { value, depth, outputs: all } of groups) {
    const ended = all.filter(([, path]) => path.length === depth);
    const [first] = ended;
    const same = first === undefined || !isAllowed(value) ? undefined : pick(json, value, first);
    for (const output of ended) if (same !== undefined) picked.set(output, same);
    const further = bySegment(all, depth);
    for (const { segment, found } of childrenOf(json, value, [...further.keys()])) {
      const inside = further.get(segment) ?? [];
      if (typeof found === 'number') groups.push({ value: found, depth: depth + 1, outputs: inside });
      else for (const output of inside) picked.set(output, missing(output, depth, found));
    }
  }
  return picked;
}

/** The result of a step whose outputs all cannot be read for the same reason. */
export function noOutputs(outputs: readonly Output[], reason: string): OutputsResult {
  const names = outputs.map(([name]) => `'${name}'`).join(', ');
  return failure(`output${outputs.length === 1 ? '' : 's'} ${names}: ${reason}`);
}

/** Outputs by the path segment at a depth. Outputs with shorter paths are left out. */
function bySegment(outputs: readonly PathOutput[], depth: number): Map<string | number, PathOutput[]> {
  return grouped(
    outputs.filter(([, path]) => path.length > depth),
    ([, path]) => path[depth] ?? '',
  );
}

function missing([, path]: PathOutput, depth: number, why: string): Result<string> {
  const [parent, child] = [formatJsonPath(path.slice(0, depth)), formatJsonPath(path.slice(0, depth + 1))];
  return failure(`${child} is missing: ${parent} ${why}`);
}

function pick(json: JsonText, value: number, [, path]: PathOutput): Result<string> {
  const kind = json.kind(value);
  if (kind === 'null') return failure(`${formatJsonPath(path)} is null`);
  if (kind !== 'string') return { ok: true, value: json.compact(value) };
  const text = json.string(value);
  const flaw = text.includes('\0') ? 'a NUL character' : text.isWellFormed() ? undefined : 'an unpaired surrogate';
  if (flaw === undefined) return { ok: true, value: text };
  return failure(`${formatJsonPath(path)} holds ${flaw}, which no variable can hold`);
}

/** The child of a value for each segment. */
function childrenOf(json: JsonText, value: number, segments: readonly (string | number)[]): Child[] {
  const kind = json.kind(value);
  const names = segments.filter((segment) => typeof segment === 'string');
  const indexes = segments.filter((segment) => typeof segment === 'number');
  const wrong = (needed: string): string =>
    `is ${kind === 'null' ? kind : withArticle(kind)}, not ${withArticle(needed)}`;
  if (kind === 'object') {
    const found = names.length === 0 ? undefined : json.members(value, new Set(names));
    return [
      ...names.map((segment) => ({ segment, found: found?.get(segment) ?? 'has no such field' })),
      ...indexes.map((segment) => ({ segment, found: wrong('array') })),
    ];
  }
  const others = names.map((segment) => ({ segment, found: wrong('object') }));
  if (kind !== 'array') return [...others, ...indexes.map((segment) => ({ segment, found: wrong('array') }))];
  if (indexes.length === 0) return others;
  const length = json.length(value);
  const places = indexes.map((segment) => ({ segment, index: segment < 0 ? length + segment : segment }));
  const found = json.elements(value, new Set(places.map(({ index }) => index)));
  const has = `has ${length} element${length === 1 ? '' : 's'}`;
  return [...others, ...places.map(({ segment, index }) => ({ segment, found: found.get(index) ?? has }))];
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
