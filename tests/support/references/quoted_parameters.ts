import sh from 'mvdan-sh';

const { syntax } = sh;

/** A comment to mvdan-sh 0.10.1, and part of the word to bash. */
const HASH_BEHIND_QUOTE = /['"]#/;

/**
 * The second opinion of another parser of bash: for each parameter of a name whose expansion it finds in a command,
 * in the order of the text, whether that stands in double quotes or a here-document. Undefined if it finds the command
 * malformed, does not look into a pattern of it, or is known to read it in another way than bash does.
 */
export function quotedParameters(command: string, name: RegExp): boolean[] | undefined {
  if (HASH_BEHIND_QUOTE.test(command)) return undefined;
  const found: { at: number; isQuoted: boolean }[] = [];
  const bodies = new Set<number>();
  let isWhole = true;
  // Of each node that is open, whether what is in it is quoted.
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
