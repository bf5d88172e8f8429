/** Steps with the members of their groups, each after its group. Returns `steps` itself if there are no groups. */
export function withMembers<Step extends Readonly<{ kind: string; members?: readonly Step[] }>>(
  steps: readonly Step[],
): readonly Step[] {
  if (steps.every(({ members }) => members === undefined)) return steps;
  return steps.flatMap((step) => (step.members === undefined ? [step] : [step, ...withMembers(step.members)]));
}
