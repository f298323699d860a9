import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { everyField, sample } from '../../../../tests/sonar/every-field.ts';
import { checkEnvelope } from './check.ts';
import { type Compat, parseCompat, unchangedCompat, usualCompat } from './compat.ts';
import { encodeAttributes, encodeEnvelope } from './encode.ts';
import { attributeTables, type Envelope, type MessageType } from './envelope.ts';
import { cpuUtilPercent, performanceState } from './conventions.ts';
import { decodeExtended, encodeExtended, GREATEST_UINT } from './extended-uint.ts';
import type { ObjectTable } from './kinds.ts';
import { expandNodeRange, rangeProblem } from './node-range.ts';
import { mayLoseDigits, readSonarJson } from './read-json.ts';
import { formatTimestamp, parseTimestamp } from './timestamp.ts';

const types = Object.keys(attributeTables) as MessageType[];

/** The paths of the definition that a value leaves at their defaults. */
function defaultsIn(table: ObjectTable, value: Record<string, unknown>, path: string): string[] {
  return Object.entries(table.fields).flatMap(([name, field]) => {
    const here = `${path}.${name}`;
    const found = field.list === undefined ? value[name] : (value[name] as unknown[] | undefined)?.[0];
    if (found === undefined || found === 0 || found === '' || found === false) return [here];
    return typeof field.kind === 'object' ? defaultsIn(field.kind, found as Record<string, unknown>, here) : [];
  });
}

describe('the definition', () => {
  it.each(types)('an envelope of %s with every field survives encoding, reading and checking', (type) => {
    const envelope = everyField[type];
    expect(defaultsIn(attributeTables[type], envelope.data.attributes as never, type)).toEqual([]);
    const { envelope: back, problems } = checkEnvelope(readSonarJson(encodeEnvelope(envelope, unchangedCompat)));
    expect(back).toEqual(envelope);
    expect(problems.filter(({ level }) => level !== 'warning')).toEqual([]);
  });

  it('the format leaves defaults out and writes the members that consumers rely on', () => {
    const bare = { time: '2026-01-01T00:00:00Z', cluster: 'c', node: 'n' };
    const written = encodeEnvelope({ meta: sample.meta, data: { type: 'sample', attributes: bare } });
    expect(written).toBe(
      '{"meta":{"producer":"torc","version":"1.2.3"},"data":{"type":"sample","attributes":{"time":"2026-01-01T00:00:00+00:00","cluster":"c","node":"n","jobs":[]}}}',
    );
    expect(encodeAttributes('cluster', { time: 't', cluster: 'c' })).toBe(
      '{"time":"t","cluster":"c","slurm":false,"partitions":[],"nodes":[]}',
    );
  });

  it('the format keeps members that it does not know, at any depth, and says so', () => {
    const raw = {
      meta: { ...sample.meta, moon: 'm' },
      data: { type: 'sample', attributes: { ...sample.data.attributes, zappa: [1] }, dweezil: 2n ** 64n - 1n },
      frank: { ahmet: 'e"' },
    };
    const { envelope, hasUnknown } = checkEnvelope(raw);
    expect(hasUnknown).toBe(true);
    expect(envelope?.data?.attributes).toHaveProperty('zappa', [1]);
    expect(readSonarJson(encodeEnvelope(envelope as Envelope, unchangedCompat))).toEqual(raw);
    const error = { time: '2026-01-01T00:00:00+00:00', detail: 'd', cluster: 'c', node: 'n' };
    const errors = { meta: sample.meta, errors: [error], frank: 1 };
    expect(readSonarJson(encodeEnvelope(checkEnvelope(errors).envelope as Envelope, unchangedCompat))).toEqual(errors);
    expect(checkEnvelope(everyField.sample).hasUnknown).toBe(false);
  });
});

