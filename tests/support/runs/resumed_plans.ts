import * as fc from 'fast-check';
import type { FileChecks } from '../../../src/backend/checks/check_port.ts';
import type { Plan } from '../../../src/ir/plan.ts';
import { compiled } from '../plans.ts';

const option = fc.constantFrom<object>(
  {},
  {},
  { allow_failure: true },
  { retry: { max_attempts: 3, delay: '1ms' } },
  { timeout: '2s', allow_failure: true },
  { timeout: '3s' },
  { outputs: { X: 'text' }, allow_failure: true },
  { on_crash: 'fail' },
);

const condition = fc.constantFrom<object>({}, {}, { if: 'SET' }, { if: 'UNSET' }, { if: 'test 1' }, { if: 'test 2' });
const sources = fc.constantFrom<object>({}, {}, {}, { sources: ['a.txt'] });

/** A command, whose name and text `planOf` adds. */
export const command: fc.Arbitrary<object> = fc
  .tuple(option, condition, sources)
  .map(([options, guard, checked]) => Object.assign({ run: '' }, options, guard, checked));

const call = (...workflows: readonly string[]): fc.Arbitrary<object> =>
  fc.tuple(fc.constantFrom(...workflows), condition).map(([workflow, fields]) => Object.assign({ workflow }, fields));

const group = (member: fc.Arbitrary<object>): fc.Arbitrary<object> =>
  fc
    .tuple(fc.array(member, { maxLength: 4 }), fc.constantFrom(1, 2, 8), condition)
    .map(([parallel, max_parallel, fields]) => Object.assign({ parallel, max_parallel, fail_fast: false }, fields));

const steps = (...workflows: readonly string[]): fc.Arbitrary<object[]> => {
  const member = workflows.length === 0 ? command : fc.oneof({ weight: 2, arbitrary: command }, call(...workflows));
  return fc.array(fc.oneof({ weight: 3, arbitrary: member }, group(member)), { maxLength: 4 });
};

/** The steps of workflows, each of which calls later ones, and whether those that are called run once. */
export const shapes = fc.record({ ci: steps('v', 'w'), v: steps('w'), w: steps(), once: fc.boolean() });

export type Shapes = typeof shapes extends fc.Arbitrary<infer Value> ? Value : never;

/** A workflow file, to which a test adds steps. */
type File = Readonly<{ workflows: Readonly<Record<string, { readonly steps: object[]; readonly once?: boolean }>> }>;

/** The file of random workflows. Each command has a name and a text of its own. */
export function fileOf({ once, ...workflows }: Shapes): File {
  let count = 0;
  const numbered = (step: object): object => {
    if ('parallel' in step && Array.isArray(step.parallel)) return { ...step, parallel: step.parallel.map(numbered) };
    return 'run' in step ? { ...step, name: `s${(count += 1)}`, run: `step ${count}` } : step;
  };
  const own = (name: 'ci' | 'v' | 'w') => ({
    error: `error ${name}`,
    finally: `finally ${name}`,
    steps: workflows[name].map(numbered),
  });
  const hooks = { before_all: 'before', after_all: 'after', error: 'error', finally: 'finally' };
  const ci = { env: { SET: 'yes', UNSET: '' }, ...own('ci') };
  return { ...hooks, workflows: { ci, v: { once, ...own('v') }, w: { once, ...own('w') } } };
}

/** The plan of a random file. */
export function planOf(file: object): Plan {
  return compiled(JSON.stringify(file), 'ci');
}

/** The checks of steps with sources: `isUpToDate` is asked whenever the files of one are compared. */
export function fileChecks(isUpToDate: (name: string) => boolean): FileChecks {
  return {
    test: ({ op }) =>
      Promise.resolve(isUpToDate(op.name) ? op.options.outputs.map(([name]) => [name, 'kept']) : undefined),
    start: () => Promise.resolve({ kind: 'starts', ended: () => Promise.resolve() }),
    forget: () => undefined,
  };
}
