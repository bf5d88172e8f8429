import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOutputs } from '../../src/backend/outputs/read_outputs.ts';
import { mutate } from '../support/random/mutate.ts';
import { random, SEED, type Random } from '../support/random/random.ts';

type Segment = string | number;

/** A JSON value as the tokens that it is written with, and what stands in it. */
interface Written {
  readonly tokens: readonly string[];
  /** What a variable gets; undefined if it can have none. */
  readonly value: string | undefined;
  readonly children: ReadonlyMap<Segment, Written>;
}

const NUMBERS = ['0', '-0', '7', '1.0', '-12.50', '1e400', '2E-7', '12345678901234567890', '0.10000000000000000001'];
const NAMES = ['a', 'b', '', 'é😀', '"', '\\', '__proto__', '0', 'a b'];
const CHARACTERS = ['a', ' ', '"', '\\', '/', '\n', '{', ']', ',', 'é', '😀', '\u2028', '\u007f'];

function randomJson(source: Random, depth: number): Written {
  const children = new Map<Segment, Written>();
  const count = source.below(5);
  switch (source.below(depth === 0 ? 3 : 6)) {
    case 0:
      return plain(source.pick(NUMBERS));
    case 1:
      return source.chance(0.2) ? { ...plain('null'), value: undefined } : plain(source.pick(['true', 'false']));
    case 2: {
      const text = Array.from({ length: source.below(6) }, () => source.pick(CHARACTERS)).join('');
      return { ...plain(quoted(text, source)), value: text };
    }
    case 3: {
      const items = Array.from({ length: count }, () => randomJson(source, depth - 1));
      for (const [index, item] of items.entries()) children.set(index, item).set(index - count, item);
      return container(
        ['[', ']'],
        items.map(({ tokens }) => tokens),
        children,
      );
    }
    default: {
      const members = Array.from({ length: count }, () => {
        const [name, member] = [source.pick(NAMES), randomJson(source, depth - 1)];
        children.set(name, member);
        return [quoted(name, source), ':', ...member.tokens];
      });
      return container(['{', '}'], members, children);
    }
  }
}

function plain(token: string): Written {
  return { tokens: [token], value: token, children: new Map() };
}

/** Puts commas between the items of a container. */
function container(
  [open, close]: readonly [string, string],
  items: readonly (readonly string[])[],
  children: Written['children'],
): Written {
  const inside = items.flatMap((tokens, index) => (index === 0 ? tokens : [',', ...tokens]));
  const tokens = [open, ...inside, close];
  return { tokens, value: tokens.join(''), children };
}

/** A string in one of its many spellings. */
function quoted(text: string, source: Random): string {
  const characters = Array.from(text, (character) => {
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    if (source.chance(0.2)) return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
    if (character === '/' && source.chance(0.5)) return '\\/';
    return JSON.stringify(character).slice(1, -1);
  });
  return `"${characters.join('')}"`;
}

/** Some way down into a value, at times one step too far. */
function randomPath(
  source: Random,
  root: Written,
): { readonly path: readonly Segment[]; readonly end: Written | undefined } {
  const path: Segment[] = [];
  let end: Written | undefined = root;
  while (end !== undefined && source.chance(0.7)) {
    const segment: Segment = source.pick([...end.children.keys(), source.pick(NAMES), source.below(10) - 5]);
    path.push(segment);
    end = end.children.get(segment);
  }
  return { path, end };
}

function withBlanks(tokens: readonly string[], source: Random): string {
  const blank = (): string => (source.chance(0.8) ? '' : source.pick([' ', '\t\t', '\n', '\r\n']));
  return tokens.map((token) => blank() + token + blank()).join('');
}

test(`values are picked from any JSON as it is written (FUZZ_SEED=${SEED})`, () => {
  for (let seed = SEED; seed < SEED + 5000; seed += 1) {
    const source = random(seed);
    const root = randomJson(source, 5);
    const text = withBlanks(root.tokens, source);
    const { path, end } = randomPath(source, root);
    const read = readOutputs(Buffer.from(text), [['A', path]]);
    const value = read.ok ? read.values[0]?.[1] : undefined;
    assert.equal(value, end?.value, `FUZZ_SEED=${seed} repeats it: ${JSON.stringify(path)} in ${text}`);
  }
});

/** What the platform makes of a text: nothing if it is no JSON in UTF-8. */
function parse(bytes: Buffer): readonly [unknown?] {
  try {
    return [JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))];
  } catch {
    return [];
  }
}

test(`a text is one JSON text if JSON.parse says so, and compact it is the same value (FUZZ_SEED=${SEED})`, () => {
  const verdicts = new Set<boolean>();
  for (let seed = SEED; seed < SEED + 5000; seed += 1) {
    const source = random(seed);
    const written = Buffer.from(withBlanks(['[', ...randomJson(source, 4).tokens, ']'], source));
    const bytes = source.chance(0.1) ? written : mutate(written, source);
    const again = `FUZZ_SEED=${seed} repeats it: ${JSON.stringify(bytes.toString('latin1'))}`;
    const [parsed] = parse(bytes);
    const read = readOutputs(bytes, [['A', []]]);
    const isJson = read.ok || read.problems[0]?.startsWith('standard output') !== true;
    assert.equal(isJson, parsed !== undefined, again);
    verdicts.add(isJson);
    const value = read.ok ? read.values[0]?.[1] : undefined;
    if (value === undefined) continue;
    assert.deepEqual(typeof parsed === 'string' ? value : JSON.parse(value), parsed, again);
  }
  assert.equal(verdicts.size, 2);
});
