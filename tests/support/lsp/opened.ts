import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '../cli.ts';
import { newEditor, type Editor } from './editor.ts';

/** A library beside the opened file. */
export const LIB =
  '{"workflows": {"test": {"description": "Tests", "steps": ["true"]}, "hidden": {"private": true, "steps": []}}}';

/** A file with a library; `|` in its text is the position. */
export async function opened(
  t: TestContext,
  text: string,
  more: object = {},
): Promise<{ editor: Editor; uri: string; at: number; folder: string }> {
  const folder = temporaryDirectory(t, { '.cli/lib.json': LIB });
  const editor = newEditor();
  await editor.start(folder, more);
  const uri = editor.open(join(folder, '.cli/workflow.json'), text.replace('|', ''));
  return { editor, uri, at: text.indexOf('|'), folder };
}
