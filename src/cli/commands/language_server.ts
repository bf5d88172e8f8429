import { openInput, openOutput } from '../../backend/system/standard_streams.ts';
import { refuse, type Io } from '../output/io.ts';
import { VERSION } from '../../base/version.ts';
import { isTerminal } from '../output/terminal.ts';

/** `lsp`: serves an editor on standard input and output until it ends. */
export async function languageServer(io: Io): Promise<number> {
  if (isTerminal(io.stdin)) {
    return refuse(io, ['a language server is started by an editor, which speaks to it on standard input', HINT]);
  }
  const { serve } = await import('./lsp.cjs');
  const streams = { input: openInput(io.stdin), output: openOutput(io.stdout) };
  return new Promise((resolve) => serve({ ...streams, version: VERSION, exit: resolve }));
}

const HINT = 'to set up an editor: https://github.com/workflow-plan/workflow-plan/blob/main/docs/editors.md';
