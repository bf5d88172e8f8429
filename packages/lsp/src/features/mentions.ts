import { sitesIn, type FoundName } from '../../../../src/internal.ts';
import { namesOf } from '../model/names.ts';
import type { Root } from '../model/workspace.ts';

/** The first place where the name of a step or variable already stands: set, used or mentioned in a command. */
export function mentionOf(root: Root, kind: 'step' | 'variable', name: string): FoundName['range'] | undefined {
  const named = namesOf(root).find((each) => each.name === name && each.kind === kind);
  if (named !== undefined) return named.range;
  for (const { part } of root.files) {
    for (const site of sitesIn(part.tree, part.lines)) {
      const step = site.scope.steps.at(-1);
      if (kind === 'step' && step?.isNamed === false && step.name === name && site.kind === 'text') {
        return site.text.rangeOf(0, 0);
      }
      if (site.kind !== 'text' || !['command', 'condition', 'value'].includes(site.meaning)) continue;
      if (kind === 'variable' && site.meaning === 'value') continue;
      const start = placeIn(site.text.text, kind, name);
      if (start !== undefined) return site.text.rangeOf(start, start + name.length);
    }
  }
  return undefined;
}

/** The offset of the first mention in a text. */
function placeIn(text: string, kind: 'step' | 'variable', name: string): number | undefined {
  if (kind === 'variable') return [...text.matchAll(/\w+/g)].find(([word]) => word === name)?.index;
  const start = text.indexOf(`\${steps.${name}.`);
  return start === -1 ? undefined : start + '${steps.'.length;
}
