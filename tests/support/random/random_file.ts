import type { Random } from './random.ts';
import { DIRS, FALLBACKS, GIVERS, NAMES, OUTPUTS, PATHS, REFERRED, VARIABLE_NAMES } from './random_fields.ts';
import { howToRun, inputs, matrix, outputs, randomIncludes, referringVariables } from './random_fields.ts';
import type { GroupFields, RandomFile, RandomStep, Variables } from './random_file_types.ts';

/**
 * What a random file may contain: references to outputs, which may be unresolved, includes, workflows that run once, and
 * steps in the background.
 */
export type Parts = Readonly<{ references?: boolean; includes?: boolean; once?: boolean; background?: boolean }>;

/** A file in which workflows only call later ones, so that there are no cycles. */
export function randomFile(
  random: Random,
  { references: hasReferences = false, includes, once, background: hasBackground = false }: Parts = {},
): RandomFile {
  let commands = 0;
  // Some names are frequent, so that most references are resolved.
  const reference = (): string => {
    const name = random.chance(0.95) ? random.pick(GIVERS) : random.pick([...NAMES, 'm (20)', 'm (#1)']);
    const fallback = random.chance(0.3) ? `:-${random.pick(FALLBACKS)}` : '';
    return `\${steps.${name}.${random.pick(OUTPUTS)}${fallback}}`;
  };
  const references = (chance: number): string => {
    if (!hasReferences || !random.chance(chance)) return '';
    const one = reference();
    return ` ${random.pick([one, `"a ${one}"`, `'b ${one}'`, `c${one}${reference()}`, `"\${A}"'${one}' ${one}`])}`;
  };
  const command = (chance = 0.3): string =>
    `command ${(commands += 1)}${references(chance)}${random.pick(['', '', ' $A', '\n', ' #ž'])}`;
  const dir = (): string | undefined => (random.chance(0.2) ? random.pick(DIRS) : undefined);
  const values = (): Variables =>
    referringVariables(random).map(([name, value]) => {
      const mayRefer = hasReferences && !REFERRED.includes(name);
      return [name, mayRefer && random.chance(0.3) ? `${value}${reference()}` : value];
    });
  const condition = (): { if?: string } => {
    if (random.chance(0.5)) return {};
    const blank = random.pick(['', ' \t']);
    const choices = [random.pick(VARIABLE_NAMES), ` ${random.pick(VARIABLE_NAMES)} `, 'M', 'true', 'false'];
    return { if: random.pick([...choices, 'NOSUCH', blank, `check ${command()}`]) };
  };
  const hook = (key: string, chance = 0.4): Record<string, string> =>
    random.chance(chance) ? { [key]: random.pick([command(key === 'before_all' ? 0.01 : 0.4), command(0), ' ']) } : {};
  const names = NAMES.filter(() => random.chance(0.4));
  if (names.length === 0) names.push('only');
  const isOrdered = random.chance(0.6);
  const group = (workflow: number, depth: number): RandomStep => {
    const members = Array.from({ length: random.below(4) }, () => step(workflow, depth + 1));
    const named = random.chance(0.3) ? { name: random.pick(NAMES) } : {};
    const fields: GroupFields = isOrdered
      ? { max_parallel: 1, ...(random.chance(0.4) ? { fail_fast: random.chance(0.8) } : {}) }
      : random.pick([{}, {}, { max_parallel: 2 }, { max_parallel: 1000, fail_fast: false }]);
    const output = random.chance(0.3) ? ({ output: 'grouped' } as const) : {};
    return { kind: 'group', members, ...named, ...condition(), with: values(), dir: dir(), ...fields, ...output };
  };
  const step = (workflow: number, depth = 0): RandomStep => {
    const later = names.length - workflow - 1;
    if (hasBackground && depth === 0 && random.chance(0.12)) return server();
    if (depth < 3 && random.chance(0.12)) return group(workflow, depth);
    if (later > 0 && random.chance(0.35)) {
      const target = workflow + 1 + random.below(later);
      const named = random.chance(0.2) ? { name: random.pick(NAMES) } : {};
      return { kind: 'call', target, ...named, ...condition(), with: values(), dir: dir(), ...matrix(random) };
    }
    if (random.chance(0.4)) return { kind: 'short', run: command() };
    const copies = matrix(random);
    // References to a step with a matrix name one of its copies.
    const named = random.chance(0.5) ? { name: copies.matrix === undefined ? random.pick(NAMES) : 'm' } : {};
    const asks = named.name !== undefined && random.chance(0.1) ? { confirm: `Run '${named.name}'?` } : {};
    const how = { ...howToRun(random), ...asks, ...(named.name === undefined ? {} : { outputs: outputs(random) }) };
    return { kind: 'run', run: command(), ...named, ...condition(), with: values(), dir: dir(), ...copies, ...how };
  };
  const server = (): RandomStep => {
    const copies = matrix(random);
    const named = random.chance(0.5) ? { name: copies.matrix === undefined ? random.pick(NAMES) : 'm' } : {};
    const run = `command ${(commands += 1)}${references(0.3)} || exit; echo ready; exec sleep 1000`;
    const { timeout } = howToRun(random);
    const shared = { ...named, ...condition(), with: values(), dir: dir(), ...copies, timeout };
    return { kind: 'run', run, ...shared, background: random.pick(['lines', 'grouped']) };
  };
  const giver = (): RandomStep => {
    const given = OUTPUTS.map((name): [string, string] => [name, random.pick(PATHS)]);
    const shared = { name: random.pick(GIVERS), with: [], dir: undefined, outputs: given };
    return { kind: 'run', run: command(0), ...shared, ...howToRun(random) };
  };
  const workflows = names.map((name, index) => ({
    name,
    inputs: inputs(random),
    ...(once === true && random.chance(0.3) ? { once: true } : {}),
    env: referringVariables(random),
    dir: dir(),
    ...hook('error', 0.3),
    ...hook('finally', 0.3),
    steps: [
      ...(hasReferences && random.chance(0.8) ? GIVERS.map(giver) : []),
      ...Array.from({ length: random.below(5) }, () => step(index)),
    ],
  }));
  const hooks = { ...hook('before_all'), ...hook('after_all'), ...hook('error'), ...hook('finally') };
  const dotenv = random.chance(0.3) ? ['a.env'] : [];
  const included = includes === true ? randomIncludes(random, names.length) : [];
  return { isOrdered, dotenv, env: referringVariables(random), ...hooks, workflows, includes: included };
}
