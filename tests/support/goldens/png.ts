import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';
import { at } from '../../../src/ir/plan.ts';

/** The filters of a line (PNG, 9.2): a byte predicted from those to the left, above, and above to the left. */
const FILTERS: readonly ((left: number, up: number, corner: number) => number)[] = [
  () => 0,
  (left) => left,
  (_, up) => up,
  (left, up) => (left + up) >> 1,
  (left, up, corner) => {
    const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
    if (a <= b && a <= c) return left;
    return b <= c ? up : corner;
  },
];

/** The number of pixels of each colour, as `#rrggbb`, in a picture of eight bits in RGB or RGBA. */
export function coloursOf(png: Buffer): Map<string, number> {
  const parts: Buffer[] = [];
  for (let part = 8; part < png.length; part += 12 + png.readUInt32BE(part)) {
    const data = png.subarray(part + 8, part + 8 + png.readUInt32BE(part));
    if (png.toString('latin1', part + 4, part + 8) === 'IDAT') parts.push(data);
  }
  const [width, height, depth, type] = [png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]];
  assert.ok(depth === 8 && (type === 2 || type === 6));
  const size = type === 6 ? 4 : 3;
  const raw = inflateSync(Buffer.concat(parts));
  const counts = new Map<number, number>();
  let above = Buffer.alloc(width * size);
  for (let row = 0; row < height; row += 1) {
    const start = row * (width * size + 1);
    const predict = at(FILTERS, raw.readUInt8(start));
    const line = raw.subarray(start + 1, start + 1 + width * size);
    for (let index = 0; index < line.length; index += 1) {
      const [left, corner] = [line[index - size], above[index - size]];
      line[index] = (line[index] ?? 0) + predict(left ?? 0, above[index] ?? 0, corner ?? 0);
    }
    for (let pixel = 0; pixel < line.length; pixel += size) {
      const colour = line.readUIntBE(pixel, 3);
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    above = line;
  }
  return new Map(Array.from(counts, ([colour, count]) => [`#${colour.toString(16).padStart(6, '0')}`, count]));
}
