import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { textWidth } from '../../core/text/text-width.ts';
import { cellText, type Column, csvText, tableOf } from './table.ts';

interface Job {
  readonly id: number;
  readonly name: string;
}

const columns: readonly Column<Job>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'Name', value: ({ name }) => name },
];

const tableText = <Row>(...given: Parameters<typeof tableOf<Row>>) => tableOf(...given).text;

const nameOnly: readonly Column<string>[] = [{ title: 'Name', value: (name) => name }];

describe('a table', () => {
  it('a table is as wide as its longest cells, with numbers aligned to the right', () => {
    const rows = [
      { id: 7, name: 'sum' },
      { id: 1204, name: 'a' },
    ];
    expect(tableText(columns, rows)).toBe(
      [
        '╭──────┬──────╮',
        '│ ID   │ Name │',
        '├──────┼──────┤',
        '│    7 │ sum  │',
        '│ 1204 │ a    │',
        '╰──────┴──────╯',
      ].join('\n'),
    );
  });

  it('a table without rows has its header', () => {
    expect(tableText(columns, [])).toBe(
      ['╭────┬──────╮', '│ ID │ Name │', '├────┼──────┤', '╰────┴──────╯'].join('\n'),
    );
  });

  it('a row stays on one line for any text', () => {
    expect(tableText(nameOnly, ['one\n  two\r\nthree\tfour\u2028five']).split('\n')).toContain(
      '│ one two three four five │',
    );
  });

  it('a table shows a dash for what is not known; zero, false and JSON are known', () => {
    const any: readonly Column<unknown>[] = [{ title: 'x', value: (value) => value }];
    const shown = tableText(any, [undefined, null, '', 0, false, []]).split('\n').slice(3, -1);
    expect(shown).toEqual(['│ –     │', '│ –     │', '│ –     │', '│ 0     │', '│ false │', '│ []    │']);
    expect(csvText(any, [undefined, null, 0])).toBe('x\n\n\n0');
  });

  it('a table shows people another text and heading than programs', () => {
    const size: readonly Column<number>[] = [
      { title: 'Size (B)', heading: 'Size', value: (bytes) => bytes, text: (bytes) => `${bytes / 1024} KiB` },
    ];
    expect(tableText(size, [2048]).split('\n').slice(1, 4)).toEqual(['│ Size  │', '├───────┤', '│ 2 KiB │']);
    expect(csvText(size, [2048])).toBe('Size (B)\n2048');
  });

  it('a table has lines of one length for any text of single width', () => {
    const text = fc.string({ unit: 'grapheme-ascii' });
    fc.assert(
      fc.property(fc.array(fc.record({ id: fc.nat(), name: text })), (rows) => {
        const lines = tableText(columns, rows).split('\n');
        expect(lines).toHaveLength(rows.length + 4);
        expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
      }),
    );
  });
});

describe('a table without a limit', () => {
  const command = 'x'.repeat(1_000);

  it('a cell that is much longer than the others makes its own line longer and no other', () => {
    const rows = [
      { id: 1, name: 'true' },
      { id: 2, name: command },
      { id: 3, name: 'y'.repeat(40) },
    ];
    const lines = tableText(columns, rows).split('\n');
    expect(lines[4]).toBe(`│  2 │ ${command} │`);
    expect(lines.filter((line) => line !== lines[4]).map(textWidth)).toEqual([49, 49, 49, 49, 49, 49]);
  });

  it('cells that are all long are aligned', () => {
    const rows = [900, 1_000, 950].map((length, id) => ({ id, name: 'x'.repeat(length) }));
    expect(new Set(tableText(columns, rows).split('\n').map(textWidth))).toEqual(new Set([1_000 + 9]));
  });

  it('no cell is cut, whatever stands beside it', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '日'), minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(fc.array(fc.record({ id: fc.nat(), name: text }), { minLength: 1 }), (rows) => {
        const cells = tableText(columns, rows)
          .split('\n')
          .slice(3, -1)
          .map((line) => line.split('│').map((cell) => cell.trim()));
        expect(cells).toEqual(rows.map(({ id, name }) => ['', String(id), name, '']));
      }),
    );
  });
});

