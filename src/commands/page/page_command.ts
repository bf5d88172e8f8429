import { SIGNALS } from '../../backend/command_runner.ts';
import type { Options } from '../../command_line/parse.ts';
import { EXIT, printStderr, refuse, type Io } from '../../output/io.ts';
import { enterDirectoryOfRuns } from '../runs/enter_directory.ts';
import { RecordedRuns } from '../../door/recorded_runs.ts';

const MAX_PORT = 65_535;

/** `ui`: serves the page of runs until a signal ends it. */
export async function page(io: Io, options: Options): Promise<number> {
  const given = options.values.get('port') ?? '0';
  const port = /^\d{1,5}$/.test(given) ? Number(given) : Infinity;
  const [word] = options.words;
  if (word !== undefined) return refuse(io, [`unexpected argument '${word}'`]);
  if (port > MAX_PORT) return refuse(io, [`--port must be a number from 0 to ${MAX_PORT}, not '${given}'`]);
  enterDirectoryOfRuns(io, options);
  const place = { directory: process.cwd(), readOnly: options.switches.has('read-only') };
  const runs = RecordedRuns.open(io, place);
  if (!runs.ok) return refuse(io, runs.problems);
  const isOver = new Promise((resolve) => {
    for (const signal of SIGNALS) process.on(signal, resolve);
  });
  const { serve } = await import('./ui.cjs');
  const served = await serve({ ...place, runs: runs.value, port });
  if (!served.ok) return refuse(io, served.problems);
  const { key, close } = served.value;
  printStderr(io, [`runs of ${place.directory} at http://127.0.0.1:${served.value.port}/#k=${key}`], 'cli: ');
  await isOver;
  close();
  return EXIT.ok;
}
