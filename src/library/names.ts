import { namesIn, type FoundName } from '../frontend/names/find_names.ts';
import { placeIn } from './places.ts';
import type { LoadedProject } from './projects.ts';
import type { Name } from './types.ts';

/** The names of a project. Those of a file that is included several times are those of its first copy. */
export function foundNames(project: LoadedProject): readonly FoundName[] {
  if (project.kind === 'unreadable') return [];
  const { parts } = project;
  const seen = new Set<string>();
  const originals = parts.filter(({ real }) => seen.size !== seen.add(real).size);
  return namesIn(
    originals,
    parts.map(({ prefix }) => prefix),
  );
}

export function namesOf(project: LoadedProject): readonly Name[] {
  const parts = project.kind === 'read' ? project.parts : [];
  return foundNames(project).map(({ kind, name, role, certain, range }): Name => {
    return Object.assign(placeIn(parts, range), { kind, name, role, certain });
  });
}
