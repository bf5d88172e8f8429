/* What an error suggests, applied to the file, removes the error. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Diagnostic } from '../../src/frontend/diagnostics/diagnostic.ts';
import { locatedMessage } from '../../src/frontend/diagnostics/message.ts';
import { readWorkflowFile } from '../../src/frontend/parse.ts';
import { ROOT } from '../support/cli.ts';

type Read = Readonly<{ diagnostics: readonly Diagnostic[]; message: (diagnostic: Diagnostic) => string }>;

async function read(text: string): Promise<Read> {
  const { errors, warnings, lines } = await readWorkflowFile(Buffer.from(text));
  const place = { file: 'f', line: 1, column: 1 };
  return {
    diagnostics: [...errors.items, ...warnings.items],
    message: (diagnostic) =>
      locatedMessage(diagnostic, place, lines, true).replace(/^.*? (?:error|warning): (?:workflow '.*?': )?/, ''),
  };
}

/** The text after a suggestion is applied; undefined if the message has none. */
function applied(text: string, { code, range }: Diagnostic, message: string): string | undefined {
  const replaced = (value: string): string => text.slice(0, range.start) + value + text.slice(range.end);
  const [, name] = /; did you mean '([^']*)'(?: or '[^']*')?\?/.exec(message) ?? [];
  if (name !== undefined && code !== 'ignored field') return replaced(JSON.stringify(name));
  const [, quoted] = /; put it in double quotes: (.*)$/.exec(message) ?? [];
  if (quoted?.startsWith('[')) {
    const [before, after] = [text.lastIndexOf('[', range.start), text.indexOf(']', range.end)];
    return text.slice(0, before) + quoted + text.slice(after + 1);
  }
  if (quoted !== undefined) return replaced(quoted);
  const [, example] = /; for example (.*)$/.exec(message) ?? [];
  if (example !== undefined) {
    if (code === 'missing field' || code === 'empty step')
      return `${text.slice(0, range.end)} ${example}, ${text.slice(range.end)}`;
    return replaced(example.replace(/^"[^"]*": /, ''));
  }
  const [, value] = /(?:such as|or a command such as|write) (".*?"|\[ .* \]|\d+\w*)(?:,| |$)/.exec(message) ?? [];
  if (value === undefined) return undefined;
  return replaced(/^(?:"|\d+$)/.test(value) ? value : JSON.stringify(value));
}

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
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "secrets": "A" }] } } }',
    '\'secrets\' must be an array, found a string; for example "secrets": ["NPM_TOKEN"]',
  ],
  [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "matrix": { "NODE": "20" } }] } } }',
    '\'matrix.NODE\' must be an array, found a string; for example "NODE": ["linux", "mac"]',
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
  ['{ "workflows": { "ci": { "steps": [{ "cmd": "a", "run": "b" }] } } }', "; did you mean 'run'? see: cli help file"],
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
  test(`an error says what would be right: ${end}`, async () => {
    const { diagnostics, message } = await read(text);
    const messages = diagnostics.map(message);
    assert.ok(
      messages.some((each) => each.endsWith(end)),
      messages.join('\n'),
    );
  });
}

const FIXTURES = ['invalid', 'warnings'].flatMap((group) =>
  readdirSync(join(ROOT, 'fixtures', group)).map((name) => join(ROOT, 'fixtures', group, name, 'workflow.json')),
);

test('a suggestion or an example in a message, applied to the file, removes the error', async () => {
  const files = FIXTURES.flatMap((path) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return [];
    }
  });
  let count = 0;
  for (const text of [...MISTAKES.map(([mistake]) => mistake), ...files]) {
    const { diagnostics, message } = await read(text);
    for (const diagnostic of diagnostics) {
      const said = message(diagnostic);
      const changed = applied(text, diagnostic, said);
      if (changed === undefined) continue;
      count += 1;
      const after = await read(changed);
      const same = after.diagnostics.filter(
        ({ code, range }) => code === diagnostic.code && range.start === diagnostic.range.start,
      );
      assert.deepEqual(same.map(after.message), [], `${said}\n${changed}`);
    }
  }
  assert.ok(count > 60, String(count));
});
