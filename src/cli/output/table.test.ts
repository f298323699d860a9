import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { cellText, type Column, csvText, tableText } from './table.ts';

interface Job {
  readonly id: number;
  readonly name: string;
}

const columns: readonly Column<Job>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'Name', value: ({ name }) => name },
];

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
    expect(tableText(nameOnly, ['one\n  two\r\nthree']).split('\n')).toContain('│ one two three │');
  });

  it.each(['日本', '🚀a', 'größ'])(
    'columns stay aligned beside %s, which is wider or longer than its number of characters',
    (name) => {
      const [rule, , , row] = tableText(nameOnly, [name, 'xxxx']).split('\n');
      const shown = Array.from(row as string, (letter) => (/[日本🚀]/u.test(letter) ? 2 : 1));
      expect(shown.reduce((sum: number, each) => sum + each, 0)).toBe((rule as string).length);
    },
  );

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
