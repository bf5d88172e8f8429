import type { JsonNode } from '../../../../../frontend/syntax/json_tree.ts';
import { LeftOut, together, type ImportedStep } from '../../imported.ts';

/** Settings without a counterpart that only save time: without them, a script runs more often. */
const CACHING = new Set(['files', 'output', 'clean', 'packageLocks', 'allowUsuallyExcludedPaths']);

/** The steps of a script that wireit runs: its dependencies as a group of calls, then its command. */
export function wireitSteps(
  name: string,
  settings: JsonNode | undefined,
  toSteps: (command: string) => ImportedStep[],
  note: (line: string) => void,
): ImportedStep[] {
  if (settings?.kind !== 'object') throw new LeftOut("it runs wireit, whose settings in 'wireit' are missing");
  const steps: ImportedStep[] = [];
  let command: ImportedStep[] = [];
  const cached: string[] = [];
  for (const { key, value } of settings.members) {
    if (key.startsWith('#')) continue; // A comment.
    if (key === 'command' && value.kind === 'string') command = toSteps(value.value);
    else if (key === 'dependencies' && value.kind === 'array') steps.push(...value.items.map(dependency));
    else if (CACHING.has(key)) cached.push(`'${key}'`);
    else throw new LeftOut(`its setting '${key}' for wireit has no counterpart`);
  }
  if (cached.length > 0) note(`script '${name}': ${cached.join(', ')} of wireit left out: it runs every time`);
  return [...together(steps, true), ...command];
}

function dependency(node: JsonNode): ImportedStep {
  const script =
    node.kind === 'object'
      ? node.members.find(({ key }) => key === 'script' && node.members.length === 1)?.value
      : node;
  if (script?.kind !== 'string') throw new LeftOut('it has a dependency with settings for wireit');
  if (/^[.$<^]/.test(script.value) || script.value.includes('#')) {
    throw new LeftOut(`its dependency '${script.value}' is in another package`);
  }
  return { workflow: script.value, once: true };
}
