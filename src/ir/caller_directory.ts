import type { Op, PathPattern, Plan, ScopedVariable } from './plan.ts';

/** The variable with the directory in which the tool was started. The tool sets it for every command. */
export const CALLER_DIRECTORY = 'CLI_CALLER_DIR';

/** The reference to it, which linked plans keep: a plan is the same in every directory. */
export const CALLER_REFERENCE = `\${vars.${CALLER_DIRECTORY}}`;

/** A linked plan with the directory in place of the references to it. The same plan if it has none. */
export function withCallerDirectory(plan: Plan, env: Readonly<Record<string, string | undefined>>): Plan {
  const directory = env[CALLER_DIRECTORY] ?? '.';
  const expanded = (text: string): string => text.replaceAll(CALLER_REFERENCE, () => directory);
  const refers = (text: string | null | undefined): text is string => text?.includes(CALLER_REFERENCE) === true;
  const pattern = ({ text }: PathPattern): PathPattern => ({ text: expanded(text) });
  const expandVariable = (variable: ScopedVariable): ScopedVariable => {
    const [name, value, reads = [], lookups] = variable;
    if (lookups === undefined || !refers(value)) return variable;
    const moved = reads.map((read) => {
      const by = expanded(value.slice(0, read.start)).length - read.start;
      return { ...read, start: read.start + by, end: read.end + by };
    });
    return [name, expanded(value), moved, lookups];
  };
  const expandOp = (op: Op): Op => {
    if (op.kind === 'parallel') return op;
    const own = refers(op.dir) ? { ...op, dir: expanded(op.dir) } : op;
    if (own.kind !== 'condition' || own.test.kind !== 'stale') return own;
    const { sources, generates } = own.test;
    if (![...sources, ...generates].some(({ text }) => refers(text))) return own;
    return { ...own, test: { kind: 'stale', sources: sources.map(pattern), generates: generates.map(pattern) } };
  };
  const { frames, ops, secrets } = plan;
  const expandedFrames = frames.map((frame) =>
    frame.vars.some(([, value]) => refers(value)) ? { ...frame, vars: frame.vars.map(expandVariable) } : frame,
  );
  const expandedSecrets = secrets?.map((secret) =>
    secret.source?.command.some(refers) === true
      ? { ...secret, source: { ...secret.source, command: secret.source.command.map(expanded) } }
      : secret,
  );
  return { ...plan, frames: expandedFrames, ops: ops.map(expandOp), ...(secrets && { secrets: expandedSecrets ?? [] }) };
}
