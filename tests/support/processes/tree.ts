import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** All files below a directory, by path in order: texts of files, and `-> target` for links. */
export function tree(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const { entry, path } of entries) {
    found[path.slice(directory.length + 1)] = entry.isSymbolicLink()
      ? `-> ${readlinkSync(path)}`
      : readFileSync(path, 'utf8');
  }
  return found;
}

/** The same files in another directory. */
export function inside(at: string, files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${at}/${name}`, text]));
}
