import type { SourceRange } from '../syntax/source_range.ts';
import type { JsonNode } from '../syntax/json_tree.ts';
import type { LineIndex } from '../syntax/line_index.ts';
import { rangeInString, type FileText } from './file_text.ts';
import { allowsOutputs, sitesIn, type Site, type SiteScope } from './sites.ts';
import { findVariables } from '../references/find_variables.ts';
import { findInValue, findReferences, type StepReference } from '../references/step_references.ts';

/** A name in a text. `step` is the name of the step of an output. */
type NameInText = Readonly<
  | { kind: 'step' | 'variable'; name: string; start: number; end: number }
  | { kind: 'output'; name: string; step: string; start: number; end: number }
>;

/** The text before the name in a reference. */
const [STEPS, VARS] = ['${steps.', '${vars.'];

/** The names that a command or a condition uses. */
function namesInCommand(command: string): readonly NameInText[] {
  const references = findReferences(command).references.flatMap(namesOfReference);
  const variables = command.includes('$') ? findVariables(command) : [];
  return [
    ...references,
    ...variables.flatMap(({ name, end }): NameInText[] =>
      end === undefined ? [] : [{ kind: 'variable', name, start: end - name.length, end }],
    ),
  ];
}

/** The names that a value refers to: variables and, if it may, outputs. */
function namesInValue(value: string, allowsOutputs: boolean): readonly NameInText[] {
  const { references, variables } = findInValue(value);
  const names = variables.map(({ name, start }): NameInText => {
    return { kind: 'variable', name, start: start + VARS.length, end: start + VARS.length + name.length };
  });
  return allowsOutputs ? [...references.flatMap(namesOfReference), ...names] : names;
}

function namesOfReference({ step, key, start }: StepReference): readonly NameInText[] {
  const from = start + STEPS.length;
  const end = from + step.length;
  return [
    { kind: 'step', name: step, start: from, end },
    { kind: 'output', name: key, step, start: end + 1, end: end + 1 + key.length },
  ];
}

/** The words of a text that could be the name of a variable. */
function* wordsIn(text: string): Generator<Readonly<{ name: string; start: number; end: number }>> {
  for (const { 0: name, index: start } of text.matchAll(/(?<!\w)[A-Za-z_]\w*/g))
    yield { name, start, end: start + name.length };
}

/** A file of a project: its tree, its lines, and the prefix of its workflows' names. */
export type NamedFile = Readonly<{ tree: JsonNode; lines: LineIndex; prefix: string }>;

/**
 * A name where it is defined or used. `name` is the whole name of a workflow, with prefixes; `range` leaves them out.
 * `step` is the name of an output's step. `workflow` is the whole name of the workflow around the place, '' outside of
 * workflows. `certain` is false for a word of a command that is no active expansion.
 */
export type FoundName = Readonly<{
  kind: 'workflow' | 'step' | 'output' | 'variable';
  name: string;
  step?: string;
  role: 'definition' | 'use';
  certain: boolean;
  range: SourceRange;
  workflow: string;
  site: Site;
}>;

/**
 * All names of the files of a project, in the order of the files and by position. `prefixes` are those of all includes.
 */
export function namesIn(files: readonly NamedFile[], prefixes: readonly string[]): readonly FoundName[] {
  const longestFirst = prefixes.toSorted((one, other) => other.length - one.length);
  const collectors = files.map((file) => collectNames(file, longestFirst));
  const variables = new Set(
    collectors.flatMap(({ found }) => found.flatMap(({ kind, name }) => (kind === 'variable' ? name : []))),
  );
  return collectors.flatMap((collector) => {
    const words = collector.uncertain((name) => variables.has(name));
    return [...collector.found, ...words].toSorted((one, other) => one.range.start - other.range.start);
  });
}

/** The names of a file, and a function for the words in its commands that may be names. */
function collectNames(file: NamedFile, prefixes: readonly string[]) {
  const found: FoundName[] = [];
  const commands: (readonly [text: FileText, site: Site, names: readonly NameInText[]])[] = [];

  /** The words of commands that are names of variables and no active expansions. */
  function uncertain(isVariable: (name: string) => boolean): readonly FoundName[] {
    return commands.flatMap(([text, site, names]) => {
      const certain = new Set(names.flatMap(({ kind, start }) => (kind === 'variable' ? start : [])));
      return [...wordsIn(text.text)].flatMap(({ name, start, end }) => {
        if (!isVariable(name) || certain.has(start)) return [];
        return withWorkflow({
          kind: 'variable',
          name,
          role: 'use',
          certain: false,
          range: text.rangeOf(start, end),
          site,
        });
      });
    });
  }

  function addKey(site: Extract<Site, { kind: 'key' }>): void {
    const { meaning, member, scope } = site;
    if (meaning === 'include') return;
    const range = rangeInString(member, file.lines, 0, member.key.length);
    const definition = { role: 'definition', certain: true, range, site } as const;
    if (meaning === 'workflow') {
      found.push(withWorkflow({ kind: 'workflow', name: file.prefix + member.key, ...definition }));
    } else if (meaning === 'output') {
      const step = scope.steps.at(-1)?.name ?? '';
      found.push(withWorkflow({ kind: 'output', name: member.key, step, ...definition }));
    } else found.push(withWorkflow({ kind: 'variable', name: member.key, ...definition }));
  }

  function addText(site: Extract<Site, { kind: 'text' }>): void {
    const { meaning, text } = site;
    const all = { start: 0, end: text.text.length };
    const add = (name: NameInText, role: FoundName['role'] = 'use'): void => {
      const range = text.rangeOf(name.start, name.end);
      found.push(withWorkflow({ ...name, role, certain: true, range, site }));
    };
    const addCommand = (): void => {
      const names = namesInCommand(text.text);
      for (const name of names) add(name);
      commands.push([text, site, names]);
    };
    switch (meaning) {
      case 'command':
        return addCommand();
      case 'condition': {
        const name = /^\s*([A-Za-z_]\w*)\s*$/.exec(text.text)?.[1];
        if (name === undefined || name === 'true' || name === 'false') return addCommand();
        const start = text.text.indexOf(name);
        return add({ kind: 'variable', name, start, end: start + name.length });
      }
      case 'value':
        for (const name of namesInValue(text.text, allowsOutputs(site.scope))) add(name);
        return undefined;
      case 'secret':
        return add({ kind: 'variable', name: text.text, ...all });
      case 'step name':
        return add({ kind: 'step', name: text.text, ...all }, 'definition');
      case 'workflow':
      case 'default workflow':
        return workflowUse(site);
      case 'included file':
        return undefined;
    }
  }

  function workflowUse(site: Extract<Site, { kind: 'text' }>): void {
    const { text } = site.text;
    const name = file.prefix + text;
    const prefix = prefixes.find((each) => name.startsWith(each)) ?? '';
    const start = Math.max(0, prefix.length - file.prefix.length);
    const range = site.text.rangeOf(start, text.length);
    found.push(withWorkflow({ kind: 'workflow', name, role: 'use', certain: true, range, site }));
  }

  function withWorkflow(name: Omit<FoundName, 'workflow'>): FoundName {
    return { ...name, workflow: workflowOf(name.site.scope) };
  }

  function workflowOf({ workflow }: SiteScope): string {
    return workflow === undefined ? '' : file.prefix + workflow.key;
  }

  for (const site of sitesIn(file.tree, file.lines)) {
    if (site.kind === 'key') addKey(site);
    else if (site.kind === 'text') addText(site);
  }
  return { found, uncertain };
}
