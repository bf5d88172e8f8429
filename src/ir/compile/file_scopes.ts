import type { FileScope, Step } from '../../frontend/ast.ts';
import type { Directory } from '../plan.ts';
import { directoryOf } from './frame_table.ts';

/** The included files between two scopes, outermost first: from inside of `around` to `scope`. */
export function scopesInside(scope: FileScope | null, around: FileScope | null): readonly FileScope[] {
  const inside: FileScope[] = [];
  for (let each = scope; each !== null && each !== around; each = each.outer) inside.push(each);
  return inside.toReversed();
}

/** The directory that included files set for their workflows; undefined if none does. */
export function directoryInside(scopes: readonly FileScope[]): Directory | undefined {
  const dir = scopes.findLast((scope) => scope.dir !== undefined)?.dir;
  return dir === undefined ? undefined : { dir };
}

/** The directory of a step with its variables in `frame`: its own, or that of the surrounding workflow or group. */
export function directoryIn({ dir }: Step, frame: number, around: Directory): Directory {
  return dir === undefined ? around : directoryOf(dir, frame);
}
