import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ci, workflow } from '../support/workflow.ts';

/** The errors of the document that `validate` prints. */
async function errorsOf(t: TestContext, file: unknown): Promise<unknown> {
  const { code, document } = await workflow(t, file, ['validate']);
  assert.ok(typeof document === 'object' && document !== null && 'errors' in document);
  assert.deepEqual({ code, document }, { code: 1, document: { valid: false, errors: document.errors } });
  return document.errors;
}

const inFile = (message: string): object => ({ workflow: '', message });
/** A workflow that calls other workflows. */
const calls = (...names: string[]): object => ({ steps: names.map((name) => ({ workflow: name })) });

const inCi = (message: string): object => ({ workflow: 'ci', message });

test('a step with neither run nor workflow, or with both, has the message of the specification', async (t) => {
  const steps = [{}, ':', { run: ':', workflow: 'ci' }];
  assert.deepEqual(await errorsOf(t, { workflows: { other: { steps: [] }, ci: { steps } } }), [
    inCi("step 1: missing 'run' or 'workflow' field"),
    inCi("step 3: 'run' and 'workflow' are mutually exclusive"),
    inCi('circular dependency detected: ci -> ci'),
  ]);
});

test('an unknown field is an error that suggests the nearest known name', async (t) => {
  const file = {
    befor_all: ':',
    timeout: 1,
    workflows: {
      ci: {
        step: [],
        steps: [
          { run: ':', IF: 'A' },
          { run: ':', loop: 1 },
        ],
      },
      other: { step: [] },
    },
  };
  assert.deepEqual(await errorsOf(t, file), [
    inFile("unknown field 'befor_all'; did you mean 'before_all'?"),
    inFile(
      "unknown field 'timeout'; expected one of: $schema, default, agents, env, dotenv, include, secrets, before_all, after_all, error, finally, workflows",
    ),
    inCi("unknown field 'step'; 'steps' is already there"),
    inCi("step 1: unknown field 'IF'; did you mean 'if'?"),
    inCi(
      "step 2: unknown field 'loop'; expected one of: run, workflow, parallel, name, if, with, matrix, dir, secrets, sources, generates, outputs, retry, timeout, allow_failure, on_crash, on_resume, confirm, background, ready, max_parallel, fail_fast, output",
    ),
    { workflow: 'other', message: "unknown field 'step'; did you mean 'steps'?" },
  ]);
});

test('`$schema` is a field of the file only', async (t) => {
  assert.deepEqual(await errorsOf(t, { workflows: { ci: { $schema: '', steps: [] } } }), [
    inCi(
      "unknown field '$schema'; expected one of: description, private, agents, aliases, inputs, env, dotenv, dir, error, finally, once, logs, lock, steps",
    ),
  ]);
});

test('a duplicate workflow is an error, so none is lost silently', async (t) => {
  const text = '{"workflows": {\n "ci": {"steps": []},\n "ci": {"steps": [":"]}}}';
  assert.deepEqual(await errorsOf(t, text), [inFile("duplicate key 'ci', first defined at line 2, column 2")]);
});

test('a duplicate key is an error at every level, even in variables and ignored keys', async (t) => {
  const text = `{"error": ":", "error": ":", "x-a": 1, "x-a": 1,
 "env": {"A": "", "A": ""},
 "workflows": {"ci": {"private": true, "private": true,
  "steps": [{"run": ":", "run": ":", "with": {"B": "", "B": ""}}]}}}`;
  assert.deepEqual(await errorsOf(t, text), [
    inFile("duplicate key 'error', first defined at line 1, column 2"),
    inFile("duplicate key 'x-a', first defined at line 1, column 30"),
    inFile("duplicate key 'A', first defined at line 2, column 10"),
    inCi("duplicate key 'private', first defined at line 3, column 23"),
    inCi("step 1: duplicate key 'run', first defined at line 4, column 14"),
    inCi("step 1: duplicate key 'B', first defined at line 4, column 47"),
  ]);
});

test('names must not be empty or contain control characters', async (t) => {
  const workflows = { '': { steps: [] }, 'a\nb': { steps: [] } };
  const steps = [
    { name: '', run: ':' },
    { name: 'a\u001b[0m', run: ':' },
  ];
  assert.deepEqual(await errorsOf(t, { workflows: { ...workflows, ci: { steps } } }), [
    inFile("'' in 'workflows' must not be empty"),
    inFile("'a\nb' in 'workflows' must not contain control characters"),
    inCi("step 1: 'name' must not be empty"),
    inCi("step 2: 'name' must not contain control characters"),
  ]);
});

test('the name of a variable consists of letters, digits and underscores, and does not start with a digit', async (t) => {
  const name = 'is not a valid variable name: use letters, digits and underscores, and do not start with a digit';
  const env = { '': '', 'A=B': '', 'a-b': '', '1A': '', 'BASH_FUNC_ls%%': '', _: '', __: '', a1: '' };
  const file = ci([{ run: ':', with: { 'a.b': '' } }], { env });
  assert.deepEqual(await errorsOf(t, file), [
    // JSON.stringify would put whole numbers first, but none of these keys is one.
    ...['', 'A…', 'a-b', '1A', 'BASH_FUNC_ls%%'].map((key) => inFile(`'${key}' in 'env' ${name}`)),
    inFile("'_' in 'env' cannot be set: it is reserved for the shell or this tool"),
    inCi(`step 1: 'a.b' in 'with' ${name}`),
  ]);
});

