/** Pseudorandom choices (mulberry32), so that what fails can be repeated by its seed. */
export interface Random {
  /** From 0 to below 1. */
  number: () => number;
  happens: (chance: number) => boolean;
  pick: <Item>(items: readonly Item[]) => Item;
  /** Some of the items, at least one, in a random order. */
  some: <Item>(items: readonly Item[]) => Item[];
}

export function createRandom(seed: number): Random {
  let state = seed;
  const number = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    number,
    happens: (chance) => number() < chance,
    pick: (items) => items[Math.floor(number() * items.length)]!,
    some: (items) => {
      const rest = [...items];
      const count = 1 + Math.floor(number() * rest.length);
      return Array.from(
        { length: count },
        () => rest.splice(Math.floor(number() * rest.length), 1)[0]!,
      );
    },
  };
}
