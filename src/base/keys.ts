/** Whether a text is the name of a member of an object. */
export function isKeyOf<Value extends object>(object: Value, name: string): name is keyof Value & string {
  return Object.hasOwn(object, name);
}

/** The names of the members of an object. */
export function keysOf<Value extends object>(object: Value): (keyof Value & string)[] {
  return Object.keys(object).filter((name) => isKeyOf(object, name));
}

/** `true` if each of some names is in one of the lists of a table, else no type of a value. */
export type HasAll<Names extends string, Table extends Readonly<Record<string, readonly Names[]>>> = [
  Exclude<Names, Table[keyof Table][number]>,
] extends [never]
  ? true
  : never;

/** Items by a key, in their order. */
export function grouped<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
