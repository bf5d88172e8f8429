/* The module node:buffer in the browser. */
import { Buffer } from '../node_modules/buffer/index.js';

export { Buffer };

/** Whether bytes are UTF-8. */
export function isUtf8(bytes) {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
