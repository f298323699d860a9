import { expect, it, vi } from 'vitest';
import { createFigures } from '../bench/support/figures.ts';

function printed(judges: boolean): string {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const { note, print } = createFigures({ judges });
  note('a chain', 2, 'times', { atMost: 1.3 });
  print();
  const text = log.mock.calls.flat().join('\n');
  log.mockRestore();
  return text;
}

it('a first look at a figure is compared with no goal, and a measurement is', () => {
  expect(printed(true)).toContain('[MISSED: at most 1.3]');
  expect(printed(false)).not.toContain('at most');
  expect(printed(false)).toContain('2.00 times');
});
