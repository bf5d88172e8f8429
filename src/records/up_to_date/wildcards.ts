import picomatch from 'picomatch';

const OPTIONS = { dot: true, noextglob: true, nonegate: true, keepQuotes: true, posixSlashes: false } as const;

/** The expression for the part of a pattern from the first name with a wildcard on. */
export function wildcardExpression(names: readonly string[]): RegExp {
  return picomatch.makeRe(names.map(escaped).join('/'), OPTIONS);
}

/** A name in which signs of extended patterns, which have no meaning here, are quoted. */
function escaped(name: string): string {
  return name.replaceAll(/\\.|\[[!^]?\]?[^\]]*\]|[()|!+@$^"]/gs, (sign) => (sign.length === 1 ? `\\${sign}` : sign));
}
