import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GroupOptions, Input } from '../../src/frontend/ast.ts';
import type { Readiness, Retry, StepOptions } from '../../src/frontend/schema/option_fields.ts';
import type {
  ConditionOp,
  DotenvFile,
  Frame,
  HookOp,
  ParallelOp,
  PlanSecret,
  RunOp,
  StopOp,
} from '../../src/ir/plan.ts';
import type { Branch, Call, OpPosition, OutputRead, Plan, SecretProgram, Test } from '../../src/ir/plan.ts';
import { planDigest } from '../../src/ir/views/plan_digest.ts';

/** A field that does not count: a place in a file, a description, the source of a variable, or a part of a secret. */
const UNCOUNTED = Symbol('uncounted');

type Stale = Test & { readonly kind: 'stale' };
type Command = Test & { readonly kind: 'command' };

/** The types in a plan. */
type Shapes = {
  plan: Plan;
  frame: Frame;
  dotenv: DotenvFile;
  input: Input;
  call: Call;
  from: NonNullable<Call['from']>;
  hook: HookOp;
  condition: ConditionOp;
  command: Command;
  stale: Stale;
  run: RunOp;
  stop: StopOp;
  ready: Readiness;
  options: StepOptions;
  retry: Retry;
  read: OutputRead;
  parallel: ParallelOp;
  group: GroupOptions;
  branch: Branch;
  position: OpPosition;
  secret: PlanSecret;
  program: SecretProgram;
};

/** Another value for each field of a type. A new field does not compile without one. */
type Others<Shape> = Readonly<{ [Field in Exclude<keyof Shape, 'kind'>]-?: Shape[Field] | typeof UNCOUNTED }>;

const read: OutputRead = { start: 0, end: 3, quotes: 'none', step: 's', from: 0, output: 'O', fallback: null };
const lookup = { start: 0, end: 3, name: 'V', fallback: null, offset: 0 };
const position: OpPosition = { op: 5, call: 1 };
const step = { call: 0, step: 1 } as const;
const place = { ...step, frame: 0, offset: 0, dir: null };

const BASE: Shapes = {
  // The parts of a plan come from the other shapes.
  plan: { workflow: 'w', params: [], frames: [], calls: [], ops: [], secrets: [] },
  frame: { source: 'env', parent: null, vars: [['V', 'one', [read]]] },
  dotenv: { path: '.env', vars: [['D', 'one']] },
  input: { name: 'I', description: '', required: false, default: 'a', type: 'string', options: [], secret: false },
  call: { workflow: 'w', from: null, guard: null, start: 0, end: 5, frame: 0 },
  from: { ...step, name: 'c' },
  hook: { kind: 'hook', hook: 'error', when: 'failure', frame: 0, offset: 0, command: 'h', reads: [] },
  condition: { kind: 'condition', ...place, test: { kind: 'variable', name: 'V' }, target: 2 },
  command: { kind: 'command', command: 'test 1', reads: [] },
  stale: { kind: 'stale', sources: [{ text: 'a' }], generates: [] },
  run: {
    kind: 'run',
    ...place,
    name: 'r',
    command: 'true',
    reads: [],
    options: { outputs: [], retry: null, timeout: null, allowFailure: false, onCrash: 'ask', confirm: null },
  },
  options: { outputs: [], retry: null, timeout: null, allowFailure: false, onCrash: 'ask', confirm: null },
  stop: { kind: 'stop', call: 0, ops: [0], frame: 0, offset: 0 },
  ready: { kind: 'port', text: '1' },
  retry: { maxAttempts: 2, delay: 1 },
  read,
  parallel: {
    kind: 'parallel',
    ...step,
    name: 'p',
    branches: [],
    end: position,
    frame: 0,
    offset: 0,
    group: { maxParallel: null, failFast: false, output: 'lines' },
  },
  group: { maxParallel: null, failFast: false, output: 'lines' },
  branch: { name: 'b', start: position, end: position },
  position,
  secret: { name: 'S', source: null },
  program: { command: ['print'], value: 'text', timeout: 1 },
};

