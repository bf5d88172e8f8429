import { openSync } from 'node:fs';
import { optionsOf, receiveStartMessage } from '../../run_data/start_message.ts';
import type { ExpectedRun } from '../../driver/recording/expected_run.ts';
import { keyedDigest } from '../../../ir/views/plan_digest.ts';
import { refuse, type Io } from '../../output/io.ts';

/** `workflow process -- run`: starts or resumes a run for a page or an agent, if its plan is what was shown there. */
export async function startedRun(io: Io): Promise<number> {
  const message = receiveStartMessage();
  if (message === undefined) return refuse(io, ["'workflow process' is started by workers, pages and agents only"]);
  const { run, key, digest, request, agent } = message;
  const secret = Buffer.from(key, 'hex');
  const expected: ExpectedRun = {
    run,
    agent,
    isShown: (digested, texts) => keyedDigest(secret, digested, texts) === digest,
    // The process that reads the messages may end before the run, whose logs have the output of its commands. Standard
    // error itself stays open: another thread that opens a file would get its descriptor.
    onBegin: (shared) => shared.redirect(openSync('/dev/null', 'w')),
  };
  const options = optionsOf(request);
  if (request.command === 'run') return (await import('../run.ts')).run(io, options, expected);
  return (await import('../resume.ts')).resume(io, options, expected);
}
