/* Everything that packages/ may import from src. */

export type {
  Engine,
  Followed,
  OpenRuns,
  Printer,
  RemoteEntry,
  RemoteHistory,
  RunEnd,
  RunQuery,
  Submission,
  TextEnd,
  WorkerSettings,
} from './driver/remote/engine.ts';
export type { RemoteRun } from './driver/remote/remote_run.ts';
export type { FromRunProcess, ToRunProcess } from './driver/remote/run_channel.ts';
export { endUnattended, findUnattended, type UnattendedRun } from './driver/remote/unattended.ts';
export { attemptsOf, isKept } from './journal/fold_history.ts';
export { FORMAT_VERSION } from './journal/format_version.ts';
export { isRemoteName } from './journal/run_id.ts';
export type { SessionRecord } from './journal/record.ts';
export { generatedName } from './generated_name.ts';
export { failure, type Result } from './result.ts';
export { DEFAULT_FILE } from './command_line/default_file.ts';
export { load, type ReadFile } from './driver/load.ts';
export { findDirectory } from './driver/find_directory.ts';
export { fixOf } from './frontend/names/fixes.ts';
export { locate, type Location } from './frontend/names/locate.ts';
export type { FoundName } from './frontend/names/names.ts';
export { sitesIn, type SiteScope } from './frontend/names/sites.ts';
export { fieldHelp } from './frontend/schema/field_help.ts';
export { fixedValues } from './frontend/schema/fixed_values.ts';
export { KIND_FIELDS } from './frontend/schema/schema.ts';
export { parseTolerantly, type JsonNode, type Member } from './frontend/syntax/json_tree.ts';
export { inputLines } from './ir/views/describe_input.ts';
export { isSecret } from './ir/secrets.ts';
export { explanationText } from './output/explanation_text.ts';
export { diagnosticsOf, type DetailedDiagnostic } from './library/diagnostics.ts';
export { foundNames } from './library/names.ts';
export { loadedProject, type NamedPart } from './library/projects.ts';
export { unreachable } from './unreachable.ts';
export { share } from './reporters/file/html_timeline.ts';
export { RESUMABLE } from './journal/run_state.ts';
export { isBad } from './reporters/file/reported_result.ts';
export { SIGNS, STYLE } from './reporters/file/html_style.ts';
export { formatElapsed } from './output/quantities.ts';
export { RecordedRuns, type ListedRun } from './door/recorded_runs.ts';
export type { RemoteRuns } from './door/remote/remote_runs.ts';
export type { Choices, Preview, StartAction } from './door/run_actions.ts';
export { createKey, planResume, planRun, type PlannedRun } from './door/planned_run.ts';
export { startRun, type StartedRun } from './door/start_run.ts';
export { escapeHidden } from './hidden_characters.ts';
export { withoutSequences } from './backend/outputs/mask.ts';
export { shownLine } from './door/run_actions.ts';
export { ownCommand } from './backend/process/own_process.ts';
export { CHANGED } from './driver/runs/expected_run.ts';
export { UNRECORDED, isUnrecorded } from './driver/runs/record_run.ts';
export { planDigest } from './ir/views/plan_digest.ts';
export { PolicySinceStart } from './door/agents/policy_since_start.ts';
export type { AgentPolicy } from './frontend/ast.ts';
export { approvalLines, approvalText, startOfText } from './door/agents/approval_text.ts';
export { agentWorkflows, type AgentWorkflow } from './door/agents/agent_workflows.ts';
export type { Options } from './command_line/parse.ts';
export type { Io } from './output/io.ts';
export type { RunDocument } from './door/reports/run_document.ts';
export type { RecordedOp } from './door/reports/recorded_report.ts';
export { VERSION } from './version.ts';
