import type { JsonPath } from '../../frontend/references/json_path.ts';

/** A path in RFC 9535's notation, with the shorthand for plain names: `$.data[0]["odd name"]`. */
export function formatJsonPath(path: JsonPath): string {
  const segments = path.map((segment) => {
    const isPlain = typeof segment === 'string' && /^[A-Za-z_]\w*$/.test(segment);
    return isPlain ? `.${segment}` : `[${JSON.stringify(segment)}]`;
  });
  return `$${segments.join('')}`;
}
