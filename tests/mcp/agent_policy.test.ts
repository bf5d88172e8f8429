/* Whether an agent may start a run, from the files alone. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from '../../src/api.ts';
import { PolicySinceStart, type ReadProject } from '../../src/cli/run_data/agents/policy_since_start.ts';
import type { AgentPolicy, WorkflowFile } from '../../src/frontend/ast.ts';
import { loadedProject } from '../../src/library/projects.ts';

/** The texts of files by path. The workflow file is `w.json`. */
type Texts = Readonly<Record<string, object | string>>;

type Project = ReadProject & Readonly<{ file: WorkflowFile }>;

function read(texts: Texts): ReadProject {
  const text = (path: string): string | undefined => {
    const content = texts[path];
    return typeof content === 'object' ? JSON.stringify(content) : content;
  };
  const found = loadedProject(load('w.json', { files: { read: text } }));
  assert.ok(found.kind === 'read');
  return found.loaded;
}

function readValid(texts: Texts): Project {
  const { file, source } = read(texts);
  assert.ok(file !== undefined);
  return { file, source };
}

/** The policies for all workflows of a file. */
function policiesOf(texts: Texts, start = new PolicySinceStart(read(texts))): Record<string, AgentPolicy> {
  const project = readValid(texts);
  const policyOf = start.of(project);
  return Object.fromEntries([...project.file.workflows.keys()].map((name) => [name, policyOf(name)]));
}

const workflows = (all: Readonly<Record<string, object>>, rest: object = {}): Texts => ({
  'w.json': { ...rest, workflows: all },
});
const steps = ['true'];
const calls = (...names: readonly string[]): object => ({ steps: names.map((workflow) => ({ workflow })) });
const asks = { steps: [{ run: 'true', confirm: 'Publish?' }] };

/** Files with a workflow `a`, and the policy for it. */
const TABLE: Readonly<Record<string, readonly [Texts, AgentPolicy]>> = {
  'nothing says so': [workflows({ a: { steps } }), 'ask'],
  'the workflow allows it': [workflows({ a: { agents: 'allow', steps } }), 'allow'],
  'the workflow asks': [workflows({ a: { agents: 'ask', steps } }, { agents: 'allow' }), 'ask'],
  'the workflow denies it': [workflows({ a: { agents: 'deny', steps } }, { agents: 'allow' }), 'deny'],
  'the file allows it': [workflows({ a: { steps } }, { agents: 'allow' }), 'allow'],
  'the file denies it': [workflows({ a: { steps } }, { agents: 'deny' }), 'deny'],
  'the workflow is looser than its file': [workflows({ a: { agents: 'allow', steps } }, { agents: 'deny' }), 'allow'],
  'it is private': [workflows({ a: { private: true, steps } }, { agents: 'allow' }), 'deny'],
  'it is private with a policy of its own': [workflows({ a: { private: true, agents: 'allow', steps } }), 'allow'],
  'a called workflow asks': [workflows({ a: { agents: 'allow', ...calls('b') }, b: { agents: 'ask', steps } }), 'ask'],
  'a called workflow denies it': [
    workflows({ a: { agents: 'allow', ...calls('b') }, b: { agents: 'deny', steps } }),
    'deny',
  ],
  'a called workflow is looser': [
    workflows({ a: { agents: 'ask', ...calls('b') }, b: { agents: 'allow', steps } }),
    'ask',
  ],
  'a called workflow is private': [
    workflows({ a: { agents: 'allow', ...calls('b') }, b: { private: true, steps } }),
    'allow',
  ],
  'a called workflow is private and asks': [
    workflows({ a: { agents: 'allow', ...calls('b') }, b: { private: true, agents: 'ask', steps } }),
    'ask',
  ],
  'a call of a call denies it': [
    workflows({
      a: { agents: 'allow', ...calls('b') },
      b: calls('c', 'd'),
      c: { steps },
      d: { agents: 'deny', steps },
    }),
    'deny',
  ],
  'a call with a condition denies it': [
    workflows({ a: { agents: 'allow', steps: [{ workflow: 'b', if: 'false' }] }, b: { agents: 'deny', steps } }),
    'deny',
  ],
  'a member of a group of groups denies it': [
    workflows({
      a: { agents: 'allow', steps: [{ parallel: ['true', { parallel: [{ workflow: 'b' }, 'true'] }] }] },
      b: { agents: 'deny', steps },
    }),
    'deny',
  ],
  'a copy of a matrix denies it': [
    workflows({
      a: { agents: 'allow', steps: [{ workflow: 'b', matrix: { OS: ['linux', 'mac'] } }] },
      b: { agents: 'deny', steps },
    }),
    'deny',
  ],
  'one call asks and another denies it': [
    workflows({
      a: { agents: 'allow', ...calls('b', 'c') },
      b: { agents: 'ask', steps },
      c: { agents: 'deny', steps },
    }),
    'deny',
  ],
  'a step asks a question': [workflows({ a: { agents: 'allow', ...asks } }), 'ask'],
  'a step of a call asks a question': [
    workflows({ a: { agents: 'allow', ...calls('b') }, b: { agents: 'allow', ...asks } }),
    'ask',
  ],
  'a member of a group asks a question': [
    workflows({ a: { agents: 'allow', steps: [{ parallel: [{ run: 'true', confirm: true }, 'true'] }] } }),
    'ask',
  ],
  'a question does not loosen': [workflows({ a: { agents: 'deny', ...asks } }), 'deny'],
  'another workflow denies it, which is not called': [
    workflows({ a: { agents: 'allow', steps }, b: { agents: 'deny', ...calls('a') } }),
    'allow',
  ],
};