test('commands and values must not contain NUL', async (t) => {
  const steps = ['a\0', { run: ':', if: '\0', with: { A: '\0' } }];
  assert.deepEqual(await errorsOf(t, ci(steps, { env: { B: '\0' }, error: '\0' })), [
    inFile("'env.B' must not contain a NUL character"),
    inFile("'error' must not contain a NUL character"),
    inCi("step 1: 'run' must not contain a NUL character"),
    inCi("step 2: 'if' must not contain a NUL character"),
    inCi("step 2: 'with.A' must not contain a NUL character"),
  ]);
});

test('a blank command is an error', async (t) => {
  const blank = "'run' must not be blank";
  assert.deepEqual(await errorsOf(t, ci(['', ' \n\t', { run: '  ' }])), [
    inCi(`step 1: ${blank}`),
    inCi(`step 2: ${blank}`),
    inCi(`step 3: ${blank}`),
  ]);
});

test('a message names the field, the expected and the actual type', async (t) => {
  const file = { env: [], workflows: { ci: { private: 1, steps: [{ run: 2 }, 3] } } };
  assert.deepEqual(await errorsOf(t, file), [
    inFile("'env' must be an object, found an array"),
    inCi("'private' must be true or false, found a number"),
    inCi("step 1: 'run' must be a string or an array of strings, found a number"),
    inCi('step 2: must be a command (a string) or an object, found a number'),
  ]);
});

test('each cycle is reported once, starting with its first workflow in file order', async (t) => {
  const workflows = {
    start: calls('c'),
    b: calls('c', 'd'),
    c: calls('a'),
    a: calls('b'),
    d: calls('e'),
    e: calls('d', 'e'),
  };
  assert.deepEqual(await errorsOf(t, { workflows }), [
    { workflow: 'b', message: 'circular dependency detected: b -> c -> a -> b' },
    { workflow: 'd', message: 'circular dependency detected: d -> e -> d' },
  ]);
});

test('all errors are reported in file order, regardless of their kind', async (t) => {
  const text = `{
    "workflows": {
      "ci": { "steps": [{ "workflow": "nosuch" }, 1, { "workflow": "ci" }], "extra": 1 },
      "ci": { "steps": [] }
    },
    "extra": 1,
    "env": { "A": 1 }
  }`;
  assert.deepEqual(await errorsOf(t, text), [
    inCi("step 1: unknown workflow 'nosuch'"),
    inCi('step 2: must be a command (a string) or an object, found a number'),
    inCi('circular dependency detected: ci -> ci'),
    inCi(
      "unknown field 'extra'; expected one of: description, private, agents, aliases, inputs, env, dotenv, dir, error, finally, once, logs, lock, steps",
    ),
    inFile("duplicate key 'ci', first defined at line 3, column 7"),
    inFile(
      "unknown field 'extra'; expected one of: $schema, default, agents, env, dotenv, include, secrets, before_all, after_all, error, finally, workflows",
    ),
    inFile("'env.A' must be a string, found a number; put it in double quotes"),
  ]);
});

/** The warning of what bash 3.2 lacks, after its place. */
function lacks(place: string, what: string): string {
  return `${place}bash 3.2, the bash of macOS, does not have ${what}; write it in another way, or install a newer bash there (brew install bash)`;
}

test('with --portable, what bash 3.2 lacks in commands, conditions and hooks is a warning, with --strict an error', async (t) => {
  const steps = [
    { run: ['echo "${A^^}"', '# ${A,,}', 'wait -n; wait -n'], if: 'mapfile x' },
    { run: 'a |& b', if: 'A' },
  ];
  const file = { finally: 'declare -A m', workflows: { ci: { env: { A: 'x' }, steps } } };
  const none = await workflow(t, file, ['validate', '--strict']);
  assert.deepEqual([none.code, none.stderr], [0, '']);
  const found = await workflow(t, file, ['validate', '--portable', '--format', 'json', '--file', '.cli/workflow.json']);
  assert.equal(found.code, 0);
  const messages = [
    lacks('', 'declare -A'),
    lacks("workflow 'ci': step 1: ", '${A^^}'),
    lacks("workflow 'ci': step 1: ", 'wait -n'),
    lacks("workflow 'ci': step 1: ", 'mapfile'),
    lacks("workflow 'ci': step 2: ", '|&'),
  ];
  assert.deepEqual(
    found.stderr.split('\n').flatMap((line) => /: warning: (.*)$/.exec(line)?.[1] ?? []),
    messages,
  );
  const strict = await workflow(t, file, ['validate', '--portable', '--strict']);
  assert.deepEqual([strict.code, (strict.stderr.match(/: error: /g) ?? []).length], [1, 5]);
});
