/** The subsets of the sources of variables. Each has a variable that exactly its sources set. */
export class Subsets<Source extends string> {
  /** The sources that set a variable, by its name. */
  readonly members: ReadonlyMap<string, readonly Source[]>;

  constructor(sources: readonly Source[]) {
    const members = new Map<string, readonly Source[]>();
    for (let mask = 0; mask < 2 ** sources.length; mask += 1) {
      const subset = sources.filter((_, index) => Math.floor(mask / 2 ** index) % 2 === 1);
      members.set(`V_${mask}`, subset);
    }
    this.members = members;
  }

  /** The variables set by a source: those of all its subsets, with its name as the value. */
  vars(source: Source): Record<string, string> {
    const names = [...this.members].filter(([, subset]) => subset.includes(source));
    return Object.fromEntries(names.map(([name]) => [name, source]));
  }

  /** The value of each variable if these sources are visible, in ascending precedence. */
  winners(seen: readonly Source[]): Map<string, string> {
    const winners = new Map<string, string>();
    for (const [name, subset] of this.members) {
      const winner = seen.findLast((source) => subset.includes(source));
      if (winner !== undefined) winners.set(name, winner);
    }
    return winners;
  }
}

/** Variables as `KEY:VALUE` arguments. */
export function asParams(vars: Readonly<Record<string, string>>): string[] {
  return Object.entries(vars).map(([name, value]) => `${name}:${value}`);
}
