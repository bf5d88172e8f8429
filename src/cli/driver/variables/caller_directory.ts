import { isCommand } from '../../../ir/ops.ts';
import { CALLER_DIRECTORY, CALLER_REFERENCE } from '../../../base/caller_reference.ts';
import type { Frame, Op, OutputRead, Plan, ScopedVariable } from '../../../ir/plan.ts';

/** A linked plan with the directory in place of the references to it. */
export function withCallerDirectory(plan: Plan, env: Readonly<Record<string, string | undefined>>): Plan {
  const directory = env[CALLER_DIRECTORY] ?? '.';
  const expand = (text: string): string => text.replaceAll(CALLER_REFERENCE, () => directory);
  const { frames, ops, secrets } = plan;
  const expanded = {
    ...plan,
    frames: frames.map((frame) => expandFrame(frame, expand)),
    ops: ops.map((op) => expandOp(op, expand)),
  };
  if (secrets === undefined) return expanded;
  const expandedSecrets = secrets.map(({ name, source }) => {
    return { name, source: source && { ...source, command: source.command.map(expand) } };
  });
  return { ...expanded, secrets: expandedSecrets };
}

function refers(text: string | null | undefined): text is string {
  return text?.includes(CALLER_REFERENCE) === true;
}

function expandFrame(frame: Frame, expand: (text: string) => string): Frame {
  if (!frame.vars.some(([, value]) => refers(value))) return frame;
  return { ...frame, vars: frame.vars.map((variable) => expandVariable(variable, expand)) };
}

function movedRead(read: OutputRead, by: number): OutputRead {
  return { ...read, start: read.start + by, end: read.end + by };
}

/** A variable and its references to outputs, which move with the text. */
function expandVariable(variable: ScopedVariable, expand: (text: string) => string): ScopedVariable {
  const [name, value, reads = [], lookups] = variable;
  if (lookups === undefined || !refers(value)) return variable;
  const moved = reads.map((read) => {
    const by = expand(value.slice(0, read.start)).length - read.start;
    return movedRead(read, by);
  });
  return [name, expand(value), moved, lookups];
}

function expandOp(op: Op, expand: (text: string) => string): Op {
  if (!isCommand(op)) return op;
  const own = refers(op.dir) ? { ...op, dir: expand(op.dir) } : op;
  if (own.kind !== 'condition' || own.test.kind !== 'stale') return own;
  const { sources, generates } = own.test;
  const texts = [sources, generates].map((patterns) => patterns.map(({ text }) => ({ text: expand(text) })));
  const [expandedSources = [], expandedGenerates = []] = texts;
  return { ...own, test: { ...own.test, sources: expandedSources, generates: expandedGenerates } };
}
