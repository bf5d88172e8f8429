import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { CheckParts } from '../../src/backend/checks/check_port.ts';
import { PlanChecks } from '../../src/backend/checks/plan_checks.ts';
import type { BranchRunner, CommandRequest, Exit } from '../../src/backend/command_runner.ts';
import { execute } from '../../src/backend/execute.ts';
import { turn } from '../../src/backend/system/sleep.ts';
import { link } from '../../src/ir/link.ts';
import { compiled } from '../support/plans.ts';
import { fuzzing } from '../support/random/fuzzing.ts';
import { fileOf, graphs, label, OnceModel, type Graph } from '../support/random/once_graphs.ts';

/** The number of random graphs of each kind. */
const GRAPHS = Number(process.env['GRAPHS'] ?? 50);

/** A runner whose commands end after some turns of the event loop. `log` receives starts and ends. */
class Turns implements BranchRunner {
  readonly hasOutput = false;
  readonly interruption = undefined;
  readonly #log: string[];
  readonly #parent: Turns | undefined;
  /** Settles when this branch is cancelled. */
  readonly #cancelled: Promise<void>;
  #settle: (() => void) | undefined;
  #isCancelled = false;

  constructor(log: string[], parent?: Turns) {
    this.#log = log;
    this.#parent = parent;
    this.#cancelled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get isCancelled(): boolean {
    return this.#isCancelled || this.#parent?.isCancelled === true;
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  async run({ command, environment }: CommandRequest): Promise<Exit> {
    const name = label(command, (variable) => environment.get(variable));
    this.#log.push(`start ${name}`);
    const [, turns, code] = command.split(' ').map(Number);
    for (let count = 0; count < (turns ?? 0); count += 1) await turn();
    this.#log.push(`end ${name}`);
    return this.isCancelled ? { kind: 'cancelled', code: 143 } : { kind: 'exited', code: code ?? 0 };
  }

  async wait(milliseconds: number): Promise<void> {
    await turn();
    if (milliseconds === 0 || this.isCancelled) return;
    await this.#end();
  }

  #end(): Promise<void> {
    return this.#parent === undefined ? this.#cancelled : Promise.race([this.#cancelled, this.#parent.#end()]);
  }

  fork(): BranchRunner {
    return new Turns(this.#log, this);
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#settle?.();
  }

  close(): void {}
}

const checks = (parts: CheckParts): PlanChecks => new PlanChecks(parts);

type Ran = Readonly<{ log: readonly string[]; commands: readonly string[]; success: boolean }>;

async function run(graph: Graph): Promise<Ran> {
  const log: string[] = [];
  const { plan } = link(compiled(JSON.stringify(fileOf(graph)), 'w0'), { inherited: {}, dotenv: new Map() });
  const { success } = await execute(plan, new Turns(log), { base: new Map(), strict: false, observe() {}, checks });
  const commands = log.filter((line) => line.startsWith('start ')).map((line) => line.slice('start '.length));
  return { log, commands, success };
}

function counts(commands: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const command of commands) found.set(command, (found.get(command) ?? 0) + 1);
  return found;
}

const codeOf = (command: string): number => Number(command.split(' ')[2]);

test('of random calls without groups, those run that a model predicts, in its order, up to the first failure', async () => {
  const property = fc.asyncProperty(graphs({ hasGroups: false, hasFailures: true }), async (graph) => {
    const { commands, success } = await run(graph);
    const predicted = new OnceModel(graph).predict().commands;
    const failure = predicted.findIndex((command) => codeOf(command) !== 0);
    assert.deepEqual(commands, failure === -1 ? predicted : predicted.slice(0, failure + 1));
    assert.equal(success, failure === -1);
  });
  await fc.assert(property, fuzzing(GRAPHS));
});

test('of random calls in groups, those run that a model predicts, and a skipped call ends after the first one', async () => {
  const property = fc.asyncProperty(graphs({ hasGroups: true, hasFailures: false }), async (graph) => {
    const { log, commands, success } = await run(graph);
    const { commands: predicted, order } = new OnceModel(graph).predict();
    assert.deepEqual(commands.toSorted(), predicted.toSorted());
    assert.equal(success, true);
    const count = counts(commands);
    for (const [before, after] of order) {
      if (count.get(before) !== 1 || count.get(after) !== 1) continue;
      assert.ok(log.indexOf(`end ${before}`) < log.indexOf(`start ${after}`), `${before} before ${after}`);
    }
  });
  await fc.assert(property, fuzzing(GRAPHS));
});

test('if commands in random groups fail, no call that runs once runs twice, nothing waits for ever, and the run fails', async () => {
  const property = fc.asyncProperty(graphs({ hasGroups: true, hasFailures: true }), async (graph) => {
    const { commands, success } = await run(graph);
    const limits = counts(new OnceModel(graph).predict().commands);
    for (const [command, count] of counts(commands)) assert.ok(count <= (limits.get(command) ?? 0), command);
    assert.equal(
      success,
      commands.every((command) => codeOf(command) === 0),
    );
  });
  await fc.assert(property, fuzzing(GRAPHS));
});
