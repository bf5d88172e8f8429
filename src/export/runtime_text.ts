import { readFileSync } from 'node:fs';

/** The text of a file in runtime/. In the bundle, which is a single file, scripts/bundle.mjs replaces this module. */
export function runtimeText(part: string): string {
  return readFileSync(new URL(`runtime/${part}.bash`, import.meta.url), 'utf8');
}