describe('a table on a terminal', () => {
  const long: readonly Column<Job & { readonly command: string }>[] = [
    { title: 'Job ID', short: 'ID', value: ({ id }) => id, align: 'right', importance: 7 },
    { title: 'Job Name', short: 'Name', value: ({ name }) => name, cut: 'middle', importance: 9 },
    { title: 'Return Code', short: 'Code', value: () => 137, align: 'right', importance: 8 },
    { title: 'Command', value: ({ command }) => command, cut: 'end', importance: 5 },
  ];
  const rows = [
    { id: 7, name: 'train_with_a_long_name_1', command: 'python train.py --rate 0.1 --epochs 100' },
    { id: 123456, name: 'train_with_a_long_name_2', command: 'true' },
  ];
  const at = (width: number) => tableOf(long, rows, width);

  it('a table on a terminal is whole where there is room for it', () => {
    const whole = tableOf(long, rows);
    const width = textWidth(whole.text.split('\n')[0] as string);
    expect(at(width)).toEqual(whole);
    expect(at(width - 1)).not.toEqual(whole);
  });

  it('a table on a terminal has short titles and cut cells where it is narrow: of little importance first, names from the middle', () => {
    expect(at(80).text).toBe(
      [
        '╭────────┬──────────────────────────┬──────┬───────────────────────────────────╮',
        '│ Job ID │ Job Name                 │ Code │ Command                           │',
        '├────────┼──────────────────────────┼──────┼───────────────────────────────────┤',
        '│      7 │ train_with_a_long_name_1 │  137 │ python train.py --rate 0.1 --epo… │',
        '│ 123456 │ train_with_a_long_name_2 │  137 │ true                              │',
        '╰────────┴──────────────────────────┴──────┴───────────────────────────────────╯',
      ].join('\n'),
    );
    expect(at(50).text.split('\n').slice(3, 5)).toEqual([
      '│      7 │ train_wi…g_name_1 │  137 │ python tr… │',
      '│ 123456 │ train_wi…g_name_2 │  137 │ true       │',
    ]);
  });

  it('a table on a terminal leaves out columns in which nothing is known first, and does not speak of them', () => {
    const some: readonly Column<string>[] = [
      { title: 'Nothing', value: () => undefined, importance: 9 },
      { title: 'Command', value: (text) => text, cut: 'end', importance: 1 },
    ];
    expect(tableOf(some, ['true'], 80).text).toContain('Nothing');
    expect(tableOf(some, ['true and true'], 24)).toEqual({
      text: [
        '╭───────────────╮',
        '│ Command       │',
        '├───────────────┤',
        '│ true and true │',
        '╰───────────────╯',
      ].join('\n'),
      leftOut: [],
    });
  });

  it('a table on a terminal leaves columns out before it cuts a number, and says which', () => {
    const { text, leftOut } = at(40);
    expect(leftOut).toEqual(['Command']);
    expect(text.split('\n').slice(3, 5)).toEqual([
      '│      7 │ train_with…ng_name_1 │  137 │',
      '│ 123456 │ train_with…ng_name_2 │  137 │',
    ]);
    expect(at(20).leftOut).toEqual(['Job ID', 'Return Code', 'Command']);
  });

  it('a table on a terminal is never wider than the terminal, and all its lines are of one width, whatever stands in it', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.string({ unit: fc.constantFrom('日', '👩‍👩‍👧', 'e\u0301', '각', '\ud800', '\u001b', '\t', '\u200b', 'x') }),
    );
    const row = fc.record({ id: fc.nat(), name: text, command: text });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), fc.integer({ min: 5, max: 130 }), (any, width) => {
        const lines = tableOf(long, any, width).text.split('\n');
        expect(lines).toHaveLength(any.length + 4);
        const widths = new Set(lines.map(textWidth));
        expect(widths.size).toBe(1);
        expect(Math.max(...widths)).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('a table on a terminal keeps as much as fits: with more room no column is lost', () => {
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 120 }), (width) => {
        expect(at(width + 1).leftOut.length).toBeLessThanOrEqual(at(width).leftOut.length);
      }),
    );
  });
});

describe('a cell', () => {
  test.each([
    [undefined, ''],
    [null, ''],
    ['', ''],
    ['text', 'text'],
    [0, '0'],
    [1204, '1204'],
    [0.1 + 0.2, '0.3'],
    [false, 'false'],
    [{ a: [1] }, '{"a":[1]}'],
    [[], '[]'],
  ])('the cell of %j is %j', (value, text) => {
    expect(cellText(value)).toBe(text);
  });
});

describe('CSV', () => {
  it('CSV begins with the titles, also without rows', () => {
    expect(csvText(columns, [])).toBe('ID,Name');
    expect(csvText(columns, [{ id: 1, name: 'a' }])).toBe('ID,Name\n1,a');
  });

  it.each([
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['one\ntwo', '"one\ntwo"'],
    ['one\rtwo', '"one\rtwo"'],
    ["it's; fine | here", "it's; fine | here"],
    [' blank ', ' blank '],
  ])('CSV quotes only text that needs it: %j', (name, written) => {
    expect(csvText(nameOnly, [name])).toBe(`Name\n${written}`);
  });

  it('CSV parses back to what was written', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(',', '"', '\n', '\r', ' ', 'a') }));
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), (rows) => {
        const both: readonly Column<readonly [string, string]>[] = [
          { title: 'first', value: ([first]) => first },
          { title: 'second, "last"', value: ([, second]) => second },
        ];
        expect(parseCsv(csvText(both, rows))).toEqual([['first', 'second, "last"'], ...rows]);
      }),
    );
  });
});

/** RFC 4180, section 2, except for line ends, which are LF here. */
function parseCsv(text: string): string[][] {
  const field = /(?:"((?:[^"]|"")*)"|([^",\n\r]*))(,|\n|$)/gy;
  const rows: string[][] = [[]];
  for (;;) {
    const match = field.exec(text);
    if (match === null) throw new Error(`not CSV at ${field.lastIndex}: ${JSON.stringify(text)}`);
    const [, quoted, bare, end] = match;
    rows.at(-1)?.push(quoted === undefined ? (bare as string) : quoted.replaceAll('""', '"'));
    if (end === '') return rows;
    if (end === '\n') rows.push([]);
  }
}
