/* What an error suggests, applied to the file, removes the error. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { disk, parse } from '../../src/api.ts';
import type { Diagnostic } from '../../src/frontend/diagnostics/diagnostic.ts';
import { locatedMessage } from '../../src/frontend/diagnostics/diagnostic_message.ts';
import { sourceAt } from '../../src/frontend/diagnostics/source.ts';
import { diagnosticsOf } from '../../src/library/diagnostics.ts';
import { fixOf, type Fix } from '../../src/frontend/names/fixes.ts';
import { loadedProject } from '../../src/library/projects.ts';
import { ROOT } from '../support/cli.ts';

/** An error or a warning as `cli validate` finds it, with its text for people. */
type Found = Readonly<{ diagnostic: Diagnostic; message: string; fix: Fix | undefined; isOwn: boolean }>;

/** The errors and warnings of a file in a directory with its includes. */
function validated(text: string, directory = 'f'): readonly Found[] {
  const path = join(directory, 'workflow.json');
  const project = loadedProject(parse(text, { path, files: disk }));
  if (project.kind === 'unreadable') throw new Error(project.problem);
  const { source } = project.loaded;
  return diagnosticsOf(project, { strict: false, portable: false }).flatMap(
    ({ diagnostic: { file, line, column }, found }) => {
      if (found === null) return [];
      const { lines } = sourceAt(source, found.range.start);
      const text = locatedMessage(found, { file, line, column }, lines, true);
      const message = text.replace(/^.*? (?:error|warning): (?:workflow '.*?': )?/, '');
      return { diagnostic: found, message, fix: fixOf(found, lines), isOwn: file === path };
    },
  );
}

/** The text after a suggestion is applied; undefined if the message has none. */
function applied(text: string, { diagnostic, message, fix }: Found): string | undefined {
  const { code, range } = diagnostic;
  const replaced = (value: string, { start, end } = range): string => text.slice(0, start) + value + text.slice(end);
  const [, list] = /; put it in double quotes: (\[.*)$/.exec(message) ?? [];
  if (list !== undefined) {
    const [before, after] = [text.lastIndexOf('[', range.start), text.indexOf(']', range.end)];
    return text.slice(0, before) + list + text.slice(after + 1);
  }
  const [, example] = /[;?] for example (.*?)(?:; see: .*)?$/.exec(message) ?? [];
  if (example !== undefined) {
    if (code === 'missing field' || code === 'empty step')
      return `${text.slice(0, range.end)} ${example}, ${text.slice(range.end)}`;
    // The whole field: the value of that of another tool begins behind the key.
    if (code === 'unknown field')
      return text.slice(0, range.start) + text.slice(range.start).replace(FIELD, () => example);
    return replaced(example.replace(/^"[^"]*": /, ''));
  }
  if (fix !== undefined) return replaced(fix.text, fix.range);
  const [, name] = /; did you mean '([^']*)'(?: or '[^']*')?\?/.exec(message) ?? [];
  if (name !== undefined) return replaced(JSON.stringify(name));
  const [, value] = /(?:such as|or a command such as|write) (".*?"|\[ .* \]|\d+\w*)(?:,| |$)/.exec(message) ?? [];
  if (value === undefined) return undefined;
  return replaced(/^(?:"|\d+$)/.test(value) ? value : JSON.stringify(value));
}

/** A field with a value without objects in it. */
const FIELD = /^"[^"]*": (?:\{[^}]*\}|\[[^\]]*\]|"[^"]*"|\w+)/;

/** A file with one mistake, and the end of its message. */
const MISTAKES: readonly (readonly [text: string, message: string])[] = [
  ['{ "workflows": { "ci": ["make"] } }', '; for example "ci": { "steps": ["npm test"] }'],
  ['{ "workflows": { "ci": { "steps": [{ "name": "a" }] } } }', '; for example "run": "npm test"'],
  ['{ "workflows": { "ci": { "steps": [7] } } }', '; for example { "name": "test", "run": "npm test" }'],
  ['{ "env": ["A"], "workflows": {} }', '; for example "env": { "TARGET": "staging" }'],
  ['{ "dotenv": true, "workflows": {} }', '; for example "dotenv": ".env"'],
  ['{ "finally": 1, "workflows": {} }', '; for example "finally": "docker rm -f db"'],
  [
    '{ "workflows": { "ci": { "steps": [], "inputs": { "TRACK": "beta" } } } }',
    '; for example "TRACK": { "required": true }',
  ],
  [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "confirm": 1 }] } } }',
    'must be a question such as "Deploy to production?", or true, found a number',
  ],
  [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "timeout": 30 }] } } }',
    'must be a duration such as 500ms, 30s or 1h30m, at least 1ms and at most 24h; for example "timeout": "30s"',
  ],
  // The first number of a list shows the whole list, the others only themselves.
  [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "matrix": { "NODE": [20, "21", 22] } }] } } }',
    '\'matrix.NODE\' must be a string, found a number; put it in double quotes: ["20", "21", "22"]',
  ],
  [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "matrix": { "NODE": ["20", 21, 22] } }] } } }',
    '\'matrix.NODE\' must be a string, found a number; put it in double quotes: "22"',
  ],
  [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "matrix": { "NODE": [\n20,\n22] } }] } } }',
    '\'matrix.NODE\' must be a string, found a number; put it in double quotes: "20"',
  ],
  [
    '{ "workflows": { "ci": { "steps": [], "inputs": { "NODE": { "options": [20, true] } } } } }',
    '\'inputs.NODE.options\' must be a string, found a number; put it in double quotes: ["20", "true"]',
  ],
  // The example is that of the place: a step, a value by name, a field of an object.
  [
    '{ "secrets": { "A": { "command": ["b"] } }, "workflows": { "ci": { "steps": [{ "run": "a", "secrets": "A" }] } } }',
    '\'secrets\' must be an array, found a string; for example "secrets": ["A"]',
  ],
  [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "matrix": { "NODE": "20" } }] } } }',
    '\'matrix.NODE\' must be an array, found a string; for example "NODE": ["20"]',
  ],
  ['{ "include": { "a": 3 }, "workflows": {} }', '; for example "a": "ios/workflow.json"'],
  [
    '{ "secrets": { "A": "op read" }, "workflows": {} }',
    '; for example "A": { "command": ["op", "read", "op://ci/npm/token"] }',
  ],
  ['{ "secrets": { "A": { "command": "op" } }, "workflows": {} }', '; for example "command": ["pass", "slack"]'],
  ['{ "error": { "secrets": [] }, "workflows": {} }', 'missing \'error.run\' field; for example "run": "npm test"'],
  ['{ "workflows": { "ci": { "steps": [{ "run": "a", "retry": {} }] } } }', '; for example "max_attempts": 3'],
  [
    '{ "workflows": { "ci": { "steps": [{ "run": "" }] } } }',
    '\'run\' must not be blank; for example "run": "npm test"',
  ],
  ['{ "workflows": { "ci": { "steps": [{ "cmd": "a" }] } } }', "; did you mean 'run'? see: cli help file"],
  [
    '{ "workflows": { "ci": { "steps": [{ "cmd": "a", "run": "b" }] } } }',
    "'run' is already there; see: cli help file",
  ],
  ['{ "tasks": { "ci": { "steps": ["make"] } } }', "; did you mean 'workflows'? see: cli help file"],
  ['{ "default": 1, "workflows": {} }', "'default' must be a name (a string), found a number"],
  [
    '{ "workflows": { "ci": { "steps": [{ "workflow": false }] } } }',
    "'workflow' must be a name (a string), found a boolean",
  ],
  ['{ "workflows": { "ci": { "steps": [{ "workflow": "" }] } } }', "'workflow' must not be empty"],
  [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "secrets": [1] }] } } }',
    "'secrets[0]' must be a name (a string), found a number",
  ],
  ['{ "workflows": { "ci": { "steps": [{ "workflow": "c" }] } } }', "unknown workflow 'c'"],
  [
    '{ "workflows": { "ci": { "steps": [], "args": ["A"] } } }',
    `; did you mean 'inputs'? for example "inputs": { "VERSION": { "required": true } }; see: cli help file`,
  ],
  ['{ "workflows": { "ci": { "stepz": [] , "private": true } } }', "; did you mean 'steps'? see: cli help file"],
  [
    '{ "workflows": { "ci": { "matrix": {}, "steps": [] } } }',
    "unknown field 'matrix'; it is a field of a step; see: cli help file",
  ],
  [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "finally": "b" }] } } }',
    "unknown field 'finally'; it is a field of the file or of a workflow; see: cli help file",
  ],
];

