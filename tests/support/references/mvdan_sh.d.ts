/** The part of the shell parser mvdan-sh that the tests use; the package brings no types. */
declare module 'mvdan-sh' {
  interface Position {
    Offset(): number;
  }

  interface Node {
    Pos(): Position;
    /** Of a redirection: the body of a here-document. */
    readonly Hdoc?: Node | null;
    /** Of an expansion: the parameter. */
    readonly Param?: { readonly Value: string } | null;
  }

  interface Parser {
    /** Throws where the text is not well-formed. */
    Parse(text: string, name: string): Node;
  }

  interface Syntax {
    NewParser(...options: readonly unknown[]): Parser;
    NodeType(node: Node): string;
    /** Visits a node, what is in it, and null after that. */
    Walk(node: Node, visit: (node: Node | null) => boolean): void;
  }

  const sh: { readonly syntax: Syntax };
  export default sh;
}
