/** The bundle of packages/lsp, which is beside the bundle of the tool. */
export declare function serve(
  surroundings: Readonly<{
    input: NodeJS.ReadableStream;
    output: NodeJS.WritableStream;
    version: string;
    exit: (code: number) => void;
  }>,
): void;
