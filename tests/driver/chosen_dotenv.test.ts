import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { ONLY_PATH } from '../support/environment.ts';

const STAGES = ['dev', 'prod', 'given'];
const inputs = { STAGE: { default: 'dev' } };
const show = { run: 'echo "$FILE"' };

/** A function that calls cli in a directory with a dotenv file for each stage, and returns its code and its output. */
function project(t: TestContext, file: object): (words: string, env?: object) => Promise<string> {
  const cwd = workflowDirectory(t, file);
  for (const stage of STAGES) writeFileSync(join(cwd, `.env.${stage}`), `FILE=${stage}\nNEXT=${stage}\n`);
  return async (words, env = {}) => {
    const { code, stdout, stderr } = await cli(words.split(' '), { cwd, env: { ...ONLY_PATH, ...env } });
    return `${code}: ${/^(?:run|explain)(?!.* text$)/.test(words) ? '' : stdout}${stderr}`;
  };
}

test('a parameter, the environment and the default of an input choose the dotenv file of a file', async (t) => {
  const ends = project(t, { dotenv: '.env.${vars.STAGE}', workflows: { w: { inputs, steps: [show] } } });
  assert.equal(await ends('run w --quiet'), '0: dev\n');
  assert.equal(await ends('run w --quiet', { STAGE: 'prod' }), '0: prod\n');
  assert.equal(await ends('run w --quiet STAGE:given', { STAGE: 'prod' }), '0: given\n');
  assert.equal(await ends('run w --quiet STAGE:missing'), '0: \n');
});

test('a called workflow of an included file chooses by its own input and by those of its callers', async (t) => {
  const file = { include: { in: 'in.json' }, workflows: { w: { inputs, steps: [{ workflow: 'in:x' }] } } };
  const cwd = workflowDirectory(t, file);
  mkdirSync(join(cwd, 'env'));
  for (const stage of STAGES) writeFileSync(join(cwd, 'env', stage), `FILE=${stage}\n`);
  for (const stage of STAGES) writeFileSync(join(cwd, 'env', `more-${stage}`), `MORE=${stage}\n`);
  const own = { inputs: { PART: { default: 'prod' } }, dotenv: 'env/more-${vars.PART}', steps: ['echo "$FILE $MORE"'] };
  const included = JSON.stringify({ dotenv: ['env/${vars.STAGE}'], workflows: { x: own } });
  writeFileSync(join(cwd, '.cli', 'in.json'), included);
  const run = async (...words: readonly string[]): Promise<string> =>
    (await cli(['run', '--quiet', ...words], { cwd, env: ONLY_PATH })).stderr;
  assert.equal(await run('w'), 'dev prod\n');
  assert.equal(await run('w', 'STAGE:given', 'PART:dev'), 'given dev\n');
});

test('env, with and other dotenv files do not choose a dotenv file, and the former two cause a warning', async (t) => {
  const dotenv = ['.env.dev', '.env.${vars.NEXT:-prod}', '.env.${vars.STAGE:-prod}'];
  const steps = [
    { ...show, with: { STAGE: 'given' } },
    { ...show, with: { STAGE: '${vars.STAGE}' } },
  ];
  const ends = project(t, { env: { STAGE: 'given' }, workflows: { w: { dotenv, steps } } });
  const reason = "does not choose the file in 'dotenv': only a parameter, an input or the process environment sets";
  assert.equal(await ends('run w --quiet'), '0: prod\nprod\n');
  const warnings = (await ends('explain w')).split('\n').filter((line) => !line.startsWith(' '));
  assert.deepEqual(warnings.slice(0, 2), [
    `0: .cli/workflow.json:1:17: warning: 'env.STAGE' ${reason} \${vars.STAGE} there`,
    `.cli/workflow.json:1:168: warning: workflow 'w': step 1: 'with.STAGE' ${reason} \${vars.STAGE} there`,
  ]);
  assert.equal(warnings.filter((line) => line.includes('warning: ')).length, 2);
});

test('a reference in a path that has no value, is secret, empty or malformed is an error', async (t) => {
  const error = async (path: string, env: object = {}): Promise<string> =>
    (await project(t, { dotenv: [path], workflows: { w: { steps: [show] } } })('run w --quiet', env)).split('\n')[0] ??
    '';
  const start = "2: .cli/workflow.json:1:12: error: 'dotenv";
  assert.equal(
    await error('.env.${vars.STAGE}'),
    `${start}': \${vars.STAGE}: nothing outside of this scope sets STAGE; give it as STAGE:VALUE, or write \${vars.STAGE:-text}`,
  );
  const secret = `${start}': \${vars.API_TOKEN}: the value is secret, and the path of a dotenv file is shown`;
  assert.equal(await error('.env.${vars.API_TOKEN}', { API_TOKEN: 'x' }), secret);
  assert.equal(await error('${vars.STAGE}', { STAGE: '' }), `${start}': \${vars.STAGE}: the path is empty`);
  assert.equal((await error('${vars.A-B}')).startsWith(`${start}[0]': \${vars.…}`), true);
});

test('a path that a value leads out of the project causes a warning', async (t) => {
  const ends = project(t, { dotenv: 'x/${vars.STAGE}/.env', workflows: { w: { steps: [show] } } });
  const shown = "cli: warning: the dotenv file x/../../.env ('x/${vars.STAGE}/.env') is outside of the project\n";
  assert.equal(await ends('explain w STAGE:../..'), `0: ${shown}`);
  assert.equal(await ends('explain w STAGE:..'), '0: ');
});

test('a plan has the path that parameters and defaults give, a dry run and explain have the file that is read', async (t) => {
  const dotenv = ['.env.${vars.STAGE}', '.env.${vars.HOST}'];
  const ends = project(t, { dotenv, workflows: { w: { inputs, steps: [show] } } });
  const env = { STAGE: 'prod', HOST: 'dev' };
  const plan = await ends('plan w', env);
  assert.equal(plan, await ends('plan w', {}));
  assert.match(
    plan,
    /0 dotenv of the file +\.env\.dev \.env\.\$\{vars\.HOST\}\n +chosen by .* looks up STAGE\n +chosen by .* HOST\n/,
  );
  assert.match(await ends('plan w STAGE:given', env), /dotenv of the file +\.env\.given /);
  assert.match(
    await ends('run w -n --format text', env),
    /^ {2}file \.env\.prod {2}\(\.env\.\$\{vars\.STAGE\}\)\n {2}file \.env\.dev {2}\(/m,
  );
  const refused = 'a script names its dotenv files before it knows its parameters';
  assert.equal(
    await ends('export w'),
    `2: cli: 'export' does not support references in 'dotenv': ${refused}, and '.env.\${vars.STAGE}' has one\n`,
  );
  assert.match(
    await ends('run w + w STAGE:prod'),
    /STAGE chooses a dotenv file, which only a parameter of a single run does: run 'w' by itself/,
  );
});
