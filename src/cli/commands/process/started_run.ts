import { openSync } from 'node:fs';
import { readCommandLine } from '../../command_line/quick_parser.ts';
import { receiveStartMessage } from '../../runs/start_message.ts';
import type { ExpectedRun } from '../../driver/runs/expected_run.ts';
import { keyedDigest } from '../../../ir/views/plan_digest.ts';
import { refuse, type Io } from '../../output/io.ts';

/** `workflow process -- LINE`: executes a command line for a page or an agent, if its plan is what was shown there. */
export async function startedRun(io: Io, line: readonly string[]): Promise<number> {
  const message = receiveStartMessage();
  if (message === undefined) return refuse(io, ["'workflow process' is started by workers, pages and agents only"]);
  const request = await readCommandLine(line);
  if (request.kind === 'usage error') return refuse(io, request.problems);
  const { run, key, digest, agent } = message;
  const secret = Buffer.from(key, 'hex');
  const expected: ExpectedRun = {
    run,
    agent,
    isShown: (digested, texts) => keyedDigest(secret, digested, texts) === digest,
    // The process that reads the messages may end before the run, whose logs have the output of its commands. Standard
    // error itself stays open: another thread that opens a file would get its descriptor.
    onBegin: (shared) => shared.redirect(openSync('/dev/null', 'w')),
  };
  const options = request.kind === 'command' && { ...request.options, isFound: true };
  if (options && request.command === 'workflow run') return (await import('../run.ts')).run(io, options, expected);
  if (options && request.command === 'workflow resume')
    return (await import('../resume.ts')).resume(io, options, expected);
  return refuse(io, ["'workflow process' starts runs only"]);
}
