import { describe, expect, it } from 'vitest';
import { createOutput, CsvRefused, type Format, type ListView } from './output.ts';

/** An output that records everything that was printed. */
function output(format: Format, colours = false, quiet = false) {
  const written = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({ write: (text: string) => (written[name] += text) });
  return {
    ...createOutput(format, { out: stream('out'), err: stream('err') }, colours, { wide: false, quiet }),
    written,
  };
}

const jobs = (items: readonly { id: number }[], more: Partial<ListView<{ id: number }>> = {}) => ({
  items,
  columns: [{ title: 'ID', value: ({ id }: { id: number }) => id }],
  things: 'jobs',
  empty: 'No jobs found',
  title: 'Jobs:',
  ...more,
});

describe('a list', () => {
  it('a list is a table between its title and its count', () => {
    const { list, written } = output('table');
    list(jobs([{ id: 7 }, { id: 8 }]));
    expect(written.out).toBe('Jobs:\n╭────╮\n│ ID │\n├────┤\n│ 7  │\n│ 8  │\n╰────╯\n\nTotal: 2 jobs\n');
    expect(written.err).toBe('');
  });

  it('a list without items is a sentence for users', () => {
    const { list, written } = output('table');
    list(jobs([]));
    expect(written.out).toBe('No jobs found\n');
  });

  it('a list without items is an empty list or a header for programs', () => {
    const json = output('json');
    json.list(jobs([]));
    expect(JSON.parse(json.written.out)).toEqual({ items: [] });
    const csv = output('csv');
    csv.list(jobs([]));
    expect(csv.written.out).toBe('ID\n');
  });

  it('a list as JSON is an envelope of items, or the value of the command', () => {
    const plain = output('json');
    plain.list(jobs([{ id: 7 }]));
    expect(plain.written.out).toBe('{\n  "items": [\n    {\n      "id": 7\n    }\n  ]\n}\n');
    const other = output('json');
    other.list(jobs([{ id: 7 }], { json: { items: [{ id: 7, more: true }] } }));
    expect(JSON.parse(other.written.out)).toEqual({ items: [{ id: 7, more: true }] });
  });
});

it('a quiet output leaves out notices, and prints results, warnings, errors and what belongs to them', () => {
  for (const quiet of [false, true]) {
    const { list, notice, detail, warn, error, text, written } = output('table', false, quiet);
    list(jobs([]));
    text('result');
    notice('notice');
    warn('careful');
    error('wrong');
    detail('why');
    expect(written.out).toBe('No jobs found\nresult\n');
    expect(written.err).toBe(`${quiet ? '' : 'notice\n'}warning: careful\nError: wrong\nwhy\n`);
  }
});

describe('a name of a million characters', () => {
  const name = 'n'.repeat(1_000_000);
  const begin = `${'n'.repeat(1_000)}… (1,000,000 characters)`;
  const named = jobs([{ id: 7 }], { columns: [{ title: 'Name', value: () => name }] });

  it('a person reads its beginning and its length in tables, messages, warnings and errors', () => {
    for (const colours of [false, true]) {
      const { list, notice, warn, error, style, written } = output('table', colours);
      list(named);
      notice(`job ${style('bold', name)} ended`);
      warn(`job ${name} failed`);
      error(`the name '${name}' is in use`);
      expect(written.out.length + written.err.length).toBeLessThan(20_000);
      expect(written.out).toContain(`│ ${begin} │`);
      expect(written.err.split('1,000,00').length).toBe(4);
      expect(written.err).not.toContain('\u{f0000}');
    }
    const spaced = output('table');
    spaced.notice(`job ${'name '.repeat(200_000)}ended`);
    expect(spaced.written.err).toMatch(/… \(1,000,00\d characters\)\n$/);
  });

  it('a program reads all of it, in JSON and CSV, and a name of usual length is not cut', () => {
    for (const format of ['json', 'csv'] as const) {
      const { list, written } = output(format);
      list({ ...named, json: { items: [{ name }] } });
      expect(written.out.includes(name)).toBe(true);
    }
    const { notice, written } = output('table');
    notice(`job ${'n'.repeat(990)} ended`);
    expect(written.err).toBe(`job ${'n'.repeat(990)} ended\n`);
  });
});

describe('a record', () => {
  it('a record is the plain object as JSON, and its text otherwise', () => {
    const json = output('json');
    json.record('job', { id: 7 }, 'Job 7');
    expect(JSON.parse(json.written.out)).toEqual({ id: 7 });
    const table = output('table');
    table.record('job', { id: 7 }, 'Job 7');
    expect(table.written.out).toBe('Job 7\n');
  });

  it('a record is refused as CSV, and nothing is printed', () => {
    const { record, written } = output('csv');
    expect(() => record('job', { id: 7 }, 'Job 7')).toThrow(
      new CsvRefused(
        "csv format is only supported for list commands; 'job' returns a single record. Use -f json or -f table.",
      ),
    );
    expect(written.out).toBe('');
  });

  it('a record can be refused as CSV before it exists', () => {
    expect(() => output('csv').recordOnly('job')).toThrow(CsvRefused);
    expect(() => output('json').recordOnly('job')).not.toThrow();
    expect(() => output('table').recordOnly('job')).not.toThrow();
  });
});

describe('a result on one line', () => {
  it('a result on one line is printed only as JSON', () => {
    const [json, table, csv] = (['json', 'table', 'csv'] as const).map((format) => {
      const { jsonLine, written } = output(format);
      jsonLine({ id: 7, ok: true });
      return written.out;
    });
    expect([json, table, csv]).toEqual(['{"id":7,"ok":true}\n', '', '']);
  });
});

describe('messages for the user', () => {
  it('messages never go to standard output', () => {
    const { notice, warn, error, written } = output('json');
    notice('Created workflow 1');
    warn('no such column');
    error('there is no such file');
    error('Error starting the server');
    expect(written.err).toBe(
      'Created workflow 1\nwarning: no such column\nError: there is no such file\nError starting the server\n',
    );
    expect(written.out).toBe('');
  });

  it('messages have colours only if they are enabled', () => {
    for (const [colours, expected] of [
      [false, 'a bad word\n'],
      [true, 'a \u001b[31mbad\u001b[39m word\n'],
    ] as const) {
      const { style, notice, written } = output('table', colours);
      notice(`a ${style('red', 'bad')} word`);
      expect(written.err).toBe(expected);
    }
  });

  it('messages have no other control characters, also between those of the colours', () => {
    const { style, notice, warn, error, terminalText, written } = output('table', true);
    const evil = '\u001b[2J\u001b[31m\u0007';
    const shown = String.raw`\u001b[2J\u001b[31m\u0007`;
    notice(style('bold', evil));
    warn(evil);
    error(evil);
    expect(written.err).toBe(
      `\u001b[1m${shown}\u001b[22m\n\u001b[33mwarning:\u001b[39m ${shown}\n\u001b[31mError:\u001b[39m ${shown}\n`,
    );
    expect(terminalText('dim', evil)).toBe(`\u001b[2m${shown}\u001b[22m`);
  });
});
