/** A rule of a Makefile. `line` is the number of its first line; recipe lines have their own. */
export type MakeRule = Readonly<{
  targets: string;
  prerequisites: string;
  description: string | undefined;
  line: number;
  recipe: { text: string; line: number }[];
}>;

/** An assignment, with its operator. */
export type Assignment = Readonly<{ name: string; operator: string; value: string; line: number }>;

/** The rules and assignments of a Makefile, and its unsupported lines. */
export type MakefileLines = Readonly<{
  rules: MakeRule[];
  assignments: Assignment[];
  others: { text: string; line: number }[];
}>;

const ASSIGNMENT = /^(?:export\s+)?([^\s:#=!?+]+)\s*(=|:=|::=|\?=|\+=|!=)\s*(.*)$/s;
const RULE = /^([^:=#]+?)\s*:(?![:=])\s*([^#;=]*?)\s*(?:#+\s*(.*))?$/s;
const OPENING = /^(?:ifeq|ifneq|ifdef|ifndef|define)\b/;
const CLOSING = /^(?:endif|endef)\b/;

/** Parses a Makefile. The lines of a conditional or a definition count as one unsupported line. */
export function readMakefile(text: string): MakefileLines {
  const found: MakefileLines = { rules: [], assignments: [], others: [] };
  let rule: MakeRule | undefined;
  let depth = 0;
  for (const { text: line, line: number } of logicalLines(text)) {
    const trimmed = line.trim();
    if (OPENING.test(trimmed) && ++depth === 1) found.others.push({ text: trimmed, line: number });
    else if (CLOSING.test(trimmed)) depth -= 1;
    else if (depth > 0 || /^(?:#.*)?$/s.test(trimmed)) continue;
    else if (line.startsWith('\t') && rule !== undefined) rule.recipe.push({ text: line.slice(1), line: number });
    else {
      rule = readRule(trimmed, number);
      const [, name, operator, value = ''] = ASSIGNMENT.exec(trimmed) ?? [];
      if (name !== undefined && operator !== undefined) {
        rule = undefined;
        found.assignments.push({ name, operator, value: value.replace(/\s+#.*$/s, ''), line: number });
      } else if (rule !== undefined) found.rules.push(rule);
      else if (!/^export(?:\s+[\w\s]+)?$/.test(trimmed)) {
        // Skips the recipe, too.
        rule = { targets: '', prerequisites: '', description: undefined, line: number, recipe: [] };
        found.others.push({ text: trimmed, line: number });
      }
    }
  }
  return found;
}

function readRule(text: string, line: number): MakeRule | undefined {
  const [, targets, prerequisites = '', comment] = RULE.exec(text) ?? [];
  const description = text.includes('##') ? comment : undefined;
  return targets === undefined ? undefined : { targets, prerequisites, description, line, recipe: [] };
}

/** The lines with their numbers. A backslash at the end of a line continues it. */
function* logicalLines(text: string): Generator<{ text: string; line: number }> {
  let begun: { text: string; line: number } | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const joined: string = begun === undefined ? line : `${begun.text.trimEnd()} ${line.trim()}`;
    const current = { text: joined, line: begun?.line ?? index + 1 };
    if (/(?<!\\)(?:\\\\)*\\$/.test(joined)) begun = { ...current, text: joined.slice(0, -1) };
    else {
      begun = undefined;
      yield current;
    }
  }
  if (begun !== undefined) yield begun;
}