const OTHERS: Readonly<{ [Name in keyof Shapes]: Others<Shapes[Name]> }> = {
  plan: {
    workflow: 'x',
    params: [['V', 'given']],
    frames: [BASE.frame],
    calls: [BASE.call],
    ops: [BASE.run],
    files: UNCOUNTED,
    secrets: [BASE.secret],
    segments: [{ workflow: 'x', params: [] }],
  },
  frame: {
    source: UNCOUNTED,
    parent: 0,
    vars: [['V', 'two', [read]]],
    inputs: [BASE.input],
    dotenv: [BASE.dotenv],
    lookup: 0,
    matrix: true,
  },
  dotenv: { path: '.other', vars: [['D', 'two']], lookups: [] },
  input: {
    name: 'J',
    description: UNCOUNTED,
    required: true,
    default: 'b',
    type: 'choice',
    options: ['a'],
    secret: true,
  },
  call: { workflow: 'x', from: BASE.from, guard: 0, start: 1, end: 4, frame: 1, inputs: 0, lock: { text: 'deploy' } },
  from: { call: 1, step: '1.1', name: 'd' },
  hook: {
    hook: 'finally',
    when: 'always',
    frame: 1,
    offset: UNCOUNTED,
    command: 'i',
    reads: [read],
    call: 0,
    dir: 'sub',
    dirLookup: UNCOUNTED,
    errexit: true,
    secrets: [0],
  },
  condition: {
    call: 1,
    step: 2,
    frame: 1,
    offset: UNCOUNTED,
    dir: 'sub',
    dirLookup: UNCOUNTED,
    test: { kind: 'first' },
    target: 3,
  },
  command: { command: 'test 2', reads: [read] },
  stale: { sources: [{ text: 'b' }], generates: [{ text: 'c' }], since: UNCOUNTED },
  run: {
    call: 1,
    step: 2,
    frame: 1,
    offset: UNCOUNTED,
    dir: 'sub',
    dirLookup: UNCOUNTED,
    name: 's',
    command: 'false',
    reads: [read],
    options: { ...BASE.options, timeout: 1 },
    question: { text: '', reads: [read], lookups: [] },
    errexit: true,
    secrets: [0],
    ready: 1,
  },
  stop: { call: 1, ops: [1], frame: 1, offset: UNCOUNTED },
  ready: { text: '2' },
  options: {
    outputs: [['O', 'text']],
    retry: BASE.retry,
    timeout: 1,
    allowFailure: true,
    onCrash: 'fail',
    onResume: 'rerun',
    confirm: 'Sure?',
    background: 'grouped',
    ready: { kind: 'url', text: 'x' },
  },
  retry: { maxAttempts: 3, delay: 2 },
  read: { start: UNCOUNTED, end: UNCOUNTED, quotes: 'double', step: 't', from: 1, output: 'P', fallback: '' },
  parallel: {
    call: 1,
    step: 2,
    name: 'q',
    branches: [BASE.branch],
    end: { op: 4, call: 1 },
    frame: 1,
    offset: UNCOUNTED,
    group: { ...BASE.group, maxParallel: 1 },
  },
  group: { maxParallel: 1, failFast: true, output: 'grouped' },
  branch: { name: 'c', start: { op: 4, call: 1 }, end: { op: 6, call: 1 } },
  position: { op: 4, call: 0 },
  secret: { name: 'T', source: BASE.program },
  // A reference counts by the argument that contains it.
  program: { command: ['print', 'x'], value: ['a'], timeout: 2, lookups: UNCOUNTED },
};

/** A plan that contains an object of each type. */
function planOf(shapes: Shapes): Plan {
  const { plan, frame, call, branch, position: end, read: own, run, options, retry, parallel, group } = shapes;
  const { hook, condition, command, stale, secret, program, stop, ready } = shapes;
  const whole: RunOp = { ...run, reads: [own], options: { ...options, retry } };
  return {
    ...plan,
    frames: [
      ...plan.frames,
      frame,
      { source: '', parent: 0, vars: [], inputs: [shapes.input], dotenv: [shapes.dotenv] },
    ],
    calls: [...plan.calls, call, { ...call, from: shapes.from }],
    ops: [
      ...plan.ops,
      hook,
      condition,
      { ...condition, test: command },
      { ...condition, test: stale },
      run,
      whole,
      parallel,
      { ...run, options },
      { ...run, options: { ...options, background: 'lines', ready } },
      stop,
      { ...parallel, group, branches: [branch], end },
    ],
    secrets: [...(plan.secrets ?? []), secret, { ...secret, source: program }],
  };
}

const digestOf = (shapes: Shapes): string => {
  const plan = planOf(shapes);
  return planDigest({ plan, written: plan, args: [] });
};

test('each field of a plan changes its digest, except for those that are listed as uncounted', () => {
  const before = digestOf(BASE);
  for (const [name, fields] of Object.entries(OTHERS)) {
    for (const [field, value] of Object.entries(fields)) {
      const [, base] = Object.entries(BASE).find(([shape]) => shape === name) ?? [];
      const other = value === UNCOUNTED ? uncountedValue(base, field) : value;
      const after = digestOf({ ...BASE, [name]: { ...base, [field]: other } });
      assert.equal(after !== before, value !== UNCOUNTED, `${name}.${field}`);
    }
  }
});

/** Another value for a field that does not count. */
function uncountedValue(base: object | undefined, field: string): unknown {
  const found: unknown = Object.entries(base ?? {}).find(([name]) => name === field)?.[1];
  if (typeof found === 'number') return found + 1;
  if (typeof found === 'string') return `${found}x`;
  if (field === 'lookups') return [{ ...lookup, argument: 0 }];
  return field === 'files' ? [{ path: 'f', start: 0 }] : { frame: 0, lookups: [lookup] };
}
