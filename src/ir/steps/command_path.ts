import type { Plan } from '../plan.ts';
import { identify, isUnnamedCommand, pathsOf, type OpId } from './identity.ts';
import { NAMES, stepPaths, type StepPath } from './step_paths.ts';

/** A command of a record, and its path of names, which is absent if its id tells it. */
type NamedCommand = Readonly<{ id: OpId; kind: 'step' | 'hook' | 'condition'; name: string; path?: StepPath }>;

/** The path of names of a recorded command, as in its plan. A condition has the path of its step. */
export function commandPath({ id, kind, name, path = pathOfId(id, kind, name) }: NamedCommand): StepPath {
  return path;
}

/** The fields of a record about the op at an index. Without groups, indexes must not decrease between calls. */
type PathFields = (index: number, kind: NamedCommand['kind'], name: string) => Pick<NamedCommand, 'id' | 'path'>;

/** The ids of a plan's commands, and their paths of names as far as the ids do not tell them. */
export function commandPaths(plan: Plan): PathFields {
  const [ids, names] = [pathsOf(plan, identify(plan)), pathsOf(plan, stepPaths(plan, NAMES))];
  return (index, kind, name) => {
    const [id, path] = [ids(index), names(index)];
    const isTold = JSON.stringify(path) === JSON.stringify(pathOfId(id, kind, name));
    return isTold ? { id } : { id, path };
  };
}

function pathOfId(id: OpId, kind: NamedCommand['kind'], name: string): StepPath {
  const own = kind === 'condition' ? id.slice(0, -1) : id;
  const segment = own.at(-1) ?? '';
  // The generated name of an unnamed command contains its number.
  const label = kind === 'step' && isUnnamedCommand(segment) ? name : labelOf(segment);
  return [...own.slice(0, -1).map(labelOf), label];
}

/** The label of a segment of an id: the name without the kind. */
function labelOf(segment: string): string {
  return segment.replace(/^(\d+\.)?(?:name|call|hook|own|run):/, '$1');
}
