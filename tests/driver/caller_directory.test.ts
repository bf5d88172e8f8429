/* The directory in which cli was started. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { cli, COMMAND_LINE, finish, temporaryDirectory } from '../support/cli.ts';

const CALLER = '${vars.CLI_CALLER_DIR}';
const NAME = '${steps.out.NAME}';

const told = (name: string): string => `echo "${name} $CLI_CALLER_DIR" >>"$LOG"`;

/** What the commands log. */
function lines(caller: string): string[] {
  return [
    ...['hook', 'condition', 'step', 'member', 'outputs'].map((name) => `${name} ${caller}`),
    `reads ${caller}|out-of-step|${caller}`,
    `in ${caller}/in ${caller}/sub ${caller}`,
    `key ${caller}/arg ${caller}`,
    'nested /',
  ];
}

describe('CLI_CALLER_DIR', { concurrency: 3 }, () => {
  const FILE = {
    env: { TOP: CALLER },
    secrets: { KEY: { command: ['sh', '-c', 'printf %s "$1 $CLI_CALLER_DIR"', 'sh', `${CALLER}/arg`] } },
    before_all: told('hook'),
    workflows: {
      ci: {
        steps: [
          { run: told('step'), if: told('condition') },
          { parallel: [{ run: told('member') }] },
          { name: 'out', run: told('outputs').concat('; echo out-of-step'), outputs: { NAME: 'text' } },
          { run: 'echo "reads $BOTH" >>"$LOG"', with: { BOTH: `${CALLER}|${NAME}|${CALLER}` } },
          { run: 'echo "in $(pwd -P) $SUB $TOP" >>"$LOG"', dir: `${CALLER}/in`, with: { SUB: '${vars.TOP}/sub' } },
          { run: 'echo "key $KEY" >>"$LOG"', secrets: ['KEY'] },
          { run: 'cp a b', dir: CALLER, sources: ['a'], generates: [`${CALLER}/b`] },
          { run: `cd / && ${COMMAND_LINE} run --file "$LOG.json" nested` },
        ],
      },
    },
  };
  const NESTED = { workflows: { nested: { steps: [told('nested')] } } };
  test('every command of a run and of a script has the directory in which it was started', async (t) => {
    const cwd = temporaryDirectory(t, { '.cli/workflow.json': FILE, 'log.json': NESTED });
    for (const caller of ['x y', 'z']) {
      mkdirSync(join(cwd, caller, 'in'), { recursive: true });
      writeFileSync(join(cwd, caller, 'a'), caller);
    }
    const surroundings = (caller: string): Parameters<typeof cli>[1] => ({
      cwd: join(cwd, caller),
      env: { LOG: join(cwd, 'log'), CLI_CALLER_DIR: '/elsewhere' },
    });
    const logged = (): string[] => readFileSync(join(cwd, 'log'), 'utf8').trimEnd().split('\n');
    const ran = await cli(['run', 'ci'], surroundings('x y'));
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual(logged(), lines(join(cwd, 'x y')));
    // What is up to date in one directory is not in the other.
    assert.equal((await cli(['run', 'ci'], surroundings('z'))).code, 0);
    assert.equal(readFileSync(join(cwd, 'z/b'), 'utf8'), 'z');
    const script = await cli(['export', 'ci'], surroundings('.'));
    assert.deepEqual([script.code, script.stderr], [0, '']);
    writeFileSync(join(cwd, 'script'), script.stdout);
    writeFileSync(join(cwd, 'log'), '');
    const executed = await finish('bash', ['../script'], surroundings('x y'));
    assert.equal(executed.code, 0, executed.stderr);
    assert.deepEqual(logged(), lines(join(cwd, 'x y')));
  });

  test('it is no part of plans, digests and dry runs, and no file or parameter sets it', async (t) => {
    const cwd = temporaryDirectory(t, { '.cli/workflow.json': FILE });
    mkdirSync(join(cwd, 'x'));
    const DRY_RUN = ['run', 'ci', '--dry-run', '--format', 'json'];
    for (const args of [['plan', 'ci'], ['plan', 'ci', '--digest'], DRY_RUN]) {
      const [here, below] = [await cli(args, { cwd }), await cli(args, { cwd: join(cwd, 'x') })];
      assert.deepEqual([here.code, here.stdout], [0, below.stdout], here.stderr);
    }
    const dryRun = await cli(DRY_RUN, { cwd });
    assert.match(dryRun.stdout, /"dir":"\$\{vars\.CLI_CALLER_DIR\}\/in"/);
    const valid = await cli(['validate', '--strict'], { cwd });
    assert.deepEqual(
      [valid.code, valid.stdout],
      [0, '.cli/workflow.json: valid, 0 errors, 0 warnings\n'],
      valid.stderr,
    );
    const reserved = 'cannot be set: it is reserved for the shell or this tool\n';
    const set = await cli(['run', 'ci', 'CLI_CALLER_DIR:/'], { cwd });
    assert.deepEqual([set.code, set.stderr], [2, `cli: the key of parameter 1 ('CLI_CALLER_DIR') ${reserved}`]);
  });

  test('a resume has that of the first session; one of an earlier record without it has its own', async (t) => {
    const steps = [{ run: 'echo "$CLI_CALLER_DIR" >>"$LOG"; cat ok', dir: CALLER }];
    const cwd = temporaryDirectory(t, { '.cli/workflow.json': { workflows: { ci: { steps } } } });
    for (const name of ['x', 'y', 'z']) mkdirSync(join(cwd, name));
    const env = { LOG: join(cwd, 'log'), CLI_NO_JOURNAL: undefined };
    const inside = (name: string): Parameters<typeof cli>[1] => ({ cwd: join(cwd, name), env });
    assert.equal((await cli(['run', 'ci'], inside('x'))).code, 1);
    assert.equal((await cli(['resume', '--last'], inside('y'))).code, 1);
    const id = readdirSync(join(cwd, '.cli/runs')).find((name) => !name.startsWith('.')) ?? '';
    for (const session of [1, 2]) {
      const path = join(cwd, '.cli/runs', id, `session-${session}.ndjson`);
      const record = readFileSync(path, 'utf8');
      assert.ok(record.includes(`"caller":"${cwd}/x"`));
      writeFileSync(path, record.replace(/"caller":"[^"]*",/, ''));
    }
    assert.equal((await cli(['resume', '--last'], inside('z'))).code, 1);
    assert.deepEqual(
      readFileSync(join(cwd, 'log'), 'utf8').split('\n'),
      ['x', 'x', 'z'].map((name) => join(cwd, name)).concat(''),
    );
  });
});
