import { isUnnamedCommand, type OpId } from './identity.ts';

/** The path of names of a step, for users, from the id of an op. `name` is that of a step. */
export function commandPath(id: OpId, kind: 'step' | 'hook' | 'condition', name: string): string {
  const own = kind === 'condition' ? id.slice(0, -1) : id;
  const segment = own.at(-1) ?? '';
  // The generated name of an unnamed command contains its number.
  const label = kind === 'step' && isUnnamedCommand(segment) ? name : labelOf(segment);
  return [...own.slice(0, -1).map(labelOf), label].join('/');
}

/** The label of a segment of an id: the name without the kind. */
export function labelOf(segment: string): string {
  return segment.replace(/^(\d+\.)?(?:name|call|hook|own|run):/, '$1');
}
