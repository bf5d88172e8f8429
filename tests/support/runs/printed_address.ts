import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import type { Page } from './page.ts';

const ADDRESS = /http:\/\/127\.0\.0\.1:(\d+)\/#k=([0-9a-f]{64})\n/;

/** The address that a process prints to standard error, and all of its text so far. */
export async function printedAddress({
  stderr,
}: ChildProcess): Promise<Pick<Page, 'port' | 'key'> & { text: () => string }> {
  assert.ok(stderr !== null);
  let text = '';
  return new Promise((resolve, reject) => {
    stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const [, port, key = ''] = ADDRESS.exec(text) ?? [];
      if (port !== undefined) resolve({ port: Number(port), key, text: () => text });
    });
    stderr.once('end', () => reject(new Error(`no address in ${text}`)));
  });
}
