import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { viewedArea, enlarged, hasNames, type FrameSize, touch, wholeScale } from './zoom.ts';

const frame: FrameSize = { width: 1_000, height: 500 };
const drawing: FrameSize = { width: 10_000, height: 2_000 };
const own = { scale: 1, left: 0, top: 0 };
const middle = { x: 500, y: 250 };

describe('the size of the graph', () => {
  it('the whole of a large graph is in its frame, and a small one is not enlarged', () => {
    expect(wholeScale(drawing, frame)).toBe(0.1);
    expect(wholeScale({ width: 300, height: 100 }, frame)).toBe(1);
    expect(enlarged(own, 0, middle, drawing, frame)).toEqual({ scale: 0.1, left: 0, top: 0 });
  });

  it('the graph is not enlarged beyond twice its own size, nor made smaller than its frame', () => {
    expect(enlarged(own, 100, middle, drawing, frame).scale).toBe(2);
    expect(enlarged(own, 0.001, middle, drawing, frame).scale).toBe(0.1);
  });

  it('the point under the pointer stays where it is, and at an edge of the drawing the frame stays within it', () => {
    const view = { scale: 1, left: 4_000, top: 700 };
    const at = { x: 200, y: 300 };
    const larger = enlarged(view, 1.4, at, drawing, frame);
    expect((larger.left + at.x) / larger.scale).toBeCloseTo(4_200);
    expect((larger.top + at.y) / larger.scale).toBeCloseTo(1_000);
    expect(enlarged({ scale: 1, left: 9_000, top: 1_500 }, 0.5, { x: 0, y: 0 }, drawing, frame)).toEqual({
      scale: 0.5,
      left: 4_000,
      top: 500,
    });
  });

  it('the graph has names where they can be read, and none from afar', () => {
    expect(hasNames(1)).toBe(true);
    expect(hasNames(0.3)).toBe(false);
  });
});

it('all that is in view is drawn at every scale, and what is far away is not', () => {
  const part = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(part, part, fc.double({ min: 0.1, max: 2, noNaN: true }), (x, y, scale) => {
      const view = {
        scale,
        left: x * Math.max(0, drawing.width * scale - frame.width),
        top: y * Math.max(0, drawing.height * scale - frame.height),
      };
      const area = viewedArea(view, frame);
      const [left, top] = [view.left / scale, view.top / scale];
      const seen = { left, top, right: left + frame.width / scale, bottom: top + frame.height / scale };
      expect(area.left).toBeLessThanOrEqual(seen.left);
      expect(area.top).toBeLessThanOrEqual(seen.top);
      expect(area.right).toBeGreaterThanOrEqual(seen.right);
      expect(area.bottom).toBeGreaterThanOrEqual(seen.bottom);
      expect(touch(area, { ...seen, left: seen.right + 300, right: seen.right + 400 })).toBe(false);
    }),
  );
});
