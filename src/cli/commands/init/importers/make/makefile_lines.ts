/** A line of a Makefile, or several lines that backslashes join. `isConditional`: it depends on `ifeq` or the like. */
type Place = Readonly<{ line: number; isConditional: boolean }>;

export type Assignment = Place &
  Readonly<{ kind: 'assignment'; name: string; operator: string; value: string; modifiers: string }>;

/** The lines below a rule. They hold the backslashes at the ends of lines. */
type RecipeLines = { readonly recipe: string[]; hasConditionalLines: boolean };

export type MakeRule = Place &
  RecipeLines &
  Readonly<{
    kind: 'rule';
    targets: string;
    prerequisites: string;
    separator: string;
    description: string | undefined;
  }>;

/** `export`, `include`, the call of a function, or a line with an unknown meaning. */
export type Directive = Place & Readonly<{ kind: 'directive'; word: string; text: string }>;

export type Statement = Assignment | MakeRule | Directive;

const MODIFIERS = String.raw`((?:(?:export|override|private|unexport)\s+)*)`;
const ASSIGNMENT = new RegExp(String.raw`^${MODIFIERS}([^\s:#=!?+$]+)\s*(=|:=|:::?=|\?=|\+=|!=)\s*(.*)$`, 's');
const DEFINITION = new RegExp(String.raw`^${MODIFIERS}define\s+([^\s=:?+!]+)\s*(\S*=)?`);
const OPENING = /^(?:ifeq|ifneq|ifdef|ifndef)\b/;

/** The lines of a `define` that has begun. */
type DefinitionLines = { readonly assignment: Assignment; readonly lines: string[]; depth: number };

/** The statements of a Makefile, in order. */
export function readMakefile(text: string): Statement[] {
  const statements: Statement[] = [];
  let rule: RecipeLines | undefined;
  let depth = 0;
  let definition: DefinitionLines | undefined;
  for (const { text: line, line: number } of logicalLines(text)) {
    const whole = joined(line).trimStart();
    const trimmed = whole.trimEnd();
    const place = { line: number, isConditional: depth > 0 };
    const defined = DEFINITION.exec(trimmed);
    if (definition !== undefined) {
      definition.depth += defined === null ? (/^endef\b/.test(trimmed) ? -1 : 0) : 1;
      if (definition.depth > 0) definition.lines.push(line);
      else {
        statements.push({ ...definition.assignment, value: definition.lines.join('\n') });
        definition = undefined;
      }
    } else if (line.startsWith('\t') && rule !== undefined) {
      rule.recipe.push(line.slice(1));
      rule.hasConditionalLines ||= depth > 0;
    } else if (trimmed === '' || trimmed.startsWith('#')) continue;
    else if (OPENING.test(trimmed)) depth += 1;
    else if (/^endif\b/.test(trimmed)) depth -= 1;
    else if (/^else\b/.test(trimmed)) continue;
    else if (defined !== null) {
      rule = undefined;
      const [, modifiers = '', name = '', operator = '='] = defined;
      const assignment = { kind: 'assignment', name, operator, value: '', modifiers, ...place } as const;
      definition = { assignment, lines: [], depth: 1 };
    } else {
      const statement = readStatement(line, whole, place);
      statements.push(statement);
      // A recipe after a line with an unknown meaning is skipped, too.
      if (statement.kind === 'directive') rule = { recipe: [], hasConditionalLines: false };
      else rule = statement.kind === 'rule' ? statement : undefined;
    }
  }
  return statements;
}

/** A statement. The spaces at the end of a value belong to it. */
function readStatement(line: string, whole: string, place: Place): Statement {
  const [, modifiers = '', name, operator = '', value = ''] = ASSIGNMENT.exec(whole) ?? [];
  if (name !== undefined) {
    return { kind: 'assignment', name, operator, value: withoutComment(value), modifiers, ...place };
  }
  const trimmed = whole.trimEnd();
  const text = withoutComment(trimmed);
  const [word = ''] =
    /^(?:-?include|sinclude|export|unexport|undefine|vpath|-?load|override|private)(?=\s|$)/.exec(text) ?? [];
  if (word !== '') return { kind: 'directive', word, text, ...place };
  const colon = colonOf(text);
  if (colon === undefined) return { kind: 'directive', word: /^\$[({](\w+)/.exec(text)?.[1] ?? '', text, ...place };
  const [, separator = ':'] = /^(&?::?)/.exec(text.slice(colon)) ?? [];
  if (/^:*=/.test(text.slice(colon + separator.length))) return { kind: 'directive', word: '', text, ...place };
  const [, prerequisites = '', inline] = /^(.*?)(?:;(.*))?$/s.exec(text.slice(colon + separator.length)) ?? [];
  const recipe = inline === undefined ? [] : [line.slice(line.indexOf(';') + 1).trimStart()];
  const description = /##+\s*(.*)$/s.exec(trimmed)?.[1];
  const targets = text.slice(0, colon).trim();
  return {
    kind: 'rule',
    targets,
    prerequisites: prerequisites.trim(),
    separator,
    description: inline === undefined ? description : undefined,
    recipe,
    hasConditionalLines: false,
    ...place,
  };
}

/** The position of the colon of a rule, outside of `$(…)`. */
function colonOf(text: string): number | undefined {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '(' || character === '{') depth += 1;
    else if (character === ')' || character === '}') depth -= 1;
    else if (character === ':' && depth === 0) return text.charAt(index - 1) === '&' ? index - 1 : index;
  }
  return undefined;
}

function withoutComment(text: string): string {
  return text
    .replace(/(?<!\\)#.*$/s, '')
    .replaceAll(String.raw`\#`, '#')
    .replace(/^\s+/, '');
}

/** A line as make reads it outside of a recipe: backslashes join lines with a space. */
function joined(line: string): string {
  return line.replaceAll(/(?:\s*\\\n\s*)+/g, ' ');
}

/** The lines with their numbers. A line that a backslash continues holds the following ones. */
function* logicalLines(text: string): Generator<{ text: string; line: number }> {
  let begun: { text: string; line: number } | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const text: string = begun === undefined ? line : `${begun.text}\n${line.replace(/^\t/, '')}`;
    const current = { text, line: begun?.line ?? index + 1 };
    if (/(?<!\\)(?:\\\\)*\\$/.test(line)) begun = current;
    else {
      begun = undefined;
      yield current;
    }
  }
  if (begun !== undefined) yield begun;
}