describe('--compat', () => {
  const job = { job_id: 7, job_state: 'CANCELLED by 9', time_limit: 62, sacct: { AveDiskRead: 2 } };
  const attributes = { time: '2026-01-01T00:00:00+00:00', cluster: 'c', slurm_jobs: [job] };
  const written = (choice: string) => {
    const compat = parseCompat(choice);
    if (typeof compat === 'string') throw new Error(compat);
    return encodeEnvelope(
      { meta: { producer: 'p', version: '1', token: 't' }, data: { type: 'job', attributes } },
      compat,
    );
  };

  it('by default writes what the consumers in use read', () => {
    expect(
      encodeEnvelope({ meta: { producer: 'p', version: '1', token: 't' }, data: { type: 'job', attributes } }),
    ).toBe(
      '{"meta":{"producer":"p","version":"1"},"data":{"type":"job","attributes":{"time":"2026-01-01T00:00:00+00:00","cluster":"c","slurm_jobs":[{"job_id":7,"job_state":"CANCELLED","time_limit":62,"sacct":{"AveDiskRead":2}}]}}}',
    );
  });

  test.each([
    ['tag=jobs', '"type":"jobs"'],
    ['zone=z', '"time":"2026-01-01T00:00:00Z"'],
    ['time-limit=minutes', '"time_limit":3'],
    ['ave-disk=bytes', '"AveDiskRead":2048'],
    ['state=full', '"job_state":"CANCELLED by 9"'],
    ['meta=all', '"token":"t"'],
    ['text', '"type":"jobs"'],
  ])('%s writes %s', (choice, expected) => expect(written(choice)).toContain(expected));

  it('versions of software are written only where a choice asks for them, as the strict reader of Sonar refuses them', () => {
    const hasSoftware = (choice: string) =>
      encodeEnvelope(everyField.sysinfo, parseCompat(choice) as Compat).includes('"software":[{"key":"cuda"');
    expect(['software=left-out', 'zone=z', 'software=written', 'text'].map(hasSoftware)).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(encodeEnvelope(everyField.sysinfo)).not.toContain('software');
    expect(encodeEnvelope(everyField.sysinfo, unchangedCompat)).toContain('"software"');
  });

  it('names the switches and the choices that there are', () => {
    expect(parseCompat('zone=y')).toBe('zone: expected offset or z, found "y"');
    expect(parseCompat('hue=1')).toContain('unknown switch "hue"');
    expect(parseCompat('zone=offset')).toEqual(usualCompat);
  });
});

describe('extended integers', () => {
  test('every value of the range comes back from its representation', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: GREATEST_UINT - 2n }), (value) => {
        expect(BigInt(decodeExtended(encodeExtended(value)) as bigint)).toBe(value);
      }),
    );
  });

  it('an extended integer has unset as 0 or nothing and infinite as 1, and refuses what has no representation', () => {
    expect([encodeExtended('unset'), encodeExtended('infinite'), encodeExtended(0)]).toEqual([0, 1, 2]);
    expect([decodeExtended(undefined), decodeExtended(0), decodeExtended(1)]).toEqual(['unset', 'unset', 'infinite']);
    expect(() => encodeExtended(GREATEST_UINT - 1n)).toThrow(RangeError);
    expect(() => encodeExtended(-1)).toThrow(RangeError);
  });
});

describe('values of other producers', () => {
  it('the reader gives the performance state of a card as its producer writes it', () => {
    const [sonar, torc] = [
      { producer: 'sonar', version: '0.19.0' },
      { producer: 'torc', version: '1.0.0' },
    ];
    expect([1, 3].map((value) => performanceState(sonar, value))).toEqual([0, 2]);
    expect([2, 4].map((value) => performanceState(torc, value))).toEqual([0, 2]);
    expect([performanceState(sonar, undefined), performanceState(torc, 1)]).toEqual([undefined, undefined]);
  });

  it('the reader reads cpu_util of Sonar before 0.16 as a fraction', () => {
    const of = (producer: string, version: string) => cpuUtilPercent({ producer, version }, 0.5);
    expect([of('sonar', '0.15.2'), of('sonar', '0.16.0'), of('sonar', '1.0.0'), of('torc', '0.1.0')]).toEqual([
      50, 0.5, 0.5, 0.5,
    ]);
  });
});

describe('timestamps', () => {
  test('a formatted instant is read back, in every zone', () => {
    const instant = fc.integer({ min: -2_000_000_000, max: 200_000_000_000 });
    fc.assert(
      fc.property(instant, fc.integer({ min: -1439, max: 1439 }), (seconds, offsetMinutes) => {
        expect(parseTimestamp(formatTimestamp(seconds, offsetMinutes))).toEqual({ seconds, offsetMinutes });
      }),
    );
  });

  test.each([
    '2026-02-29T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00.5Z',
    '2026-01-01T00:00:00z',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00+0100',
    'yesterday',
  ])('%s is malformed', (text) => expect(parseTimestamp(text)).toBeUndefined());

  it('knows the 29th of February of leap years', () => {
    expect(parseTimestamp('2024-02-29T00:00:00Z')?.seconds).toBe(1_709_164_800);
    expect(formatTimestamp(1_709_164_800, -90)).toBe('2024-02-28T22:30:00-01:30');
  });
});

