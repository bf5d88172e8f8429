import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { checkPlaces } from '../support/random/precedence.ts';
import { Subsets } from '../support/random/subsets.ts';

/*
 * Like the test of precedence, with the layers below the process environment, and with references in the values of each
 * scope. Every subset of ten sources is a variable that exactly those sources set, each to its own name.
 */
const SOURCES = [
  'inputs of the started workflow',
  'inputs of the called workflow',
  'a dotenv file of the file',
  'a later dotenv file of the file',
  'dotenv of the started workflow',
  'dotenv of the called workflow',
  'process',
  'global env',
  'with of the call',
  'parameters',
] as const;
type Source = (typeof SOURCES)[number];

const subsets = new Subsets(SOURCES);
const OF_FILE = ['a dotenv file of the file', 'a later dotenv file of the file'] as const;
const ASKED = ['inputs of the started workflow', ...OF_FILE, 'dotenv of the started workflow', 'process'] as const;
const CALLED = [
  'inputs of the started workflow',
  'inputs of the called workflow',
  ...OF_FILE,
  'dotenv of the started workflow',
  'dotenv of the called workflow',
  'process',
] as const;

/** The sources seen at each place, the weakest first. */
const PLACES: Readonly<Record<string, readonly Source[]>> = {
  'the hook before_all': [...ASKED, 'global env', 'parameters'],
  'a step': [...ASKED, 'global env', 'parameters'],
  'a step of a called workflow': [...CALLED, 'global env', 'with of the call', 'parameters'],
  'a step after the call': [...ASKED, 'global env', 'parameters'],
  'the hook finally': [...ASKED, 'global env', 'parameters'],
  'a value of the global env': ['inputs of the started workflow', ...OF_FILE, 'process', 'parameters'],
  'a value of the env of the started workflow': [...ASKED, 'global env', 'parameters'],
  'a value of the env of the called workflow': [...CALLED, 'global env', 'with of the call', 'parameters'],
  'a value of the with of the call': [...ASKED, 'global env', 'parameters'],
  'a value of the with of a step': [...CALLED, 'global env', 'with of the call', 'parameters'],
};

/** Prints the name of the place and each variable set there. */
function print(place: string, prefix = 'V'): string {
  return `for v in \${!${prefix}_*}; do [ -z "\${!v}" ] || echo "${place}|V_\${v#*_}|\${!v}"; done`;
}

/** A variable for each subset, whose value refers to the variable of the subset. */
function lookups(prefix: string): Record<string, string> {
  const names = [...subsets.members.keys()];
  return Object.fromEntries(names.map((name) => [name.replace('V', prefix), `\${vars.${name}:-}`]));
}

/** All variables as inputs, so that each may be a parameter. Their defaults are one source. */
function inputs(source: Source): Record<string, { default?: string }> {
  const none = [...subsets.members.keys()].map((name) => [name, {}] as const);
  const presets = Object.entries(subsets.vars(source)).map(([name, value]) => [name, { default: value }] as const);
  return Object.fromEntries<{ default?: string }>([...none, ...presets]);
}

const file = {
  dotenv: ['file.env', 'missing.env', 'later.env'],
  env: { ...subsets.vars('global env'), ...lookups('G') },
  before_all: print('the hook before_all'),
  finally: print('the hook finally'),
  workflows: {
    asked: {
      inputs: inputs('inputs of the started workflow'),
      dotenv: 'asked.env',
      env: lookups('A'),
      steps: [
        [print('a step'), print('a value of the global env', 'G')].join('\n'),
        print('a value of the env of the started workflow', 'A'),
        { workflow: 'called', with: { ...subsets.vars('with of the call'), ...lookups('W') } },
        print('a step after the call'),
      ],
    },
    called: {
      inputs: inputs('inputs of the called workflow'),
      dotenv: ['called.env'],
      env: lookups('C'),
      steps: [
        print('a step of a called workflow'),
        print('a value of the env of the called workflow', 'C'),
        print('a value of the with of the call', 'W'),
        { run: print('a value of the with of a step', 'S'), with: lookups('S') },
      ],
    },
  },
};

const DOTENV: Readonly<Record<string, Source>> = {
  'file.env': 'a dotenv file of the file',
  'later.env': 'a later dotenv file of the file',
  'asked.env': 'dotenv of the started workflow',
  'called.env': 'dotenv of the called workflow',
};

test('dotenv files lie between the process and the defaults, and ${vars} sees the outer scopes', async (t) => {
  const cwd = workflowDirectory(t, file);
  for (const [name, source] of Object.entries(DOTENV)) {
    const lines = Object.entries(subsets.vars(source)).map(([key, value]) => `${key}="${value}"\n`);
    writeFileSync(join(cwd, name), lines.join(''));
  }
  await checkPlaces(t, cwd, subsets, PLACES);
});
