import sh from 'mvdan-sh';

const { syntax } = sh;

/** A text that mvdan-sh 0.10.1 reads as a comment, and bash as part of the word. */
const HASH_BEHIND_QUOTE = /['"]#/;

/**
 * The opinion of a second parser of bash: for each expansion of a parameter with this name in a command, in the order of
 * the text, whether it is in double quotes or a here-document. Undefined if the parser finds the command malformed, does
 * not parse one of its patterns, or is known to differ from bash.
 */
export function quotedParameters(command: string, name: RegExp): boolean[] | undefined {
  if (HASH_BEHIND_QUOTE.test(command)) return undefined;
  const found: { at: number; isQuoted: boolean }[] = [];
  const bodies = new Set<number>();
  let isWhole = true;
  // For each open node, whether its content is quoted.
  const open: boolean[] = [];
  try {
    syntax.Walk(syntax.NewParser().Parse(command, ''), (node) => {
      if (node === null) {
        open.pop();
        return true;
      }
      const type = syntax.NodeType(node);
      const at = node.Pos().Offset();
      if (type === 'ExtGlob') isWhole = false;
      if (type === 'Redirect' && node.Hdoc) bodies.add(node.Hdoc.Pos().Offset());
      const isQuoted = open.at(-1) ?? false;
      if (type === 'ParamExp' && name.test(node.Param?.Value ?? '')) found.push({ at, isQuoted });
      const opensQuotes = type === 'DblQuoted' || (type === 'Word' && bodies.has(at));
      open.push(opensQuotes || (isQuoted && type !== 'CmdSubst' && type !== 'ProcSubst'));
      return true;
    });
  } catch {
    return undefined;
  }
  if (!isWhole) return undefined;
  return found.toSorted((one, other) => one.at - other.at).map(({ isQuoted }) => isQuoted);
}