describe('the policy for a workflow if', () => {
  for (const [what, [texts, policy]] of Object.entries(TABLE)) {
    test(`${what}: ${policy}`, () => assert.equal(policiesOf(texts)['a'], policy));
  }
});

test('the value of an included file counts for its workflows, and that of the including file does not', () => {
  const included = { agents: 'allow', include: { deep: 'deep.json' }, workflows: { x: { steps }, y: calls('deep:z') } };
  const texts = {
    'w.json': {
      agents: 'deny',
      include: { lib: 'lib.json', bare: 'bare.json' },
      workflows: { a: { agents: 'allow', ...calls('lib:y') }, b: calls('lib:x') },
    },
    'lib.json': included,
    'deep.json': { agents: 'deny', workflows: { z: { steps }, own: { agents: 'allow', steps } } },
    'bare.json': { workflows: { x: { steps } } },
  };
  // A called workflow restricts with its own value only.
  assert.deepEqual(policiesOf(texts), {
    a: 'allow',
    b: 'deny',
    'lib:x': 'allow',
    'lib:y': 'allow',
    'bare:x': 'ask',
    'lib:deep:z': 'deny',
    'lib:deep:own': 'allow',
  });
});

test('an unknown workflow is denied, also if its name is that of a property of objects', () => {
  const texts = workflows({ a: { agents: 'allow', steps } });
  const policyOf = new PolicySinceStart(read(texts)).of(readValid(texts));
  assert.deepEqual(
    ['b', '', '__proto__', 'constructor', 'A', '../a'].map((name) => policyOf(name)),
    Array.from({ length: 6 }, () => 'deny'),
  );
});

test('a file whose calls are cyclic or unknown has policies', () => {
  const texts = workflows({
    a: { agents: 'allow', ...calls('b', 'nosuch') },
    b: { agents: 'deny', ...calls('a') },
    c: { agents: 'allow', ...calls('a') },
  });
  assert.deepEqual(policiesOf(texts), { a: 'deny', b: 'deny', c: 'deny' });
});

test('a chain of 20,000 calls has policies without a deep stack', () => {
  const length = 20_000;
  const chain = Array.from({ length }, (_, index) => [
    `w${index}`,
    index === length - 1 ? { agents: 'deny', steps } : { agents: 'allow', ...calls(`w${index + 1}`) },
  ]);
  const policies = policiesOf(workflows(Object.fromEntries(chain)));
  assert.deepEqual(new Set(Object.values(policies)), new Set(['deny']));
});

describe('once a file has been edited', () => {
  const BEFORE: Texts = {
    'w.json': {
      include: { lib: 'lib.json' },
      workflows: {
        allowed: { agents: 'allow', steps },
        asked: { agents: 'ask', steps },
        denied: { agents: 'deny', steps },
        caller: { agents: 'allow', ...calls('denied') },
        hidden: { private: true, steps },
      },
    },
    'lib.json': { agents: 'deny', workflows: { x: { steps } } },
  };
  const since = (): PolicySinceStart => new PolicySinceStart(read(BEFORE));
  const SAME = { allowed: 'ask', asked: 'ask', denied: 'deny', caller: 'deny', hidden: 'deny', 'lib:x': 'deny' };

  test('allow means ask, and everything else is as it was', () => {
    assert.deepEqual(policiesOf(BEFORE, since()), { ...SAME, allowed: 'allow' });
    assert.deepEqual(policiesOf({ ...BEFORE, 'w.json': `${JSON.stringify(BEFORE['w.json'])}\n` }, since()), SAME);
    assert.deepEqual(policiesOf({ ...BEFORE, 'lib.json': `${JSON.stringify(BEFORE['lib.json'])} ` }, since()), SAME);
  });

  test('nothing is loosened by new values', () => {
    const loose = {
      'w.json': {
        agents: 'allow',
        include: { lib: 'lib.json' },
        workflows: {
          allowed: { agents: 'allow', steps },
          asked: { agents: 'allow', steps },
          denied: { agents: 'allow', steps },
          caller: { agents: 'allow', steps },
          hidden: { agents: 'allow', steps },
        },
      },
      'lib.json': { agents: 'allow', workflows: { x: { agents: 'allow', steps } } },
    };
    assert.deepEqual(policiesOf(loose, since()), SAME);
  });

  test('what was denied to be called stays so, for new workflows too', () => {
    const texts = workflows({
      denied: { agents: 'allow', steps },
      hidden: { steps },
      fresh: { agents: 'allow', ...calls('denied') },
      other: { agents: 'allow', ...calls('hidden') },
    });
    assert.deepEqual(policiesOf(texts, since()), { denied: 'deny', hidden: 'deny', fresh: 'deny', other: 'ask' });
  });

  test('an edit can restrict', () => {
    const texts = workflows({ allowed: { agents: 'deny', steps }, asked: { steps } }, { agents: 'deny' });
    assert.deepEqual(policiesOf(texts, since()), { allowed: 'deny', asked: 'deny' });
  });

  test('to undo the edit changes nothing until the next start', () => {
    const policies = since();
    policiesOf({ ...BEFORE, 'lib.json': { workflows: {} } }, policies);
    assert.deepEqual(policiesOf(BEFORE, policies), SAME);
    assert.equal(policiesOf(BEFORE, since())['allowed'], 'allow');
  });

  test('a file that was missing or malformed at the start counts as edited', () => {
    const texts = workflows({ a: { agents: 'allow', steps }, b: { agents: 'deny', steps } });
    const malformed = read({ 'w.json': '{"workflows": {"b": {"agents": "deny"}}' });
    for (const start of [undefined, malformed])
      assert.deepEqual(policiesOf(texts, new PolicySinceStart(start)), { a: 'ask', b: 'deny' });
  });
});
