import { DEPTH_LIMIT, isTooDeep } from '../../../export/plan_tree.ts';
import type { Op } from '../../../ir/plan.ts';
import { exportScript } from '../../../export/export_script.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { PLUS } from '../../command_line/choose_workflow.ts';
import { failure, type Result } from '../../../base/result.ts';
import { prepare, type Prepared } from '../../driver/prepare_run.ts';
import { escapeForTerminal } from '../../output/escape.ts';
import { print } from '../../output/document.ts';
import { EXIT, printStderr, refuse, type Io } from '../../output/io.ts';
import { printMessages } from '../../output/messages/print_messages.ts';

/** `workflow export`: prints a workflow as a bash script. */
export async function exportWorkflow(io: Io, options: Options): Promise<number> {
  if (options.words.some((word, index) => index % 2 === 1 && word !== PLUS)) {
    return refuse(io, ['`export` takes no parameters: the script does, as KEY:VALUE']);
  }
  const prepared = await printMessages(io, options, prepare(io, options, 'export'));
  if (prepared === undefined) return EXIT.cannotStart;
  const { since } = options;
  const decided =
    since === undefined
      ? undefined
      : await (await import('../../driver/since/decide_since.ts')).decideSince(io, prepared, since, () => undefined);
  if (decided?.ok === false) return refuse(io, decided.problems);
  printStderr(io, decided?.value.notes ?? [], 'cli: ');
  const { plan } = decided?.value.prepared ?? prepared;
  const script = scriptOf({ ...prepared, plan });
  return script.ok ? print(io, [script.value], EXIT.ok) : refuse(io, script.problems);
}

/** The script of a prepared workflow, or why there is none. */
export function scriptOf({ plan, path, position, logs = false }: Prepared): Result<string> {
  const once = plan.calls.find(({ start, guard }) => guard !== null && isFirst(plan.ops[start - 1]));
  if (once !== undefined) {
    const { workflow: name } = once;
    return failure(`'export' does not support 'once': several steps call workflow '${name}', which runs once`);
  }
  const locked = plan.calls.find(({ lock }) => lock !== undefined);
  if (locked !== undefined) {
    const why = 'a script cannot wait for the runs of cli that hold it';
    return failure(`'export' does not support 'lock': workflow '${locked.workflow}' holds one, and ${why}`);
  }
  const file = plan.frames.flatMap(({ dotenv = [] }) => dotenv).find(({ lookups }) => lookups !== undefined);
  if (file !== undefined) {
    const why = 'a script names its dotenv files before it knows its parameters';
    return failure(`'export' does not support references in 'dotenv': ${why}, and '${file.path}' has one`);
  }
  if (isTooDeep(plan))
    return failure(`the calls of workflow '${plan.workflow}' are more than ${DEPTH_LIMIT} levels deep`);
  const where = ({ offset }: { readonly offset: number }): string => {
    const { file, line } = position(offset);
    return `${file}:${line}`;
  };
  return { ok: true, value: exportScript(plan, { path, where, shown: escapeForTerminal, logs }) };
}

/** Whether an op is the check of a call that runs once. */
function isFirst(op: Op | undefined): boolean {
  return op?.kind === 'condition' && op.test.kind === 'first';
}
