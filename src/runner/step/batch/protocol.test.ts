import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { createLines, messageLine, type LauncherReport, reportIn } from './protocol.ts';

const ready: LauncherReport = { is: 'ready', step: '12.0', launcher: 'posix_spawn', cpus: '0,1' };

it('a report is one line, and is read from it', () => {
  expect(messageLine(ready).split('\n')).toHaveLength(2);
  expect(reportIn(messageLine(ready))).toEqual(ready);
});

test.each(['', 'srun: error: n1: task 0: Killed', '{', '{"is":"else"}', '{"do":"end"}', 'null', '[]'])(
  'the line %j of another program is no report',
  (line) => expect(reportIn(line)).toBeUndefined(),
);

test('lines are the same, wherever the stream is cut', () => {
  const text = fc.array(fc.string().map((each) => each.replaceAll('\n', ' ')));
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 40 })), (lines, cuts) => {
      const found: string[] = [];
      const take = createLines((line) => found.push(line));
      let rest = lines.map((line) => `${line}\n`).join('');
      for (const cut of cuts) {
        take(rest.slice(0, cut));
        rest = rest.slice(cut);
      }
      take(rest);
      expect(found).toEqual(lines);
    }),
  );
});
