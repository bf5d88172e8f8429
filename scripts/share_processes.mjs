import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** At most so many test files share a process. More would leave a processor idle at the end. */
const SHARED = 9;

const directory = 'build/shared_tests';

/** The name of a test file in tables. */
export const withoutExtension = (name) => name.replace(/\.\w+\.js$/, '');

/**
 * The files to run in place of test files: each of them imports a few test files, so that they load Node.js and what they
 * test or use once. Their tests run one after another. `groupOf` returns a name that files with something in common share,
 * and undefined for files with a process of their own. Files stay in their order.
 */
export function shareProcesses(files, groupOf) {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const open = new Map();
  const groups = files.map((file) => {
    const key = groupOf(file);
    if (key === undefined) return [file];
    const group = open.get(key);
    if (group !== undefined && group.length < SHARED) {
      group.push(file);
      return undefined;
    }
    const started = [file];
    open.set(key, started);
    return started;
  });
  return groups.filter((group) => group !== undefined).map((group) => (group.length === 1 ? group[0] : written(group)));
}

function written(group) {
  const names = [basename(dirname(group[0])), ...group.map((file) => withoutExtension(basename(file)))];
  const path = join(directory, `${names.join('+')}.test.js`);
  const imports = group.map((file) => `import ${JSON.stringify(pathToFileURL(resolve(file)).href)};\n`);
  writeFileSync(path, imports.join(''));
  return path;
}
