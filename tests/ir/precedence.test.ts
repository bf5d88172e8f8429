import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { checkPlaces } from '../support/random/precedence.ts';
import { asParams, Subsets } from '../support/random/subsets.ts';

/*
 * Every subset of eleven sources is a variable that exactly those sources set, each to its own name. One run prints all
 * 2048 of them from each place. A place that sees five of the sources is therefore tested with all 32 subsets of them,
 * independently of the six others.
 */
const SOURCES = [
  'inputs of the started workflow',
  'inputs of the called workflow',
  'process',
  'global env',
  'env of the started workflow',
  'env of the called workflow',
  'with of the call',
  'env of the nested workflow',
  'with of the nested call',
  'with of the step',
  'parameters',
] as const;
type Source = (typeof SOURCES)[number];

const subsets = new Subsets(SOURCES);
const OUTSIDE = ['inputs of the started workflow', 'process', 'global env', 'env of the started workflow'] as const;
const [OUTER_INPUTS, ...ABOVE] = OUTSIDE;
const CALLED = [
  OUTER_INPUTS,
  'inputs of the called workflow',
  ...ABOVE,
  'env of the called workflow',
  'with of the call',
] as const;
const INSIDE = [...CALLED, 'env of the nested workflow', 'with of the nested call'] as const;

/** The sources seen at each place, the weakest first. */
const PLACES: Readonly<Record<string, readonly Source[]>> = {
  'the hook before_all': [...OUTSIDE, 'parameters'],
  'a step': [...OUTSIDE, 'with of the step', 'parameters'],
  'a step without with': [...OUTSIDE, 'parameters'],
  'the condition of a step': [...OUTSIDE, 'with of the step', 'parameters'],
  'the condition of a call': [...OUTSIDE, 'with of the call', 'parameters'],
  'a step of a called workflow': [...CALLED, 'with of the step', 'parameters'],
  'a step without with of a called workflow': [...CALLED, 'parameters'],
  'the condition of a step of a called workflow': [...CALLED, 'with of the step', 'parameters'],
  'the condition of a nested call': [...CALLED, 'with of the nested call', 'parameters'],
  'a step of a nested workflow': [...INSIDE, 'with of the step', 'parameters'],
  'a step after the nested call': [...CALLED, 'parameters'],
  'a step after the call': [...OUTSIDE, 'parameters'],
  'the hook after_all': [...OUTSIDE, 'parameters'],
  'the hook error': [...OUTSIDE, 'parameters'],
  'the hook finally': [...OUTSIDE, 'parameters'],
};

/** Prints the name of the place and each variable set there. */
function print(place: string): string {
  return `for v in \${!V_*}; do echo "${place}|$v|\${!v}"; done`;
}

/** All variables as inputs, so that each may be a parameter. Their defaults are one source. */
function inputs(source: Source): Record<string, { default?: string }> {
  const none = [...subsets.members.keys()].map((name) => [name, {}] as const);
  const presets = Object.entries(subsets.vars(source)).map(([name, value]) => [name, { default: value }] as const);
  return Object.fromEntries<{ default?: string }>([...none, ...presets]);
}

const ofStep = { with: subsets.vars('with of the step') };
const file = {
  env: subsets.vars('global env'),
  before_all: print('the hook before_all'),
  after_all: `${print('the hook after_all')}; exit 1`,
  error: print('the hook error'),
  finally: print('the hook finally'),
  workflows: {
    asked: {
      inputs: inputs('inputs of the started workflow'),
      env: subsets.vars('env of the started workflow'),
      steps: [
        { run: print('a step'), if: print('the condition of a step'), ...ofStep },
        print('a step without with'),
        { workflow: 'called', if: print('the condition of a call'), with: subsets.vars('with of the call') },
        print('a step after the call'),
      ],
    },
    called: {
      inputs: inputs('inputs of the called workflow'),
      env: subsets.vars('env of the called workflow'),
      steps: [
        {
          run: print('a step of a called workflow'),
          if: print('the condition of a step of a called workflow'),
          ...ofStep,
        },
        print('a step without with of a called workflow'),
        {
          workflow: 'inside',
          if: print('the condition of a nested call'),
          with: subsets.vars('with of the nested call'),
        },
        print('a step after the nested call'),
      ],
    },
    inside: {
      env: subsets.vars('env of the nested workflow'),
      steps: [{ run: print('a step of a nested workflow'), ...ofStep }],
    },
  },
};

test('a variable comes from the innermost scope that sets it, and parameters override every scope', async (t) => {
  const cwd = workflowDirectory(t, file);
  await checkPlaces(t, cwd, subsets, PLACES);
});

const FIVE = [...ABOVE, 'with of the step', 'parameters'] as const;
type OneOfFive = (typeof FIVE)[number];

/**
 * A variable condition distinguishes only empty from non-empty: the strongest source of each subset sets its variable to
 * one of the two, and all weaker ones to the other.
 */
class Conditions {
  readonly #all = [...new Subsets(FIVE).members].flatMap(([name, subset]) => [
    { name: `${name}_set`, subset, strongest: 'yes', weaker: '' },
    { name: `${name}_empty`, subset, strongest: '', weaker: 'yes' },
  ]);

  readonly names = this.#all.map(({ name }) => name);

  /** The names of the conditions that hold. */
  readonly holding = this.#all
    .filter(({ subset, strongest }) => subset.length > 0 && strongest !== '')
    .map(({ name }) => name);

  vars(source: OneOfFive): Record<string, string> {
    return Object.fromEntries(
      this.#all
        .filter(({ subset }) => subset.includes(source))
        .map(({ name, subset, strongest, weaker }) => [name, subset.at(-1) === source ? strongest : weaker]),
    );
  }

  /** The opposite value of every condition, set in the innermost scope. */
  contrary(): Record<string, string> {
    return Object.fromEntries(this.names.map((name) => [name, this.holding.includes(name) ? '' : 'yes']));
  }
}

describe('a bare name as a condition sees the variables of the guarded command', { concurrency: 2 }, () => {
  const conditions = new Conditions();
  const shared = { env: conditions.vars('global env') };
  const asked = { env: conditions.vars('env of the started workflow') };
  const own = conditions.vars('with of the step');
  const given = {
    args: ['workflow', 'run', 'asked', '--quiet', ...asParams(conditions.vars('parameters'))],
    env: { ...ONLY_PATH, ...conditions.vars('process') },
  };

  test('a bare name on a step sees 32 subsets of five sources, whether or not the strongest is empty', async (t) => {
    const steps = conditions.names.map((name) => ({ run: `echo ${name}`, if: name, with: own }));
    const cwd = workflowDirectory(t, { ...shared, workflows: { asked: { ...asked, steps } } });
    const { stderr } = await cli(given.args, { cwd, env: given.env });
    assert.equal(stderr, `${conditions.holding.join('\n')}\n`);
  });

  test('a bare name on a call is independent of the env of the called workflow', async (t) => {
    const steps = conditions.names.map((name) => ({ workflow: 'called', if: name, with: { ...own, NAME: name } }));
    const called = { env: conditions.contrary(), steps: ['echo $NAME'] };
    const cwd = workflowDirectory(t, { ...shared, workflows: { asked: { ...asked, steps }, called } });
    const { stderr } = await cli(given.args, { cwd, env: given.env });
    assert.equal(stderr, `${conditions.holding.join('\n')}\n`);
  });
});
