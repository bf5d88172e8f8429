/*
 * Kills runs and their resumes at random moments, with all their processes, and compares the state of each step in a
 * resume with its effects. KILLS is the number of kills. FUZZ_SEED repeats a series, as far as timing allows.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { COMMAND } from '../support/cli.ts';
import { crash, project, stepsOf, type Project } from '../support/runs/recorded_run.ts';
import { random, SEED } from '../support/random/random.ts';

const KILLS = Number(process.env['KILLS'] ?? 20);

/** A step that records its start and its end. */
function step(name: string, more: object = {}): object {
  return { name, run: `echo begin ${name} >> effects; sleep 0.02; echo end ${name} >> effects`, ...more };
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const STEPS = NAMES.map((name, index) => step(name, index % 3 === 1 ? { if: 'sleep 0.01' } : {}));
const HOOKS = { before_all: 'sleep 0.01', after_all: 'sleep 0.01', finally: 'sleep 0.01' };

/** The number of starts of each step. */
function begins(effects: readonly string[]): Map<string, number> {
  return new Map(NAMES.map((name) => [name, effects.filter((line) => line === `begin ${name}`).length]));
}

/** Checks the plan of a resume against the recorded effects; `kept` are the steps that must not have run again. */
function check(states: readonly string[], effects: readonly string[], kept: Map<string, number>): void {
  const counts = begins(effects);
  for (const [name, count] of kept) assert.equal(counts.get(name), count, `${name} had finished and ran again`);
  for (const line of states) {
    const [name = '', state] = line.split(' ');
    if (state === 'kept') {
      assert.ok(effects.includes(`end ${name}`), `${name} is kept and has not finished`);
      kept.set(name, counts.get(name) ?? 0);
    } else if (state === 'run') assert.equal(counts.get(name), 0, `${name} had begun without a record`);
    else assert.equal(state, 'unknown');
  }
}

/** Runs `cli workflow …` and kills it after some time. Returns whether it was still running. */
async function isKilled({ cwd }: Project, line: string, milliseconds: number): Promise<boolean> {
  const [program, ...first] = COMMAND;
  const env = { ...process.env, CLI_NO_JOURNAL: undefined, NODE_EXTRA_CA_CERTS: undefined };
  const child = spawn(program, [...first, 'workflow', ...line.split(' ')], {
    cwd,
    env,
    detached: true,
    stdio: 'ignore',
  });
  const ended = new Promise<boolean>((resolve) => void child.once('exit', () => resolve(false)));
  const timer = new AbortController();
  const late = delay(milliseconds, true, { signal: timer.signal }).catch(() => false);
  const isLate = await Promise.race([ended, late]);
  timer.abort();
  if (isLate) await crash(child);
  return isLate;
}

test(`${KILLS} kills at random moments lose no finished step, and repeat none (seed ${SEED})`, async (t) => {
  const choices = random(SEED);
  const workflow = project(t, STEPS, HOOKS);
  let runs = 0;
  for (let kills = 0; kills < KILLS; runs += 1) {
    rmSync(join(workflow.cwd, '.cli/runs'), { recursive: true, force: true });
    rmSync(join(workflow.cwd, 'effects'), { force: true });
    const kept = new Map<string, number>();
    let line = 'run ci';
    while (await isKilled(workflow, line, choices.below(500))) {
      kills += 1;
      const { code, stdout } = await workflow.cli('resume --last --dry-run');
      // A run killed before its first command does not exist, and one killed after its end has succeeded.
      if (code === 2) break;
      check(stepsOf(stdout), workflow.effects(), kept);
      line = 'resume --last --on-crash rerun';
    }
    const counts = begins(workflow.effects());
    for (const [name, count] of kept) assert.equal(counts.get(name), count, `${name} had finished and ran again`);
  }
  t.diagnostic(`${KILLS} kills in ${runs} runs`);
});
