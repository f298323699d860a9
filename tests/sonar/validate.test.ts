import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { encodeEnvelope } from '../../src/core/contract/sonar/encode.ts';
import { EnvelopeReader, type EnvelopeRecord } from '../../src/telemetry/format/envelope-reader.ts';
import { start, temporaryFolder } from '../support/programs.ts';
import { edges } from './edge.ts';
import { everyField } from './every-field.ts';

/** The records of a stream that arrives in chunks of the given lengths, the last of them again and again. */
function read(bytes: string | Buffer, isCareful = true, lengths: readonly number[] = [2 ** 20]): EnvelopeRecord[] {
  const reader = new EnvelopeReader({ isCareful });
  const whole = Buffer.from(bytes as string);
  const records: EnvelopeRecord[] = [];
  for (let at = 0, index = 0; at < whole.length; index++) {
    const length = lengths[Math.min(index, lengths.length - 1)] ?? 1;
    records.push(...reader.push(whole.subarray(at, at + length)));
    at += length;
  }
  return [...records, ...reader.end()];
}

const verdictOf = (records: readonly EnvelopeRecord[]) => ({
  records: records.filter(({ number }) => number > 0).length,
  refused: records.filter(({ problems }) => problems.some(({ level }) => level !== 'warning')).length,
  hasWarnings: records.some(({ problems }) => problems.some(({ level }) => level === 'warning')),
  stored: records.filter(({ envelope }) => envelope !== undefined).length,
  quarantined: records.filter(({ number, envelope }) => number > 0 && envelope === undefined).length,
});

describe('both verdicts of input at the edge of the format', () => {
  test.each(edges)('$name', ({ bytes, name: _name, says = '', ...verdict }) => {
    const records = read(bytes);
    expect(verdictOf(records)).toEqual(verdict);
    expect(JSON.stringify(records.map(({ problems }) => problems))).toContain(JSON.stringify(says).slice(1, -1));
  });

  test.each(edges)(
    '$name has the same verdict of ingestion when it arrives byte by byte',
    ({ bytes, stored, quarantined }) => {
      expect(verdictOf(read(bytes, false, [1]))).toMatchObject({ stored, quarantined });
    },
  );

  const corpus = process.env['SONAR_CORPUS'];
  it.skipIf(corpus === undefined)('files of a corpus of Sonar that have a name in the table have its verdicts', () => {
    const folder = join(corpus ?? '', 'edge/reader');
    const verdicts = readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => {
        const { records, refused, stored, quarantined } = verdictOf(read(readFileSync(join(folder, file))));
        return { name: file.replace('.json', ''), records, refused, stored, quarantined };
      });
    expect(verdicts).toEqual(
      verdicts.map(({ name }) => {
        const { records, refused, stored, quarantined } = edges.find((edge) => edge.name === name) ?? {};
        return { name, records, refused, stored, quarantined };
      }),
    );
  });
  if (corpus === undefined || !existsSync(corpus))
    process.stderr.write('SONAR_CORPUS names no corpus: its files are not checked, only our own equivalents\n');
});

const sampleText = encodeEnvelope(everyField.sample);

test('envelopes are found however the stream is divided and whatever stands between them', () => {
  const between = fc.constantFrom('', '\n', ' \r\n\t', ',', ' [ ', ']', 'text\n', '\n}\n');
  const stream = fc.array(between, { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(
      stream,
      fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 5 }),
      (parts, lengths) => {
        const records = read(parts.map((part) => part + sampleText).join(''), false, lengths);
        expect(records.filter(({ envelope }) => envelope !== undefined)).toHaveLength(parts.length);
      },
    ),
    { numRuns: 200 },
  );
});

test('an envelope that was cut off anywhere never costs the whole envelopes around it', () => {
  const line = `${sampleText}\n`;
  for (let cut = 1; cut < sampleText.length; cut += 7) {
    const stored = verdictOf(read(`${line}${sampleText.slice(0, cut)}\n${line}${line}`, false)).stored;
    expect({ cut, stored }).toEqual({ cut, stored: 3 });
  }
});

test('nothing but beginnings of envelopes is read in a time that grows with its length', () => {
  expect(verdictOf(read('{"meta"'.repeat(200_000), false)).stored).toBe(0);
});

test('an envelope above the limit is refused and the next one is read', () => {
  const reader = new EnvelopeReader({ limit: 100_000 });
  const long = `{"meta":{"producer":"${'x'.repeat(300_000)}"}}\n`;
  const found = [
    ...Buffer.from(long + sampleText)
      .toString()
      .matchAll(/[^]{1,4096}/g),
  ].flatMap(([chunk]) => reader.push(Buffer.from(chunk)));
  expect(found.map(({ envelope }) => envelope !== undefined)).toEqual([false, true]);
  expect(found[0]?.problems[0]?.found).toContain('longer than 100000 bytes');
  expect(found[0]?.bytes.length).toBeLessThanOrEqual(65_536);
});

describe('torc sonar validate', () => {
  const validate = (args: readonly string[], input?: string) =>
    start('torc', ['sonar', 'validate', ...args], {
      cwd: temporaryFolder(),
      ...(input === undefined ? {} : { input }),
    });

  it('names the record, the field, what was found and what is expected, and exits with 1', async () => {
    const file = join(temporaryFolder(), 'bad.json');
    writeFileSync(file, edges.find(({ name }) => name === 'good_then_bad_then_good')?.bytes ?? '');
    const { stdout, stderr, code } = await validate([file]).ended;
    expect(stdout).toBe(
      `${file}: record 2 (line 2): error: data.attributes.jobs[0].processes[0].pid: found -1; expected an integer from 0 to 18446744073709551615\n${file}: 3 records: 2 valid, 1 refused\n`,
    );
    expect({ stderr, code }).toEqual({ stderr: '', code: 1 });
  });

  it('torc sonar validate accepts valid envelopes in files that gzip packed, and exits with 0; --strict lets warnings fail', async () => {
    const file = join(temporaryFolder(), 'good.json.gz');
    writeFileSync(file, gzipSync(`${sampleText}\n${edges.find(({ name }) => name === 'null_pid')?.bytes.toString()}`));
    const [plain, strict] = await Promise.all([
      validate([file, '-f', 'json']).ended,
      validate([file, '--strict']).ended,
    ]);
    const reported = JSON.parse(plain.stdout) as { files: unknown[]; problems: { level: string; field: string }[] };
    expect(reported.files).toEqual([{ file, records: 2, valid: 2, refused: 0, warnings: 1 }]);
    expect(reported.problems).toEqual([
      expect.objectContaining({ level: 'warning', field: expect.stringContaining('pid') as string }),
    ]);
    expect([plain.code, strict.code]).toEqual([0, 1]);
  });

  it('torc sonar validate reads standard input where no file is named', async () => {
    const { stdout, code } = await validate([], sampleText).ended;
    expect({ stdout, code }).toEqual({ stdout: '-: 1 record: 1 valid\n', code: 0 });
  });

  it('torc sonar validate says which file it cannot read', async () => {
    const { stderr, code } = await validate(['no-such.json']).ended;
    expect(stderr).toContain('cannot read no-such.json: ENOENT');
    expect(code).toBe(1);
  });
});
