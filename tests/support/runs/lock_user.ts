/** Takes a lock again and again, until it is killed, and notes each other living process that has it at the same time. */
import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TicketLock } from '../../../src/records/locks/ticket_lock.ts';
import { isAlive } from '../processes/processes.ts';

const [, , directory = ''] = process.argv;
const inside = join(directory, 'inside');
mkdirSync(inside, { recursive: true });

/** The other processes that have the lock. */
function others(): readonly string[] {
  return readdirSync(inside).filter((name) => {
    if (name === String(process.pid)) return false;
    if (isAlive(Number(name))) return true;
    rmSync(join(inside, name), { force: true });
    return false;
  });
}

for (;;) {
  const lock = new TicketLock(join(directory, 'locks'), 'lock');
  const taken = await lock.take({ wait: (ms) => delay(ms / 10), isStopped: () => false }, () => undefined);
  if (taken !== true) throw new Error(String(taken));
  writeFileSync(join(inside, String(process.pid)), '');
  for (const other of others()) appendFileSync(join(directory, 'violations'), `${process.pid} beside ${other}\n`);
  appendFileSync(join(directory, 'log'), '.');
  await delay(Math.random() * 3);
  for (const other of others()) appendFileSync(join(directory, 'violations'), `${process.pid} beside ${other}\n`);
  rmSync(join(inside, String(process.pid)));
  lock.release();
}
