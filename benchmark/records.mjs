import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Records a run in a directory, and copies of it with other ids, until there are `count`. */
export function copyRun({ cwd, command: [program, ...args], env, count }) {
  const { status } = spawnSync(program, args, { cwd, env });
  if (status !== 0) throw new Error(`the run has ended with ${status}`);
  const runs = join(cwd, '.cli/runs');
  const id = readdirSync(runs).find((name) => name !== '.gitignore');
  const entries = join(env.XDG_STATE_HOME, 'workflow-plan/runs');
  for (let copied = 1; copied < count; copied += 1) {
    const copy = `20260101-000000-${String(copied).padStart(5, '0')}`;
    cpSync(join(runs, id), join(runs, copy), { recursive: true });
    const file = join(runs, copy, 'session-1.ndjson');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(id, copy));
    symlinkSync(readlinkSync(join(entries, id)), join(entries, copy));
  }
}
