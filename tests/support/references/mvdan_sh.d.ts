/** The part of the shell parser mvdan-sh that the tests use. The package contains no types. */
declare module 'mvdan-sh' {
  interface Position {
    Offset(): number;
  }

  interface Node {
    Pos(): Position;
    /** The body of a here-document, for a redirection. */
    readonly Hdoc?: Node | null;
    /** The parameter, for an expansion. */
    readonly Param?: { readonly Value: string } | null;
  }

  interface Parser {
    /** Throws if the text is malformed. */
    Parse(text: string, name: string): Node;
  }

  interface Syntax {
    NewParser(...options: readonly unknown[]): Parser;
    NodeType(node: Node): string;
    /** Visits a node, then its children, then null. */
    Walk(node: Node, visit: (node: Node | null) => boolean): void;
  }

  const sh: { readonly syntax: Syntax };
  export default sh;
}
