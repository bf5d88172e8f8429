import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { test } from 'node:test';
import * as v from 'valibot';
import { check, compile } from '../support/goldens/schemas.ts';
import { inProcess, quickCli as cli } from '../support/in_process.ts';
import { COPY, project } from '../support/runs/checked_project.ts';

const State = v.object({ state: v.string(), reasons: v.optional(v.array(v.string())) });
const Document = v.object({ up_to_date: v.nullable(v.boolean()), checks: v.array(State) });

test('the document of cli status matches its schema in every state', async (t) => {
  const { cwd, run, write } = project(t, [
    { name: 'make', run: 'cat in >made', generates: ['made'], sources: ['in'] },
    { name: 'use', run: 'cat made >/dev/null', sources: ['made'] },
    COPY,
  ]);
  const states = async (...args: string[]): Promise<unknown> => {
    const { code, stdout } = await inProcess(t, ['workflow', 'status', 'ci', ...args], {
      cwd,
      env: { HOME: cwd, XDG_STATE_HOME: process.env['XDG_STATE_HOME'] },
    });
    const document: unknown = JSON.parse(stdout);
    check(compile('status'), document);
    const { up_to_date: isUpToDate, checks } = v.parse(Document, document);
    return [code, isUpToDate, checks.map(({ state, reasons }) => [state, reasons?.join() ?? ''])];
  };
  write('in', 'one');
  const missing = ['runs', 'no record'];
  const unmatched = ['runs', "no record,'made' matches nothing"];
  assert.deepEqual(await states(), [1, false, [missing, unmatched, missing]]);
  assert.equal((await run('-q')).code, 0);
  const kept = ['up to date', ''];
  assert.deepEqual(await states(), [0, true, [kept, kept, kept]]);
  write('in', 'two');
  const changed = ['runs', 'in changed'];
  const later = ['unknown', "step 'make' generates one of its sources"];
  assert.deepEqual(await states(), [1, false, [changed, later, changed]]);
});

test('cli status is unknown for a step that uses an output, writes nothing, and refuses a workflow without checks', async (t) => {
  const { cwd, path, run, write } = project(t, [
    { name: 'version', run: 'cat in', outputs: { V: 'text' } },
    { name: 'use', run: 'true ${steps.version.V}', sources: ['in'] },
  ]);
  write('in', 'one');
  const status = async (...args: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await cli(['status', ...args], { cwd });
    return [code, stdout, stderr];
  };
  const unknown = "step 'use' of workflow 'ci': unknown: it uses an output of an earlier step\n";
  assert.deepEqual(await status('ci'), [1, unknown, '']);
  assert.ok(!existsSync(path('.cli/state')));
  assert.equal((await run('-q')).code, 0);
  const document = {
    workflow: 'ci',
    up_to_date: null,
    checks: [{ workflow: 'ci', name: 'use', state: 'unknown', reasons: ['it uses an output of an earlier step'] }],
  };
  const { code, stdout } = await cli(['workflow', 'status', 'ci'], { cwd });
  assert.deepEqual([code, JSON.parse(stdout)], [1, document]);
  const bare = project(t, ['true']);
  const refused = await cli(['status', 'ci'], { cwd: bare.cwd });
  assert.deepEqual(refused, {
    code: 2,
    signal: null,
    stdout: '',
    stderr:
      "cli: no step of workflow 'ci' has 'sources'\ncli: to see the recorded runs: cli runs\ncli: to store the output next time, add --logs\n",
  });
  assert.equal(
    (await cli(['status'], { cwd: bare.cwd })).stderr,
    'cli: the name of the workflow is missing; the workflows of .cli/workflow.json:\nci  1 step\ncli: to see the recorded runs: cli runs\n',
  );
});

test('the document has at most a hundred reasons', async (t) => {
  const { cwd, path, run, write } = project(t, [{ name: 'lint', run: 'true', sources: ['src'] }]);
  mkdirSync(path('src'));
  write('src/a', '');
  assert.equal((await run('-q')).code, 0);
  for (let index = 0; index < 200; index += 1) write(`src/${1000 + index}`, '');
  const { stdout } = await cli(['workflow', 'status', 'ci'], { cwd });
  const [{ reasons = [] } = {}] = v.parse(Document, JSON.parse(stdout)).checks;
  assert.deepEqual([reasons.length, reasons.at(-1)], [100, 'src/1099 is new']);
});
