import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTree, withoutComments } from '../support/code_text.ts';

const { sources } = readTree('src');

test('the list of lazily loaded parts is complete', () => {
  const lines = [...sources].flatMap(([path, source]) =>
    [...withoutComments(source).matchAll(/\b(?:import|require)\s*\(([^)]*)\)/g)].map(([, what]) => `${path}: ${what}`),
  );
  assert.deepEqual(
    [...new Set(lines)].toSorted(),
    [
      "backend/secrets/session_secrets.ts: '../outputs/read_outputs.ts'",
      "cli.ts: './commands/auth_status.ts'",
      "cli.ts: './commands/language_server.ts'",
      "cli.ts: './commands/page/page_command.ts'",
      "commands/page/page_command.ts: '../../door/remote/remote_runs.ts'",
      "commands/page/page_command.ts: '../../driver/remote/load_engine.ts'",
      "commands/page/page_command.ts: './ui.cjs'",
      "cli.ts: './commands/mcp/agent_server.ts'",
      "commands/mcp/agent_server.ts: './mcp.cjs'",
      "commands/language_server.ts: './lsp.cjs'",
      ...['explain', 'graph', 'help/show_help', 'help/unknown_command', 'init', 'list'].map(
        (name) => `cli.ts: './commands/${name}.ts'`,
      ),
      ...['diff', 'export', 'write_plan'].map((name) => `cli.ts: './commands/plans/${name}.ts'`),
      ...['run_process', 'runs_on', 'worker'].map((name) => `cli.ts: './commands/remote/${name}.ts'`),
      ...['run', 'status'].map((name) => `cli.ts: './commands/run/${name}.ts'`),
      ...['resume', 'runs_list', 'runs_logs', 'runs_prune', 'runs_show'].map(
        (name) => `cli.ts: './commands/runs/${name}.ts'`,
      ),
      ...['schema', 'secrets', 'validate'].map((name) => `cli.ts: './commands/${name}.ts'`),
      "backend/system/limit_heap.ts: 'node:v8'",
      "commands/secrets.ts: '../backend/process/ps_table.ts'",
      ...['complete', 'scripts'].map((name) => `cli.ts: './completion/${name}.ts'`),
      "cli.ts: './reporters/internal_error.ts'",
      "command_line/quick_parser.ts: './yargs_parser.ts'",
      "door/outline_lines.ts: './check_states.ts'",
      "commands/graph.ts: './plans/graph_path.ts'",
      ...['../../command_line/help/topics', './unknown_command', './workflow_help'].map(
        (path) => `commands/help/show_help.ts: '${path}.ts'`,
      ),
      ...['just/justfile_dump', 'make/makefile', 'npm/package_file', 'task/taskfile_yaml'].map(
        (name) => `commands/init.ts: './init/sources/${name}.ts'`,
      ),
      "commands/plans/diff.ts: '../../driver/unknown_workflow.ts'",
      "commands/plans/diff.ts: './diff_markdown.ts'",
      ...['check_plan', 'digest_plan'].map((name) => `commands/plans/write_plan.ts: './${name}.ts'`),
      ...['checkout', 'own_plan'].map((name) => `commands/remote/run_process.ts: '../../driver/remote/${name}.ts'`),
      ...['driver/runs/confirmation', 'ir/views/disassembly'].map(
        (path) => `commands/run/carry_out.ts: '../../${path}.ts'`,
      ),
      "commands/run/carry_out.ts: './same_command.ts'",
      "driver/lint.ts: '../frontend/lint/foreign_references.ts'",
      "driver/runs/selected_part.ts: './select_part.ts'",
      "commands/run/run.ts: '../plans/digest_plan.ts'",
      "commands/run/run.ts: './ask_inputs.ts'",
      "commands/watch/watch.ts: '../run/ask_inputs.ts'",
      ...['dry_run', 'page/page_of_run', 'plans/simulate_run', 'remote/run_on', 'watch/watch'].map(
        (path) => `commands/run/run.ts: '../${path}.ts'`,
      ),
      ...['outputs/branch_output', 'outputs/capture', 'process/ps_table'].map(
        (path) => `commands/run/run_ports.ts: '../../backend/${path}.ts'`,
      ),
      ...['driver/runs/confirmation', 'reporters/keep_output'].map(
        (path) => `commands/run/run_ports.ts: '../../${path}.ts'`,
      ),
      "commands/run/run_ports.ts: './fetch_secrets.ts'",
      "commands/run/run_ports.ts: './terminal_members.ts'",
      "commands/remote/runs_on.ts: '../runs/runs_table.ts'",
      "commands/remote/runs_on.ts: './show_on.ts'",
      "commands/remote/show_on.ts: '../runs/run_text.ts'",
      "commands/remote/run_process.ts: '../page/page_command.ts'",
      "commands/remote/run_process.ts: '../run/started_run.ts'",
      ...['./run', '../runs/resume'].map((path) => `commands/run/started_run.ts: '${path}.ts'`),
      "commands/run/run_ports.ts: './open_checks.ts'",
      ...['list', 'logs'].map((name) => `commands/runs/runs_${name}.ts: '../remote/runs_on.ts'`),
      "commands/runs/runs_list.ts: './runs_table.ts'",
      ...['file/html', 'file/report_file'].map((name) => `commands/runs/runs_show.ts: '../../reporters/${name}.ts'`),
      ...['../remote/runs_on', './run_text', './shown_run'].map((path) => `commands/runs/runs_show.ts: '${path}.ts'`),
      "commands/validate.ts: '../driver/checks/check_references.ts'",
      ...['findings', 'print_rendered', 'render'].map(
        (name) => `commands/validate.ts: '../output/messages/${name}.ts'`,
      ),
      "driver/compile_workflow.ts: '../ir/compile/secret_table.ts'",
      "driver/compile_workflow.ts: './variables/unlinked.ts'",
      "driver/include/read_workflow.ts: './load_includes.ts'",
      "driver/load.ts: './find_file.ts'",
      ...['operand_errors', 'unknown_workflow', 'variables/link_plan'].map(
        (path) => `driver/prepare.ts: './${path}.ts'`,
      ),
      "driver/remote/check_environment.ts: './remote_errors.ts'",
      'driver/remote/load_engine.ts: file',
      "driver/revisions/load_sides.ts: '../find_file.ts'",
      "driver/runs/record_run.ts: '../../journal/prune.ts'",
      ...['../../command_line/input_usage', '../runs/confirmation'].map(
        (path) => `driver/variables/check_values.ts: '${path}.ts'`,
      ),
      ...['dotenv', 'unlinked'].map((name) => `driver/variables/link_plan.ts: './${name}.ts'`),
      "driver/variables/param_warnings.ts: '../../frontend/diagnostics/suggest.ts'",
      ...['check/rare_fields', 'check/secrets/secret_checkers', 'references/reference_parser'].map(
        (name) => `frontend/parse.ts: './${name}.ts'`,
      ),
      "main.ts: 'node:os'",
      "output/messages/print_messages.ts: './print_rendered.ts'",
      "output/messages/print_rendered.ts: './findings.ts'",
      ...['html', 'junit'].map((name) => `reporters/file/report_file.ts: './${name}.ts'`),
      ...['events/event_file', 'file/report_file', 'github', 'terminal/progress', 'keep_output'].map(
        (name) => `reporters/observers.ts: './${name}.ts'`,
      ),
      "reporters/keep_output.ts: '../backend/outputs/command_logs.ts'",
      "state/patterns.ts: './wildcards.ts'",
    ].toSorted(),
  );
});
