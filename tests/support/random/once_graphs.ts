import * as fc from 'fast-check';

/** The variables that commands mention and calls set. */
const VARIABLES = ['V', 'U'] as const;

type Values = Readonly<Partial<Record<(typeof VARIABLES)[number], string>>>;

/** A step. A call leads `target` workflows further, as far as there are any. */
type Step = Readonly<
  | { kind: 'command'; mentions: readonly string[]; turns: number; code: number }
  | { kind: 'call'; target: number; values: Values }
  | { kind: 'group'; members: readonly Step[]; max: number; failFast: boolean }
>;

/** Workflows, of which each calls only later ones. The first one runs. */
export type Graph = readonly Readonly<{ once: boolean; steps: readonly Step[] }>[];

const REFERENCE = '${vars.V:-none}';

const call = fc.record({
  kind: fc.constant('call' as const),
  target: fc.nat(3),
  values: fc.constantFrom<Values>({}, {}, {}, { V: '1' }, { V: '2' }, { U: '1' }, { U: REFERENCE }),
});

/** Arbitrary graphs. */
export function graphs({ hasGroups, hasFailures }: { hasGroups: boolean; hasFailures: boolean }): fc.Arbitrary<Graph> {
  const command = fc.record({
    kind: fc.constant('command' as const),
    mentions: fc.subarray([...VARIABLES]),
    turns: fc.nat(6),
    code: hasFailures ? fc.constantFrom(0, 0, 0, 0, 0, 0, 3) : fc.constant(0),
  });
  const group = fc.record({
    kind: fc.constant('group' as const),
    members: fc.array(fc.oneof(command, call, call), { minLength: 1, maxLength: 4 }),
    max: fc.integer({ min: 1, max: 4 }),
    failFast: fc.boolean(),
  });
  const step = hasGroups ? fc.oneof(command, call, group, group) : fc.oneof(command, call, call);
  const workflow = fc.record({
    once: fc.constantFrom(true, true, false),
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  });
  return fc.array(workflow, { minLength: 2, maxLength: 5 });
}

/** The workflow file of a graph. A command is its place, its turns, its exit code and its variables. */
export function fileOf(graph: Graph): object {
  const stepOf = (step: Step, workflow: number, place: string): object => {
    if (step.kind === 'command') return { run: textOf(step, place) };
    if (step.kind === 'call') {
      const target = targetOf(graph, workflow, step.target);
      return target === undefined ? { run: `${place} 0 0` } : { workflow: `w${target}`, with: step.values };
    }
    const parallel = step.members.map((member, index) => stepOf(member, workflow, `${place}.${index}`));
    return { parallel, max_parallel: step.max, fail_fast: step.failFast };
  };
  const workflows = graph.map(({ once, steps }, index) => [
    `w${index}`,
    { ...(once && { once }), steps: steps.map((step, position) => stepOf(step, index, `${index}.${position}`)) },
  ]);
  return { workflows: Object.fromEntries(workflows) };
}

function textOf({ turns, code, mentions }: Step & { kind: 'command' }, place: string): string {
  return [place, turns, code, ...mentions.map((name) => `$${name}`)].join(' ');
}

function targetOf(graph: Graph, workflow: number, distance: number): number | undefined {
  const later = graph.length - workflow - 1;
  return later === 0 ? undefined : workflow + 1 + (distance % later);
}

/** A command as it runs: its text, and the values of the variables that it mentions. */
export function label(text: string, valueOf: (name: string) => string | undefined): string {
  return text.replace(/\$(\w+)/g, (_, name: string) => `${name}=${valueOf(name) ?? ''}`);
}

/**
 * What a run of a graph does if no command fails: its commands in the order of the file, and pairs of commands of which the
 * first must have ended before the second begins.
 */
export type Prediction = Readonly<{ commands: readonly string[]; order: readonly (readonly [string, string])[] }>;

export class OnceModel {
  readonly #graph: Graph;
  readonly #bodies = new Map<string, readonly string[]>();
  readonly #commands: string[] = [];
  readonly #order: (readonly [string, string])[] = [];

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  predict(): Prediction {
    this.#body(0, {});
    return { commands: this.#commands, order: this.#order };
  }

  /** The commands of a workflow, those of skipped calls included. */
  #body(workflow: number, values: Values): readonly string[] {
    const all: string[] = [];
    for (const [position, step] of (this.#graph[workflow]?.steps ?? []).entries()) {
      const own = this.#step(step, workflow, `${workflow}.${position}`, values);
      if (step.kind === 'command') for (const before of all) for (const after of own) this.#order.push([before, after]);
      all.push(...own);
    }
    return all;
  }

  #step(step: Step, workflow: number, place: string, values: Values): readonly string[] {
    if (step.kind === 'group')
      return step.members.flatMap((member, index) => this.#step(member, workflow, `${place}.${index}`, values));
    const target = step.kind === 'call' ? targetOf(this.#graph, workflow, step.target) : undefined;
    if (step.kind === 'call' && target !== undefined) return this.#call(target, step.values, values);
    const text = step.kind === 'command' ? textOf(step, place) : `${place} 0 0`;
    const command = label(text, (name) => new Map(Object.entries(values)).get(name));
    this.#commands.push(command);
    return [command];
  }

  #call(target: number, own: Values, outer: Values): readonly string[] {
    const referred = { ...own, ...(own.U === REFERENCE && { U: outer.V ?? 'none' }) };
    const values = { ...outer, ...referred };
    if (this.#graph[target]?.once !== true) return this.#body(target, values);
    const mentioned = this.#mentionsIn(target);
    const counting = VARIABLES.filter((name) => mentioned.has(name) || own[name] !== undefined);
    const key = JSON.stringify([target, counting.map((name) => [name, values[name]])]);
    const body = this.#bodies.get(key) ?? this.#body(target, values);
    this.#bodies.set(key, body);
    return body;
  }

  /** The variables that the commands and references in a workflow, and in those that it calls, mention. */
  #mentionsIn(workflow: number): ReadonlySet<string> {
    const inStep = (step: Step): readonly string[] => {
      if (step.kind === 'command') return step.mentions;
      if (step.kind === 'group') return step.members.flatMap(inStep);
      const target = targetOf(this.#graph, workflow, step.target);
      if (target === undefined) return [];
      return [...(step.values.U === REFERENCE ? ['V'] : []), ...this.#mentionsIn(target)];
    };
    return new Set((this.#graph[workflow]?.steps ?? []).flatMap(inStep));
  }
}
