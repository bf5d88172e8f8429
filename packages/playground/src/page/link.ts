/** The maximum size of a file, as for `cli`. */
const LIMIT = 16 * 1024 * 1024;

const PREFIX = '#file=';

/** Whether a fragment carries a file. */
export function carriesFile(fragment: string): boolean {
  return fragment.startsWith(PREFIX);
}

/** A fragment that carries a file, compressed. */
export async function fragmentOf(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCodePoint(...bytes.subarray(at, at + 0x8000));
  return PREFIX + btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The file in a fragment, or the problem with it. */
export async function fileIn(fragment: string): Promise<Readonly<{ text: string } | { problem: string }>> {
  try {
    const binary = atob(fragment.slice(PREFIX.length).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.codePointAt(0) ?? 0);
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    let [text, size] = ['', 0];
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.length;
      if (size > LIMIT) {
        await reader.cancel();
        return { problem: `its file has more than ${LIMIT} bytes (16 MiB)` };
      }
      text += decoder.decode(next.value, { stream: true });
    }
    return { text: text + decoder.decode() };
  } catch {
    return { problem: 'it is damaged: copy it again, as a whole' };
  }
}
