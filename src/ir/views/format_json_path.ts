import type { JsonPath, Output } from '../../frontend/schema/option_fields.ts';

/** The source of an output as written in a file. */
export function formatOutputSource(source: Output[1]): string {
  return source === 'text' ? source : formatJsonPath(source);
}

/** A path in RFC 9535's notation, with the shorthand for plain names: `$.data[0]["other name"]`. */
export function formatJsonPath(path: JsonPath): string {
  const segments = path.map((segment) => {
    const isPlain = typeof segment === 'string' && /^[A-Za-z_]\w*$/.test(segment);
    return isPlain ? `.${segment}` : `[${JSON.stringify(segment)}]`;
  });
  return `$${segments.join('')}`;
}
