import { items, memberOf, members, stringOf } from '../../../../src/internal.ts';
import type { JsonNode, Member, SiteScope } from '../../../../src/internal.ts';
import type { Spot } from '../model/names.ts';
import type { Root, RootFile } from '../model/workspace.ts';

/** A workflow that can be called, its name as the calling file writes it, and the file that defines it. */
export type VisibleWorkflow = Readonly<{ name: string; member: Member; file: RootFile }>;

/** The workflows of a file, then those of each include with prefix. */
export function visibleWorkflows({ root, file }: Pick<Spot, 'root' | 'file'>): readonly VisibleWorkflow[] {
  const { prefix } = file.part;
  const inside = root.copies.filter(({ part }) => part === file.part || part.prefix.startsWith(prefix));
  const ordered = inside.toSorted((one, other) => Number(other.part === file.part) - Number(one.part === file.part));
  return ordered.flatMap((each) =>
    workflowsOf(each.part.tree).map((member) => ({
      name: each.part.prefix.slice(prefix.length) + member.key,
      member,
      file: each,
    })),
  );
}

function workflowsOf(tree: JsonNode): readonly Member[] {
  return members(memberOf(tree, 'workflows'));
}

/** The keys of an object, except extensions. */
export function keysOf(node: JsonNode | undefined): readonly string[] {
  return members(node).flatMap(({ key }) => (key.startsWith('x-') ? [] : key));
}

/** Steps with the members of groups after the group. */
function flattened(steps: readonly JsonNode[]): JsonNode[] {
  return steps.flatMap((step) => [step, ...flattened(items(memberOf(step, 'parallel')))]);
}

/**
 * The variables that a place can use, once each, strongest first: those of the step and its groups, of calls, of the
 * workflow, of its file and of the root, and inputs. A value of `env`, `with` or `matrix` sees only what is around it.
 */
export function visibleVariables(spot: Spot, scope: SiteScope, isValue: boolean): readonly string[] {
  const { root, file } = spot;
  const field = isValue ? scope.fields.at(-1) : undefined;
  const steps = scope.steps.toReversed().flatMap(({ node }) => node ?? []);
  const own = (index: number): boolean => index === 0 && scope.steps.at(-1)?.node === steps[0];
  const withs = steps.flatMap((step, index) => {
    const isHidden = own(index) && (field === 'with' || field === 'matrix');
    return isHidden ? [] : keysOf(memberOf(step, 'with'));
  });
  const matrices = steps.flatMap((step, index) => {
    return own(index) && field === 'matrix' ? [] : keysOf(memberOf(step, 'matrix'));
  });
  const isEnv = field === 'env';
  const workflow = scope.workflow?.value;
  const rootTree = root.files[0]?.part.tree;
  const inputs = workflow === undefined ? workflowsOf(file.part.tree).map(({ value }) => value) : [workflow];
  const all = [
    ...withs,
    ...matrices,
    ...(scope.workflow === undefined ? [] : callsOf(root, file, scope.workflow.key)),
    ...(isEnv && steps.length === 0 ? [] : envOf(workflow)),
    ...(isEnv && workflow === undefined ? [] : envOf(file.part.tree)),
    ...(isEnv && workflow === undefined && rootTree === file.part.tree ? [] : envOf(rootTree)),
    ...inputs.flatMap((each) => keysOf(memberOf(each, 'inputs'))),
  ];
  return [...new Set(all)];
}

function envOf(node: JsonNode | undefined): readonly string[] {
  return keysOf(memberOf(node, 'env'));
}

/** The variables in `with` of the calls of a workflow. */
function callsOf(root: Root, file: RootFile, workflow: string): readonly string[] {
  return root.copies.flatMap(({ part }) =>
    workflowsOf(part.tree)
      .flatMap(({ value }) => flattened(items(memberOf(value, 'steps'))))
      .flatMap((step) => {
        const called = stringOf(memberOf(step, 'workflow'));
        const isCall = called !== undefined && part.prefix + called === file.part.prefix + workflow;
        return isCall ? keysOf(memberOf(step, 'with')) : [];
      }),
  );
}

/** A step that others can refer to, with its outputs. */
export type VisibleStep = Readonly<{ name: string; outputs: readonly string[] }>;

/** The steps with outputs that run before a place, in file order. A hook can refer to all steps. */
export function visibleSteps(
  { file }: Pick<Spot, 'file'>,
  { workflow, steps: [outermost] }: SiteScope,
): readonly VisibleStep[] {
  const workflows = workflow === undefined ? workflowsOf(file.part.tree) : [workflow];
  const found = workflows.flatMap(({ value }) => {
    const before = outermost === undefined ? undefined : Number(outermost.number) - 1;
    return flattened(items(memberOf(value, 'steps')).slice(0, before));
  });
  const named = new Map<string, VisibleStep>();
  for (const step of found) {
    const name = stringOf(memberOf(step, 'name'));
    const allowed = memberOf(step, 'allow_failure');
    const isAllowed = allowed?.kind === 'boolean' && allowed.value;
    const outputs = [...keysOf(memberOf(step, 'outputs')), ...(isAllowed ? ['exit_code'] : [])];
    // A step with a matrix runs under other names.
    if (name === undefined || outputs.length === 0 || memberOf(step, 'matrix') !== undefined) continue;
    named.set(name, { name, outputs });
  }
  return [...named.values()];
}
