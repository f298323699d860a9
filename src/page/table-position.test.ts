import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TablePosition, positionAt, ROW, trackHeight } from './table-position.ts';

/** The frame is a little higher than its rows. */
const sizeOf = (length: number) => ({
  rows: length * ROW,
  view: 16 * ROW,
  most: trackHeight({ rows: length * ROW }) - 16 * ROW - 14,
});
const TOP: TablePosition = { scrollTop: 0, offset: 0 };

describe('where a long table is', () => {
  it('the track of a table is as high as its rows, up to what every browser draws', () => {
    expect(trackHeight({ rows: 33_000 })).toBe(33_000);
    expect(trackHeight({ rows: 330_000_000 })).toBe(15_000_000);
  });

  it('in a table whose track is as high as its rows, every position is that of the track, but for a part of a row', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 20, max: 100_000 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        (length, jumps) => {
          const size = sizeOf(length);
          let position = TOP;
          for (const share of jumps) {
            position = positionAt(position, Math.round(share * size.most), size);
            expect(Math.abs(position.offset - position.scrollTop)).toBeLessThan(ROW);
          }
        },
      ),
    );
  });

  it('a million rows are passed one by one with steps of a wheel, and none is passed over', () => {
    const size = sizeOf(1_000_000);
    const { most } = size;
    let position = TOP;
    let steps = 0;
    while (position.offset < size.rows - size.view && steps < 100_000) {
      const next = positionAt(position, Math.min(most, position.scrollTop + size.view), size);
      // A step shows no row that the one before did not border on, but for the last few.
      expect(next.offset - position.offset).toBeLessThanOrEqual(2 * size.view);
      position = next;
      steps += 1;
    }
    expect(steps).toBeGreaterThan(62_000);
    expect(position.scrollTop).toBe(most);
  });

  it('a jump goes to the same part of the rows as of the track, and its ends are their ends', () => {
    const size = sizeOf(1_000_000);
    const { most } = size;
    expect(positionAt(TOP, most, size).offset).toBe(size.rows - size.view);
    expect(positionAt({ scrollTop: most, offset: size.rows - size.view }, 0, size).offset).toBe(0);
    expect(positionAt(TOP, Math.round(most / 2), size).offset / (size.rows - size.view)).toBeCloseTo(0.5, 5);
  });

  it('a table whose rows are all in view stays where it is', () => {
    expect(positionAt(TOP, 7, { rows: 330, view: 330, most: 0 })).toEqual({ scrollTop: 7, offset: 0 });
  });
});
