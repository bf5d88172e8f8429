import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as library from '../../src/api.ts';

/** Calls a function as a program without types may. */
function call(name: keyof typeof library, ...args: readonly unknown[]): unknown {
  return Reflect.apply(Object(Reflect.get(library, name)), undefined, args);
}

test('arguments of a wrong type are type errors', async () => {
  const project = library.parse('{"workflows": {"w": {"steps": []}}}');
  const compiled = library.compile(project, 'w');
  assert.ok(compiled.ok);
  const { plan } = compiled;
  const wrong: readonly (readonly [string, () => unknown])[] = [
    ['text must be a string or a Uint8Array', () => call('parse', 1)],
    ['options must be an object', () => call('parse', '{}', null)],
    ['options.path must be a string', () => call('parse', '{}', { path: 1 })],
    ['options.files.read must be a function', () => call('parse', '{}', { files: {} })],
    ['path must be a string', () => call('load')],
    ['options.files must be an object', () => call('load', 'x', { files: 1 })],
    ['project must be the result of parse or load', () => call('check', undefined)],
    ['options.strict must be true or false', () => call('check', project, { strict: 1 })],
    ['workflow must be a string', () => call('compile', project)],
    ['options.params.A must be a string', () => call('compile', project, 'w', { params: { A: 1 } })],
    ['plan must be the result of compile or link', () => call('link', project)],
    ['options.env.A must be a string', () => call('link', plan, { env: { A: 1 } })],
    ['options.variable must be a string', () => call('explain', plan, { variable: 1 })],
    ["options.format must be 'mermaid' or 'dot'", () => call('graph', plan, { format: 'svg' })],
  ];
  for (const [message, act] of wrong) assert.throws(act, new TypeError(message));
  await assert.rejects(
    library.run(Object({ workflow: 'w', stderr: 1 })),
    new TypeError('options.stderr must be a function'),
  );
  await assert.rejects(library.run(Object({})), new TypeError('options.workflow must be a string'));
});
