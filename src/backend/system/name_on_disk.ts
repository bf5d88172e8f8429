import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { trySystemCall } from './try_system_call.ts';

/**
 * An absolute path with the names that its directories contain, where the file system ignores case or normal form, as that
 * of macOS does: all paths of a file are equal then. Below the current directory, only names below it are looked at.
 */
export function nameOnDisk(path: string, end = process.cwd()): string {
  const around = dirname(path);
  if (path === around || path === end) return path;
  const isInside = !relative(end, path).startsWith('..') && !isAbsolute(relative(end, path));
  const directory = nameOnDisk(around, isInside ? end : '/');
  return join(directory, entryOf(directory, basename(path)));
}

function entryOf(directory: string, name: string): string {
  const file = inode(join(directory, name));
  if (file === undefined || !otherForms(name).some((form) => file === inode(join(directory, form)))) return name;
  const names = trySystemCall(() => readdirSync(directory));
  if (typeof names === 'string' || names.includes(name)) return name;
  return names.find((each) => fold(each) === fold(name)) ?? name;
}

/** The same name in the other case, and in the other normal form. */
function otherForms(name: string): readonly string[] {
  const upper = name.toUpperCase();
  const forms = [upper === name ? name.toLowerCase() : upper, name.normalize('NFC'), name.normalize('NFD')];
  return forms.filter((form) => form !== name);
}

function fold(name: string): string {
  return name.normalize('NFD').toUpperCase().toLowerCase();
}

function inode(path: string): string | undefined {
  const stats = trySystemCall(() => lstatSync(path, { throwIfNoEntry: false }));
  return typeof stats === 'object' ? `${stats.dev} ${stats.ino}` : undefined;
}
