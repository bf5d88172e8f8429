import { write } from 'node:fs';
import { delay } from './sleep.ts';
import { chunksOf, messageOf } from './write.ts';

/** Writes like `write`, while signals are handled: the reader of a pipe may be slow. */
export async function writeUnblocked(descriptor: number, pieces: Iterable<string>): Promise<string | undefined> {
  for (const bytes of chunksOf(pieces)) {
    for (let done = 0; done < bytes.length;) {
      const { error, count } = await writeOnce(descriptor, bytes, done);
      if (error === null) done += count;
      else if (error.code === 'EAGAIN') await delay(5);
      else return messageOf(error);
    }
  }
  return undefined;
}

type Written = Readonly<{ error: NodeJS.ErrnoException | null; count: number }>;

function writeOnce(descriptor: number, bytes: Buffer, done: number): Promise<Written> {
  return new Promise((resolve) => {
    write(descriptor, bytes, done, (error, count) => resolve({ error, count }));
  });
}
