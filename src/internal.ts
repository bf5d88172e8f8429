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
} from './cli/engine/engine.ts';
export type { RemoteRun } from './cli/engine/remote_run.ts';
export type { FromRunProcess, ToRunProcess } from './cli/engine/run_channel.ts';
export { endUnattended, findUnattended, type UnattendedRun } from './cli/engine/unattended_runs.ts';
export { attemptsOf, isKept } from './records/journal/fold_history.ts';
export { parseJson } from './records/journal/parse_json.ts';
export { FORMAT_VERSION } from './records/journal/format_version.ts';
export { isRemoteName } from './records/journal/run_id.ts';
export type { SessionRecord } from './records/journal/record.ts';
export { generatedName } from './base/generated_name.ts';
export { failure, type Result } from './base/result.ts';
export { DEFAULT_FILE } from './cli/command_line/default_file.ts';
export { load, type ReadFile } from './cli/driver/load.ts';
export { findDirectory } from './cli/driver/find_directory.ts';
export { fixOf } from './frontend/names/fixes.ts';
export { locate, type Location } from './frontend/names/locate.ts';
export type { FoundName } from './frontend/names/find_names.ts';
export { allowsOutputs, sitesIn, type SiteScope } from './frontend/names/sites.ts';
export { fieldHelp } from './frontend/schema/field_help.ts';
export { fixedValues } from './frontend/schema/fixed_values.ts';
export { KIND_FIELDS } from './frontend/schema/step_fields.ts';
export { parseTolerantly } from './frontend/syntax/json_problems.ts';
export { isTrue, items, memberOf, members, stringOf, type JsonNode, type Member } from './frontend/syntax/json_tree.ts';
export { inputLines } from './ir/views/describe_input.ts';
export { isSecret } from './ir/secret_names.ts';
export { explanationText } from './cli/output/explanation_text.ts';
export { diagnosticsOf, type DetailedDiagnostic } from './library/diagnostics.ts';
export { foundNames } from './library/names.ts';
export { loadedProject, type NamedPart } from './library/projects.ts';
export { marksOf, share, tickOf } from './cli/reporters/file/html_timeline.ts';
export { isCounted } from './cli/run_data/statistics/statistics.ts';
export { RESUMABLE } from './records/journal/journal.ts';
export { isBad } from './cli/reporters/file/report.ts';
export { SIGNS, STYLE } from './cli/reporters/file/html_style.ts';
export { formatAge, formatElapsed } from './cli/output/quantities.ts';
export { LAST_LINES, truncateLine, truncateLines } from './base/truncate.ts';
export { RecordedRuns, type ListedRun } from './cli/run_data/recorded_runs.ts';
export type { RemoteRuns } from './cli/run_data/remote/remote_runs.ts';
export type { Choices, Preview, StartAction } from './cli/run_data/run_actions.ts';
export { createKey, planResume, planRun, type PlannedRun } from './cli/run_data/planned_run.ts';
export { startRun, type StartedRun } from './cli/run_data/start_run.ts';
export { escapeHidden } from './base/hidden_characters.ts';
export { withoutSequences } from './backend/outputs/value_mask.ts';
export { shownLine } from './cli/run_data/start_message.ts';
export { ownCommand } from './backend/process/own_process.ts';
export { CHANGED } from './cli/driver/recording/expected_run.ts';
export { UNRECORDED, isUnrecorded } from './cli/driver/recording/record_run.ts';
export { planDigest } from './ir/views/plan_digest.ts';
export { PolicySinceStart } from './cli/run_data/agents/policy_since_start.ts';
export type { AgentPolicy } from './frontend/ast.ts';
export { approvalLines, approvalText, startOfText } from './cli/run_data/agents/approval_text.ts';
export { agentWorkflows, type AgentWorkflow } from './cli/run_data/agents/policy_since_start.ts';
export type { Options } from './cli/command_line/parse_command_line.ts';
export type { Io } from './cli/output/io.ts';
export type { RunDocument } from './cli/run_data/reports/run_document.ts';
export { isOpen, type RecordedOp } from './cli/run_data/reports/recorded_report.ts';
export { VERSION } from './base/version.ts';
