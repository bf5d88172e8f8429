/** Returns a function for the short names of runs, which commands accept: the last letters, unless two runs share them. */
export function createRunNames(ids: readonly string[]): (id: string) => string {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(lettersOf(id), (counts.get(lettersOf(id)) ?? 0) + 1);
  return (id) => (counts.get(lettersOf(id)) === 1 ? lettersOf(id) : id);
}

function lettersOf(id: string): string {
  return id.slice(-5);
}