for (const [text, end] of MISTAKES) {
  test(`an error says what would be right: ${end}`, () => {
    const messages = validated(text).map(({ message }) => message);
    assert.ok(
      messages.some((each) => each.endsWith(end)),
      messages.join('\n'),
    );
  });
}

const FIXTURES = ['invalid', 'warnings'].flatMap((group) =>
  readdirSync(join(ROOT, 'fixtures', group)).flatMap((name) => {
    const directory = join(ROOT, 'fixtures', group, name);
    const path = join(directory, 'workflow.json');
    return existsSync(path) ? [[readFileSync(path, 'utf8').replace(/^\uFEFF/, ''), directory] as const] : [];
  }),
);

/**
 * No example knows the files of the project, or the commands that get a secret. Of the references of other tools in a
 * command, the first one is reported.
 */
const EXPECTED: ReadonlySet<string> = new Set(['unreadable include', 'unused secret', 'foreign reference']);

function kindOf({ diagnostic: { code, owner } }: Found): string {
  return JSON.stringify([code, owner]);
}

test('a suggestion or an example in a message, applied to the file, removes the error and leads to no other', () => {
  const mistakes = MISTAKES.map(([text]) => [text, undefined] as const);
  const advice: string[] = [];
  let count = 0;
  for (const [text, directory] of [...mistakes, ...FIXTURES]) {
    const before = validated(text, directory);
    for (const found of before) {
      const changed = found.isOwn ? applied(text, found) : undefined;
      if (changed === undefined) continue;
      count += 1;
      const others = before.filter((other) => other !== found).map(kindOf);
      const added = validated(changed, directory).filter((other) => {
        const index = others.indexOf(kindOf(other));
        if (index >= 0) others.splice(index, 1);
        return index < 0 && !EXPECTED.has(other.diagnostic.code);
      });
      advice.push(...added.map((other) => `${directory ?? ''}: ${found.message}\n  → ${other.message}`));
    }
  }
  assert.deepEqual(advice, []);
  assert.ok(count > 100, String(count));
});
