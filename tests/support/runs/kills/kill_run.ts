import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import * as v from 'valibot';
import { readSession, type SessionContent } from '../../../../src/records/journal/session_file.ts';
import type { CommandResult } from '../../cli.ts';
import type { Random } from '../../random/random.ts';
import { changeCommand, CHANGES, MOVES, randomlyEdited, type EditedFile } from '../random_edits.ts';
import { project, startRecorded, type Project } from '../recorded_run.ts';
import { endProcessesIn, killAt, processesIn, randomKill, randomMoment } from './kill.ts';
import { CONFLICTS, KillModel, parseEffects } from './kill_model.ts';
import { randomHooks, randomKilledFile, writeKilledFile } from './killed_file.ts';

/** The limits of a run: after so many sessions it is not killed or edited any more, and after twice as many it fails. */
const SESSIONS = 12;

const Plan = v.object({
  steps: v.array(v.object({ name: v.string(), command: v.string(), state: v.string() })),
  gone: v.optional(v.array(v.object({ command: v.string() })), []),
  can_resume: v.boolean(),
});

type Plan = Readonly<v.InferOutput<typeof Plan>> & Readonly<{ paths: readonly string[] }>;

/** A random workflow that is killed, edited and resumed until it has succeeded. */
export class KillRun {
  readonly #random: Random;
  readonly #project: Project;
  readonly #model: KillModel;
  readonly #count: (what: string) => void;
  #file: EditedFile;
  readonly #hooks: (workflow: string) => object;
  /** What was done to the run, for the message of a failure. */
  readonly story: string[];

  constructor(t: TestContext, random: Random, count: (what: string) => void) {
    this.#random = random;
    this.#project = project(t, []);
    this.#file = randomKilledFile(random);
    this.#hooks = randomHooks(random);
    const text = this.#write(this.#file);
    this.story = [text];
    this.#model = new KillModel(this.#file, text);
    this.#count = count;
  }

