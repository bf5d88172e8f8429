import { hostname } from 'node:os';
import { PLAN_FORMAT } from '../../../ir/plan.ts';
import { isRemoteName } from '../../../records/journal/run_id.ts';
import { loadEngine } from '../../engine/load_engine.ts';
import { messageFromRun } from '../../engine/run_channel.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { EXIT, refuse, type Io } from '../../output/io.ts';
import { nameProblem, printerOf } from './run_on_worker.ts';

/** The numeric flags: name, default and minimum. */
const NUMBERS = [
  ['jobs', 1, 1],
  ['lease', 30, 2],
  ['keep', 30, 1],
] as const;

/** `worker`: executes runs from a database in the current directory, until a signal arrives. */
export async function worker(io: Io, options: Options): Promise<number> {
  const { tag: tags, untagged, ownPlans } = options;
  const url = options.on ?? io.env['CLI_ON'];
  if (!url) return refuse(io, ["flag '--on' is missing: the URL of the database"]);
  const name =
    options.name ??
    hostname()
      .replaceAll(/[^A-Za-z0-9._-]/g, '-')
      .slice(0, 64);
  const invalid = NUMBERS.filter(([flag, , minimum]) => !isNumber(options[flag], minimum));
  const problems = [
    ...(tags.every(isRemoteName) ? [] : [nameProblem('tag')]),
    ...(isRemoteName(name) ? [] : [nameProblem('name')]),
    ...invalid.map(([flag, , minimum]) => `flag '--${flag}' must be a number from ${minimum} on`),
  ];
  if (problems.length > 0) return refuse(io, problems);
  const engine = await loadEngine(io);
  const script = process.argv[1];
  if (!engine.ok) return refuse(io, engine.problems);
  if (script === undefined) return EXIT.cannotStart;
  const [jobs, lease, keep] = NUMBERS.map(([flag, fallback]) => Number(options[flag] ?? fallback));
  const settings = {
    url,
    format: PLAN_FORMAT,
    name,
    tags,
    untagged: untagged || tags.length === 0,
    jobs: jobs ?? 1,
    lease: lease ?? 30,
    keep: keep ?? 30,
    ownPlans,
    runProcess: [process.execPath, script, 'workflow', 'process'],
    readMessage: messageFromRun,
    env: io.env,
  } as const;
  return engine.value.work(settings, printerOf(io));
}

function isNumber(text: string | undefined, minimum: number): boolean {
  return text === undefined || (/^\d{1,6}$/.test(text) && Number(text) >= minimum);
}
