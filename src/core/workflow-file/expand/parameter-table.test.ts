import { describe, expect, it, test } from 'vitest';
import { printerOf } from './parameter-value.ts';
import { parameterTable } from './parameter-table.ts';

const tableOf = (path: string, text: string) => parameterTable(path, () => text);
const rowsOf = (path: string, text: string): Record<string, string | undefined>[] => {
  const { columns, rows } = tableOf(path, text);
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(
      [...columns].map(([name, cells]) => {
        const cell = cells[row];
        return [name, cell === undefined ? undefined : printerOf('.2f')(cell)];
      }),
    ),
  );
};

describe('a CSV table', () => {
  it('a CSV table has one row for each instance, each cell a whole number, a number or a text', () => {
    expect(rowsOf('t.csv', 'model,lr,bs\nr,0.001,32\n')).toEqual([{ model: 'r', lr: '0.00', bs: '32' }]);
    expect(rowsOf('t.CSV', 'a,b,c\r\n007,,#x\r\n')).toEqual([{ a: '7', b: '', c: '#x' }]);
  });

  it('a cell in quotes is a text, and of the others the first that is written otherwise is named', () => {
    expect(rowsOf('t.csv', 'id,x\n"0034",1\n')).toEqual([{ id: '0034', x: '1' }]);
    const { rewritten } = tableOf('t.csv', 'id,x,y\n7,"01",1.0\n007,2,3\n08,3,2\n');
    expect([...rewritten]).toEqual([
      ['id', { text: '007', value: 7 }],
      ['y', { text: '1.0', value: { float: 1 } }],
    ]);
  });

  test.each([
    ['m,m\n1,2', 'duplicate column name'],
    ['m,,x\n1,2,3', 'empty column name'],
    ['a,b,c\n1,2', "Row 1 of 't.csv' has 2 fields but the header has 3 columns"],
    ['a,b\n1,2\n1,2,3', "Row 2 of 't.csv' has 3 fields but the header has 2 columns"],
    ['a,b\n', "parameters_file 't.csv' contains no rows"],
    ['', "parameters_file 't.csv' has no columns"],
  ])('the CSV table %j is refused', (text, words) => expect(() => tableOf('t.csv', text)).toThrow(words));
});

describe('a JSON table', () => {
  it('a JSON table keeps numbers and texts, and uses the JSON text of any other value', () => {
    const text = '[{"a": true, "b": null, "c": ["a","b"], "d": [], "e": {"k": 1}, "f": "01", "g": 1.0, "h": 1}]';
    expect(rowsOf('t.json', text)).toEqual([
      { a: 'true', b: 'null', c: '["a","b"]', d: '[]', e: '{"k":1}', f: '01', g: '1.00', h: '1' },
    ]);
  });

  it('a JSON table leaves out cells that a row does not have', () => {
    expect(rowsOf('t.json', '[{"a":1},{"b":2}]')).toEqual([
      { a: '1', b: undefined },
      { a: undefined, b: '2' },
    ]);
  });

  test.each([
    ['{"a":1}', 'must be a JSON array of objects'],
    ['[{"a":1}, 42]', "Element 2 of parameters_file 't.json' is not a JSON object"],
    ['[]', 'contains no rows'],
    ['[{]', "Failed to parse parameters_file 't.json'"],
  ])('the JSON table %j is refused', (text, words) => expect(() => tableOf('t.json', text)).toThrow(words));
});

describe('a table of JSON lines', () => {
  it('a table of JSON lines skips blank lines', () => {
    expect(rowsOf('t.jsonl', '{"a":1}\n\n{"a":2}\n')).toHaveLength(2);
    expect(rowsOf('t.ndjson', '{"a":1}')).toHaveLength(1);
  });

  test.each([
    ['{"a":1}\n\n{"a":', 'line 3'],
    ['{"a":1}\n[2]', "Line 2 of parameters_file 't.jsonl' is not a JSON object"],
    ['', 'contains no rows'],
  ])('the JSON lines %j are refused, and blank lines are counted', (text, words) =>
    expect(() => tableOf('t.jsonl', text)).toThrow(words),
  );
});

test.each([
  ['t.txt', "Unsupported parameters_file extension for 't.txt': expected '.csv', '.json', '.jsonl', or '.ndjson'"],
  ['table', "Unsupported parameters_file extension for 'table'"],
  ['  ', 'Empty parameters_file path'],
])('a table called "%s" is refused', (path, words) => {
  expect(() => tableOf(path, 'a\n1')).toThrow(words);
  expect(() => tableOf(path, 'a\n1')).toThrow(expect.objectContaining({ code: 'TABLE_MALFORMED' }));
});

it('the reason why a table cannot be read is reported', () => {
  const missing = (): string => {
    throw new Error('No such file or directory');
  };
  expect(() => parameterTable('t.csv', missing)).toThrow("Failed to read parameters_file 't.csv': No such file");
});
