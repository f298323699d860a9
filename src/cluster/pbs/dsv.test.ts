import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseDsv, parsePbsSeconds, parsePbsTime } from './dsv.ts';

/** As OpenPBS 23.06.06 printed it for a job with `-A 'ac|c\d' -N 123` and a variable of two lines; the release of June 2023 prints the same. */
const ODD = String.raw`Job Id: 20.pbs|Job_Name=123|job_state=R|Account_Name=ac\|c\\d|Variable_List=FOO=a\nJob Id: 9.pbs\|x,HOME=/root|run_count=1`;

describe('records of qstat -F dsv', () => {
  it('a value keeps its bars, backslashes and newlines, and a name that looks like a number is text', () => {
    const [job, ...others] = parseDsv('job', `${ODD}\n`);
    expect([job?.id, others]).toEqual(['20.pbs', []]);
    expect(Object.fromEntries(job?.fields ?? [])).toEqual({
      Job_Name: '123',
      job_state: 'R',
      Account_Name: String.raw`ac|c\d`,
      Variable_List: 'FOO=a\nJob Id: 9.pbs|x,HOME=/root',
      run_count: '1',
    });
  });

  it('a line that was cut off is no record, because its last field may be another word', () => {
    expect(parseDsv('job', `${ODD}\n${ODD.replace('20', '21').slice(0, 50)}`)).toHaveLength(1);
  });

  test('whatever a value is, it is read as it was written', () => {
    const escaped = (text: string) => text.replaceAll(/[\\|]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '|', '\\', '\n', '=', ' ', 'n') }), (value) => {
        const [job] = parseDsv('job', `Job Id: 1.pbs|A=${escaped(value)}|B=b\n`);
        expect([job?.fields.get('A') ?? '', job?.fields.get('B')]).toEqual([value, 'b']);
      }),
    );
  });
});

test.each([
  ['Sun Nov 29 20:44:22 2026', Date.UTC(2026, 10, 29, 20, 44, 22)],
  ['Tue Dec  1 00:00:00 2026', Date.UTC(2026, 11, 1)],
  ['2026-11-29', undefined],
  ['', undefined],
])('the time %j is %j', (text, value) => expect(parsePbsTime(text)).toBe(value));

test.each([
  ['90', 90],
  ['01:30', 90],
  ['100:00:00', 360_000],
  ['1:2:3:4', undefined],
  ['-1', undefined],
])('the walltime %j is %j seconds', (text, value) => expect(parsePbsSeconds(text)).toBe(value));
