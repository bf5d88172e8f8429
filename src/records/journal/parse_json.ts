const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The value of a JSON text, or of its bytes in UTF-8; undefined if it is damaged. */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : UTF8.decode(text));
  } catch {
    // The messages of both errors are unhelpful.
    return undefined;
  }
}
