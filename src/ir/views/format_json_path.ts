import type { Output } from '../plan.ts';

/** A path in RFC 9535's notation, with the shorthand for plain names: `$.data[0]["odd name"]`. */
export function formatJsonPath(path: Output[1]): string {
  const segments = path.map((segment) => {
    const isPlain = typeof segment === 'string' && /^[A-Za-z_]\w*$/.test(segment);
    return isPlain ? `.${segment}` : `[${JSON.stringify(segment)}]`;
  });
  return `$${segments.join('')}`;
}
