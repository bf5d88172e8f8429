import sh from 'mvdan-sh';

const { syntax } = sh;

/** The simple commands of a bash script, each as its text up to the end of its line. */
export function simpleCommands(script: string): readonly string[] {
  const bytes = Buffer.from(script);
  const found: string[] = [];
  syntax.Walk(syntax.NewParser().Parse(script, ''), (node) => {
    if (node !== null && syntax.NodeType(node) === 'CallExpr') {
      const rest = bytes.subarray(node.Pos().Offset()).toString();
      // Assignments before a command.
      found.push((rest.split('\n', 1)[0] ?? '').replace(/^(?:[A-Z_a-z]+=[^\s'"$(]* )+/, ''));
    }
    return true;
  });
  return found;
}
