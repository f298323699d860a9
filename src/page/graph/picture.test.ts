import { expect, it } from 'vitest';
import { pictureOf } from './picture.ts';
import { wholeScale } from './zoom.ts';

const chainOf = (length: number) => {
  const keys = Array.from({ length }, (_, at) => `step ${at}`);
  return {
    families: keys.map((key, at) => ({ key, name: key, first_job_id: at + 1, jobs: 1, jobs_by_status: { ready: 1 } })),
    edges: keys.slice(1).map((to, at) => ({ from: keys[at] as string, to, dependencies: 1 })),
    families_left_out: 0,
    jobs_left_out: 0,
  };
};
const [desk, phone] = [
  { width: 1127, height: 544 },
  { width: 334, height: 544 },
];

it('a graph stands from left to right where all of it is in the frame', () => {
  const { width, height } = pictureOf(chainOf(4), desk);
  expect(width).toBeGreaterThan(height);
});

it('a chain that is too long for a phone, or for a desk, stands from top to bottom, all of it in the frame', () => {
  for (const [length, frame] of [
    [6, phone],
    [8, desk],
  ] as const) {
    const picture = pictureOf(chainOf(length), frame);
    expect(picture.height).toBeGreaterThan(picture.width);
    expect(wholeScale(picture, frame)).toBeGreaterThan(0.65);
    const tops = picture.nodes.map(({ box }) => box.top);
    expect(tops).toEqual(tops.toSorted((one, other) => one - other));
    for (const { box } of [...picture.nodes, ...picture.edges]) {
      expect(box.left).toBeGreaterThanOrEqual(0);
      expect(box.right).toBeLessThanOrEqual(picture.width);
      expect(box.bottom).toBeLessThanOrEqual(picture.height);
    }
  }
});

it('a graph that can be read in neither direction stands from left to right', () => {
  const { width, height } = pictureOf(chainOf(60), phone);
  expect(width).toBeGreaterThan(height);
});
