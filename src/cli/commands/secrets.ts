import { findShell } from '../../backend/system/find_shell.ts';
import { markerName } from '../../backend/process/base_environment.ts';
import { ShellRunner } from '../../backend/process/shell_runner.ts';
import { systemTable } from '../../backend/process/table/system_table.ts';
import { SharedStderr } from '../../backend/outputs/shared_stderr.ts';
import type { SessionSecrets } from '../../backend/secrets/session_secrets.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import type { WorkflowFile } from '../../frontend/ast.ts';
import { commandsOf, declaredSecrets } from '../../frontend/lint/scopes.ts';
import { programOf } from '../../ir/compile/secret_table.ts';
import type { PlanSecret, SecretProgram } from '../../ir/plan.ts';
import { programLine } from '../../ir/views/describe_secret.ts';
import { table } from '../output/columns.ts';
import { terminalColumns } from '../output/terminal.ts';
import { print, printDocument } from '../output/document.ts';
import { EXIT, refuse, type Io } from '../output/io.ts';
import { loadList } from './list.ts';
import { openSecrets } from './run/fetch_secrets.ts';

/** A declared secret, and the steps and hooks that list it. */
type Declared = PlanSecret & Readonly<{ source: SecretProgram; steps: readonly string[] }>;

/** `workflow secrets`: prints the secrets of a file in its order, and whether they can be had. */
export async function secrets(io: Io, options: Options): Promise<number> {
  const file = await loadList(io, options);
  if (file === undefined) return EXIT.cannotStart;
  const declared = secretsIn(file);
  const checked = options.check === undefined ? undefined : await check(io, declared);
  if (typeof checked === 'number') return checked;
  const exit = checked?.some((each) => each?.ok === false) === true ? EXIT.no : EXIT.ok;
  const entries = declared.map(({ name, source, steps }, index) => {
    const isInherited = (io.env[name] ?? '') !== '';
    const [from, result] = [isInherited ? 'environment' : 'command', checked?.[index]] as const;
    // Null for a provider whose arguments depend on the command that lists the secret.
    const ok = checked && (result?.ok ?? null);
    const error = result?.ok === false ? result.problems.join('; ') : undefined;
    return { name, source: from, command: source.command, steps, ok, error };
  });
  if (options.format !== 'table') return printDocument(io, entries, options, exit);
  const rows = entries.map((entry, index) => {
    const source = declared[index]?.source;
    const from = entry.source === 'environment' || source === undefined ? 'environment' : programLine(source, isShown);
    const result = entry.ok === undefined ? [] : [resultText(entry.ok, entry.error)];
    return [entry.name].concat(result, from, entry.steps.join(', '));
  });
  return print(io, table(rows, terminalColumns(io.stdout)), exit);
}

/** Arguments are shown as written: they contain no value. */
const isShown = (): boolean => false;

function resultText(ok: boolean | null, error: string | undefined): string {
  return ok === null ? 'not checked' : ok ? 'ok' : (error ?? '');
}

/** The secrets of a file and its includes, in file order. Copies of a file that is included several times share theirs. */
function secretsIn(file: WorkflowFile): readonly Declared[] {
  const found = new Map<string, Declared & { readonly steps: string[] }>();
  const keys = new Map<object, string>();
  for (const declared of declaredSecrets(file)) {
    for (const [name, each] of declared) {
      const source = programOf(each);
      const key = JSON.stringify([name, source.command, source.value, source.timeout]);
      keys.set(each, key);
      found.set(key, found.get(key) ?? { name, source, steps: [] });
    }
  }
  for (const [{ secrets: listed = [] }, { workflow }, step] of commandsOf(file)) {
    const own = file.workflows.get(workflow)?.scope?.secrets ?? file.secrets;
    for (const { name } of listed) {
      const key = keys.get(own.get(name) ?? {}) ?? '';
      found.get(key)?.steps.push(workflow === '' ? step : `${workflow}/${step}`);
    }
  }
  return [...found.values()];
}

type SecretResult = ReturnType<SessionSecrets['resultOf']>;

/** Gets each secret once. Returns the results, or the exit code if a signal or a missing shell prevents that. */
async function check(io: Io, declared: readonly Declared[]): Promise<readonly SecretResult[] | number> {
  const shared = new SharedStderr(io.stderr);
  const session = openSecrets({ ...io, shared }, { secrets: declared });
  const shell = findShell(io.env['PATH']);
  if (shell === undefined) return refuse(io, ['neither bash nor sh was found in PATH']);
  const runner = new ShellRunner({
    shell,
    marker: markerName(process.pid, process.hrtime.bigint()),
    stdin: io.stdin,
    stderr: shared,
    table: await systemTable(),
  });
  session.use(runner);
  const list = declared.flatMap(({ source }, index) => (source.lookups === undefined ? index : []));
  await runner.finish(session.fetch(list, () => runner.interruption !== undefined));
  const { interruption } = runner;
  if (interruption !== undefined) return (await io.die(interruption.signal)) || EXIT.cannotStart;
  return declared.map((_, index) => session.resultOf(index));
}
