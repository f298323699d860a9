import { expect, it } from 'vitest';
import { createLivePicture, redrawing } from './live-picture.ts';
import { createOutput } from '../../output/output.ts';

const output = createOutput('table', { out: { write: () => true }, err: { write: () => true } }, false);

it('only lines that differ are sent again, and lines of a longer picture are removed', () => {
  const sent = redrawing(['one', 'two', 'three'], ['one', 'TWO']);
  expect(sent).toContain('\u001b[3A\n\u001b[2KTWO\n\u001b[J');
  expect(sent).not.toMatch(/one|three/);
});

it('a first picture does not move the cursor up', () => {
  expect(redrawing([], ['one'])).toBe('\u001b[?2026h\u001b[2Kone\n\u001b[J\u001b[?2026l');
});

it('a picture fits a terminal of any size, and names cannot steer it', () => {
  let sent = '';
  const terminal = { columns: 10, rows: 3, write: (text: string) => void (sent += text) };
  createLivePicture(output, terminal).draw([{ text: 'evil\u001b[2J' }, { text: 'a'.repeat(50) }, { text: 'third' }]);
  expect(sent).toContain('aaaaaaaa…\n');
  expect(sent).not.toContain('third');
  expect(sent).not.toContain('\u001b[2J');
});

it('after something else was printed the picture is drawn whole', () => {
  let sent = '';
  const picture = createLivePicture(output, { write: (text: string) => void (sent = text) });
  picture.draw([{ text: 'same' }]);
  picture.draw([{ text: 'same' }]);
  expect(sent).not.toContain('same');
  picture.forget();
  picture.draw([{ text: 'same' }]);
  expect(sent).toContain('same');
});
