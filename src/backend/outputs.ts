import { pathText } from '../ir/path_text.ts';
import type { Output, Variable } from '../ir/plan.ts';
import { JsonText } from './json_text.ts';
import type { Outputs } from './port.ts';

/**
 * Reads the outputs of a step from what it wrote to standard output, which has to be one JSON text.
 *
 * A string becomes the value as it is; a number or boolean as it is written there; an object or array
 * too, but for the blanks between its parts. Null and what is missing are problems. No problem repeats
 * anything of the output, which may be secret.
 */
export function readOutputs(stdout: Buffer, outputs: readonly Output[]): Outputs {
  const json = new JsonText(stdout);
  if (json.problem !== undefined) {
    return { ok: false, problems: [`standard output is not one JSON text: ${json.problem}`] };
  }
  const values: Variable[] = [];
  const problems: string[] = [];
  for (const [variable, path] of outputs) {
    const picked = pick(json, path);
    if (picked.ok) values.push([variable, picked.value]);
    else problems.push(`output '${variable}': ${picked.problem}`);
  }
  return problems.length === 0 ? { ok: true, values } : { ok: false, problems };
}

type Picked = Readonly<{ ok: true; value: string } | { ok: false; problem: string }>;

function pick(json: JsonText, path: Output[1]): Picked {
  let value = json.root;
  for (const [depth, segment] of path.entries()) {
    const child = childOf(json, value, segment);
    if (typeof child === 'string') {
      const parent = pathText(path.slice(0, depth));
      return { ok: false, problem: `${pathText(path.slice(0, depth + 1))} is missing: ${parent} ${child}` };
    }
    value = child;
  }
  const kind = json.kind(value);
  if (kind === 'null') return { ok: false, problem: `${pathText(path)} is null` };
  if (kind !== 'string') return { ok: true, value: json.compact(value) };
  const text = json.string(value);
  const flaw = text.includes('\0') ? 'a NUL character' : text.isWellFormed() ? undefined : 'half of a surrogate pair';
  if (flaw === undefined) return { ok: true, value: text };
  return { ok: false, problem: `${pathText(path)} holds ${flaw}, which no variable can hold` };
}

/** The value that a segment leads to, or what keeps it from leading to one. */
function childOf(json: JsonText, value: number, segment: string | number): number | string {
  const kind = json.kind(value);
  const needed = typeof segment === 'string' ? 'object' : 'array';
  if (kind !== needed) return `is ${kind === 'null' ? kind : withArticle(kind)}, not ${withArticle(needed)}`;
  if (typeof segment === 'string') return json.member(value, segment) ?? 'has no such field';
  const { found, length } = json.element(value, segment);
  return found ?? `has ${length} element${length === 1 ? '' : 's'}`;
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
