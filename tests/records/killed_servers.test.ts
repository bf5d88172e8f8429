/* Kills of runs with a server in the background: a resume ends what is left of it, and leaves none. KILLS is their number. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'node:test';
import { cli, COMMAND, workflowDirectory } from '../support/cli.ts';
import { commandIfAlive, readIfThere, PROC } from '../support/processes/processes.ts';
import { LINUX } from '../support/processes/shell.ts';

/** The number of kills. 200 take ten minutes. */
const KILLS = Number(process.env['KILLS'] ?? 3);

/** A server that notes its pid, and is ready a little later. */
const SERVER = 'echo $$ >> "servers"; sleep 0.1; echo ready; exec sleep 600';

/** A step that needs one server and fails if another one is left. */
const NEEDS_SERVER = 'test "$(for pid in $(cat servers); do kill -0 $pid 2>/dev/null && echo $pid; done | wc -l)" = 1';

test(
  `after ${KILLS} kills of runs with a server in the background, each resume succeeds, and no server is left`,
  LINUX,
  async (t) => {
    const env = { CLI_NO_JOURNAL: undefined };
    const steps = [
      'sleep 0.1',
      { name: 'server', run: SERVER, background: true, ready: { output: 'ready' } },
      { run: `${NEEDS_SERVER}; sleep 0.3`, on_crash: 'rerun' },
      { run: `${NEEDS_SERVER}; sleep 0.3`, on_crash: 'rerun' },
    ];
    const cwd = workflowDirectory(t, {
      workflows: {
        ci: { steps: steps.map((step) => (typeof step === 'string' ? { run: step, on_crash: 'rerun' } : step)) },
      },
    });
    const alive = (): readonly string[] =>
      (readIfThere(join(cwd, 'servers')) ?? '')
        .split('\n')
        .flatMap((pid) => commandIfAlive(readIfThere(`${PROC}/${pid}/stat`) ?? '0 () Z'));
    for (let kill = 0; kill < KILLS; kill += 1) {
      const [program, ...first] = COMMAND;
      const own = { ...process.env, ...env };
      const run = spawn(program, [...first, 'run', 'ci', '-q'], { cwd, env: own, stdio: 'ignore' });
      const ended = once(run, 'exit');
      await delay(Math.random() * 1500);
      const wasKilled = run.kill('SIGKILL');
      await ended;
      const runs = join(cwd, '.cli/runs');
      if (wasKilled && existsSync(runs) && readdirSync(runs).some((name) => name !== '.gitignore')) {
        const { code, stderr } = await cli(['resume', '--last', '--orphans', 'wait'], { cwd, env });
        // It may have been killed before its record began, or after its end.
        const isOver = /has succeeded; nothing was started|no run is recorded here/.test(stderr);
        assert.ok(code === 0 || isOver, `kill ${kill}: ${stderr}`);
      }
      assert.deepEqual(alive(), [], `kill ${kill}`);
      rmSync(join(cwd, 'servers'), { force: true });
      rmSync(runs, { recursive: true, force: true });
      writeFileSync(join(cwd, 'servers'), '');
    }
  },
);
