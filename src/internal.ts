/* Everything that packages/ may import from src. */

export type {
  Engine,
  Followed,
  Printer,
  RemoteEntry,
  RemoteOp,
  RunEnd,
  RunQuery,
  Submission,
  WorkerSettings,
} from './driver/remote/engine.ts';
export type { RemoteRun } from './driver/remote/remote_run.ts';
export type { FromRunProcess, ToRunProcess } from './driver/remote/run_channel.ts';
export { endUnattended, findUnattended, type UnattendedRun } from './driver/remote/unattended.ts';
export { attemptsOf, isKept } from './journal/fold_history.ts';
export { FORMAT_VERSION } from './journal/format_version.ts';
export type { SessionRecord } from './journal/record.ts';
export { failure, type Result } from './result.ts';
export { VERSION } from './version.ts';
