import type { FileScope, Step } from '../../frontend/ast.ts';
import type { Directory } from '../plan.ts';
import { directoryOf } from './frame_table.ts';

/** The included files that lie between two scopes, outermost first: those of `scope`, up to `around`. */
export function scopesInside(scope: FileScope | null, around: FileScope | null): readonly FileScope[] {
  const inside: FileScope[] = [];
  for (let each = scope; each !== null && each !== around; each = each.outer) inside.push(each);
  return inside.toReversed();
}

/** The directory that included files give to their workflows; undefined if none does. */
export function directoryInside(scopes: readonly FileScope[]): Directory | undefined {
  const dir = scopes.findLast((scope) => scope.dir !== undefined)?.dir;
  return dir === undefined ? undefined : { dir };
}

/** The directory of a step whose variables are in a frame: its own, or that of the workflow or group around it. */
export function directoryIn({ dir }: Step, frame: number, around: Directory): Directory {
  return dir === undefined ? around : directoryOf(dir, frame);
}