describe('node ranges', () => {
  it('expands the example of the text in its order', () => {
    expect(expandNodeRange('c[1-3,5]-[2-4].fox').join()).toBe(
      'c1-2.fox,c1-3.fox,c1-4.fox,c2-2.fox,c2-3.fox,c2-4.fox,c3-2.fox,c3-3.fox,c3-4.fox,c5-2.fox,c5-3.fox,c5-4.fox',
    );
    expect(expandNodeRange('n[001-003,10],a')).toEqual(['n001', 'n002', 'n003', 'n10', 'a']);
  });

  test.each([
    '',
    'a,,b',
    'a,',
    'n[3-1]',
    'n[1,1]',
    'n[1-5,3]',
    'n[]',
    'n[1',
    'n[1-[2]]',
    'a b',
    'n[1 ,2]',
    'None assigned',
    'n]',
    'n[a]',
  ])('"%s" is no range', (text) => expect(rangeProblem(text)).toContain('not a node range'));

  it('the code of node ranges refuses more than 100,000 names before it makes them', () => {
    expect(rangeProblem('n[0-999999999999]')).toContain('it has 1000000000000 names');
    expect(expandNodeRange('n[1-100000]')).toHaveLength(100_000);
  });
});

describe('reading JSON', () => {
  test('the reader of JSON gives what JSON.parse gives, for every JSON text whose numbers it keeps', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        if (mayLoseDigits(text) || /\d(\.0)?e|-0\b/i.test(text)) return;
        expect(readSonarJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('the reader of JSON keeps the digits of 64 bits and reports members that stand twice', () => {
    const twice: string[] = [];
    expect(readSonarJson('{"a":18446744073709551615,"b":[{"c":1,"c":2}]}', (name) => twice.push(name))).toEqual({
      a: GREATEST_UINT,
      b: [{ c: 2 }],
    });
    expect(twice).toEqual(['c']);
  });

  test.each([
    '',
    '{',
    '[1,]',
    '{"a":1,}',
    '{a:1}',
    'NaN',
    '01',
    '1.',
    '"\t"',
    '"a',
    '"\\x"',
    '{} {}',
    '['.repeat(100_000),
  ])('the reader of JSON refuses the malformed text of test %#', (text) =>
    expect(() => readSonarJson(text)).toThrow(expect.objectContaining({ name: 'Unreadable' })),
  );
});

describe('checking', () => {
  const withProcess = (process: unknown) => ({
    meta: { producer: 'p', version: '1' },
    data: {
      type: 'sample',
      attributes: {
        time: '2026-01-01T00:00:00Z',
        cluster: 'c',
        node: 'n',
        jobs: [{ job: 1, user: 'u', processes: [process] }],
      },
    },
  });
  const problemsOf = (process: string) => checkEnvelope(withProcess(readSonarJson(process))).problems;

  test.each([
    ['{"pid":-1}', 'unusable', 'pid'],
    ['{"pid":18446744073709551616}', 'unusable', 'pid'],
    ['{"pid":1.5}', 'unusable', 'pid'],
    ['{"pid":"1"}', 'unusable', 'pid'],
    ['{"cpu_avg":1e400}', 'unusable', 'cpu_avg'],
    ['{"cmd":5}', 'unusable', 'cmd'],
    ['{"in_container":1}', 'unusable', 'in_container'],
    ['{"pid":1.0}', 'refused', 'pid'],
    ['{"pid":1e3}', 'refused', 'pid'],
    ['{"pid":null}', 'warning', 'pid'],
    ['{"PID":1}', 'warning', 'PID'],
    ['{"rolledup":-1}', 'warning', 'rolledup'],
    ['{"zappa":-1}', 'warning', 'zappa'],
  ])('%s is %s, with the path of its field', (text, level, field) => {
    expect(problemsOf(text)).toEqual([
      expect.objectContaining({ level, field: `data.attributes.jobs[0].processes[0].${field}` }),
    ]);
  });

  it('the check accepts the greatest integer and every float', () => {
    expect(problemsOf('{"pid":18446744073709551615,"cpu_avg":3,"cpu_util":-1.5,"cmd":""}')).toEqual([]);
  });

  it('the check refuses job 0 where the epoch is 0 and accepts it with an epoch', () => {
    const of = (job: object) =>
      checkEnvelope({
        ...withProcess({}),
        data: { type: 'sample', attributes: { time: '2026-01-01T00:00:00Z', cluster: 'c', node: 'n', jobs: [job] } },
      });
    expect(of({ user: 'u', processes: [] }).envelope).toBeUndefined();
    expect(of({ user: 'u', epoch: 5, processes: [] }).problems).toEqual([]);
  });

  it('the check reports a limited number of problems of one envelope', () => {
    const many = withProcess(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`x${index}`, 1])));
    expect(checkEnvelope(many).problems.length).toBeLessThanOrEqual(200);
  });

  test('the check says something of any JSON value and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(checkEnvelope(value).problems.length).toBeGreaterThan(0);
        expect(
          checkEnvelope({ meta: { producer: 'p', version: '1' }, data: { type: 'sample', attributes: value } })
            .envelope,
        ).toBeUndefined();
      }),
    );
  });
});
