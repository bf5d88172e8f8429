/** Random choices, repeatable with a seed. */
export interface Random {
  /** An integer from 0 to `end`, exclusive. */
  below(end: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/** Mulberry32 (Tommy Ettinger, 2017; public domain). */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    below,
    chance: (probability) => next() < probability,
    pick(items) {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
  };
}

const { FUZZ_SECONDS, FUZZ_SEED, KILLS } = process.env;
const isSearch = (FUZZ_SECONDS ?? KILLS) !== undefined;

/** `FUZZ_SEED`, or 1, so that a test is repeatable. Long searches with FUZZ_SECONDS or KILLS have a new seed each. */
export const SEED = Number(FUZZ_SEED ?? (isSearch ? Date.now() % 1_000_000_007 : 1));