  /** Returns after the run has succeeded, or when there were enough kills. No process of it is left then. */
  async carryOut(isEnough: () => boolean): Promise<void> {
    try {
      await this.#repeat(isEnough);
    } finally {
      await endProcessesIn(this.#project.cwd);
    }
  }

  async #repeat(isEnough: () => boolean): Promise<void> {
    let words: readonly string[] = ['run', 'ci'];
    for (let count = 1; !isEnough(); count += 1) {
      assert.ok(count <= 2 * SESSIONS, 'the run does not end');
      await this.#session(words, count <= SESSIONS);
      const last = this.#sessions().at(-1);
      if (last === undefined) continue;
      const finish = last.records.findLast((record) => record.kind === 'finish');
      if (finish?.success === true) {
        this.#model.checkFinished();
        assert.match((await this.#cli(['runs', 'list'])).stdout, /"state":"succeeded"/);
        return;
      }
      words = await this.#decide(count <= SESSIONS);
    }
  }

  /** Runs or resumes the workflow, and kills it in most cases. */
  async #session(words: readonly string[], mayKill: boolean): Promise<void> {
    const { cwd, effects } = this.#project;
    const [sessions, orphans] = [this.#sessions().length, [...processesIn(cwd)]];
    const output = openSync(join(cwd, 'output'), 'w');
    const child = startRecorded(cwd, words, ['ignore', output, output]);
    closeSync(output);
    const isKilled = mayKill && this.#random.chance(0.9);
    const kill = isKilled ? randomKill(this.#random) : { name: 'nothing', blows: [], pause: 0 };
    const hits = await killAt(child, kill, randomMoment(this.#random), join(cwd, 'effects'));
    const { exitCode, signalCode } = child;
    this.story.push(`${words.join(' ')}: ${kill.name} (${hits.join(', ')}): ${signalCode ?? exitCode}`);
    if (signalCode !== null) this.#count(`kills by ${kill.name}`);
    const printed = readFileSync(join(cwd, 'output'), 'utf8');
    if (signalCode === null) assert.ok(exitCode === 0 || exitCode === 1, `exit code ${exitCode}:\n${printed}`);
    if (signalCode !== 'SIGKILL') {
      // A resume that is interrupted before its session begins leaves the orphans of the last session alone.
      const isBegun = this.#sessions().length > sessions;
      const left = [...processesIn(cwd)].filter(([pid]) => isBegun || orphans.every(([orphan]) => orphan !== pid));
      assert.deepEqual(left, [], 'processes are left');
    }
    this.#model.audit(this.#sessions(), parseEffects(effects()), hits[1] === true);
  }

  /** Edits the file in some cases, and answers the questions of its plan. Returns the command line of the resume. */
  async #decide(mayEdit: boolean): Promise<readonly string[]> {
    const isEdited = mayEdit && this.#random.chance(0.7);
    const edits = this.#random.pick([MOVES, CHANGES, [...MOVES, ...CHANGES], [changeCommand]]);
    const file = isEdited ? randomlyEdited(this.#file, this.#random, edits) : this.#file;
    const text = this.#write(file);
    const plan = await this.#plan([]);
    if (plan === undefined) {
      assert.ok(isEdited, 'a file that was valid is not any more');
      this.#write(this.#file);
      return await this.#decide(false);
    }
    if (isEdited) this.#count('edits');
    this.story.push(
      isEdited ? JSON.stringify([...file]) : 'not edited',
      plan.paths.map((path, index) => `${path}: ${plan.steps[index]?.state}`).join('; '),
    );
    this.#model.checkUndecided(shown(plan), file);
    const flags = await this.#answer(plan);
    const decided = flags.length === 0 ? plan : await this.#plan(flags);
    assert.ok(decided?.can_resume === true, `the plan with ${flags.join(' ')} cannot be resumed`);
    this.#file = file;
    this.#model.begin(
      shown(decided),
      file,
      text,
      flags.some((flag) => ['--changed', '--done', '--rerun'].includes(flag)),
    );
    const orphans = this.#random.pick(['wait', 'end', 'end']);
    return ['resume', '--last', ...flags, '--orphans', orphans];
  }

  /** The flags that decide about a plan. */
  async #answer(plan: Plan): Promise<readonly string[]> {
    const states = plan.steps.map(({ state }) => state);
    const flags: string[] = [];
    if (states.includes('unknown')) flags.push('--on-crash', this.#random.pick(['rerun', 'rerun', 'rerun', 'fail']));
    if (states.some((state) => CONFLICTS.includes(state))) {
      this.#count('conflicts');
      flags.push('--changed', this.#random.pick(['keep', 'keep', 'rerun']));
    }
    const index = this.#random.below(states.length);
    const flag = states[index] === 'kept' ? '--rerun' : '--done';
    const isPossible = ['kept', 'unknown'].includes(states[index] ?? '') && plan.steps[index]?.name !== 'give';
    if (!isPossible || !this.#random.chance(flag === '--rerun' ? 0.1 : 0.5)) return flags;
    // The path may name several steps, which is an error.
    const named = [...flags, flag, plan.paths[index] ?? ''];
    const isAccepted = (await this.#plan(named))?.can_resume === true;
    if (isAccepted) this.#count(`steps named by ${flag}`);
    return isAccepted ? named : flags;
  }

  /** The plan of a resume; undefined if it is refused. */
  async #plan(flags: readonly string[]): Promise<Plan | undefined> {
    const { code, stdout, stderr } = await this.#cli(['resume', '--last', '--dry-run', ...flags]);
    if (code === 2) {
      assert.match(stderr, flags.length === 0 ? /workflow\.json:\d+:\d+: error: / : /^cli: /m);
      return undefined;
    }
    const lines = stderr.split('\n').flatMap((line) => /^ {2}[=>?!-] (.*?)(?: {2}|$)/.exec(line)?.[1] ?? []);
    const plan = v.parse(Plan, JSON.parse(stdout));
    assert.deepEqual([lines.length, code], [plan.steps.length, plan.can_resume ? 0 : 1], stderr);
    return { ...plan, paths: lines };
  }

  async #cli(words: readonly string[]): Promise<CommandResult> {
    const result = await this.#project.cli(words);
    assert.ok(result.code !== null && result.code <= 2, `${words.join(' ')}: ${result.code}\n${result.stderr}`);
    return result;
  }

  /** The sessions of the run. A run that was killed before its first session began does not count. */
  #sessions(): readonly SessionContent[] {
    const runs = join(this.#project.cwd, '.cli/runs');
    const names = existsSync(runs) ? readdirSync(runs, { recursive: true, encoding: 'utf8' }) : [];
    const files = names.flatMap((name) => {
      const number = /session-(\d+)\.ndjson$/.exec(name)?.[1];
      return number === undefined ? [] : [{ name, number: Number(number) }];
    });
    return files
      .toSorted((one, other) => one.number - other.number)
      .map(({ name }) => {
        const { content, damage } = readSession([readFileSync(join(runs, name))]);
        assert.ok(content !== null && damage === null, `${name} is damaged: ${JSON.stringify(damage)}`);
        return content;
      });
  }

  #write(file: EditedFile): string {
    return writeKilledFile(this.#project.cwd, file, this.#hooks);
  }
}

function shown({ steps, gone, can_resume: canResume }: Plan) {
  return { steps, gone: gone.map(({ command }) => command), canResume };
}
