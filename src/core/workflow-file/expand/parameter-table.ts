import { Refusal } from '../../contract/refusals.ts';
import { Unreadable } from '../../json/place.ts';
import { strictJson } from '../text/json.ts';
import { compactJson, ExactNumber, isList, isMap, valueKindOf, type Value, type ValueMap } from '../text/value.ts';
import { csvRows, type CsvField } from './csv.ts';
import { readValue, wholeOf, type ParameterValue, type Rewritten } from './parameter-value.ts';

/** A parameter table: its columns in order, and the cells of each; a missing cell is absent. */
export interface ParameterTable {
  readonly columns: ReadonlyMap<string, readonly (ParameterValue | undefined)[]>;
  readonly rows: number;
  /** Of a column the first cell that is a number printed otherwise than it was written. */
  readonly rewritten: ReadonlyMap<string, Rewritten>;
}

/**
 * The table in a `parameters_file`: .csv with a header, .json with an array of objects, .jsonl or .ndjson.
 *
 * Throws: `TABLE_MALFORMED`, also for errors of `readFile`.
 */
export function parameterTable(path: string, readFile: (path: string) => string): ParameterTable {
  if (path.trim() === '') throw malformed('Empty parameters_file path');
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const read = READERS[extension];
  if (read === undefined) {
    const expected = "expected '.csv', '.json', '.jsonl', or '.ndjson'";
    throw malformed(`Unsupported parameters_file extension for '${path}': ${expected}`);
  }
  let text: string;
  try {
    text = readFile(path);
  } catch (cause) {
    throw malformed(`Failed to read parameters_file '${path}': ${messageOf(cause)}`, cause);
  }
  const table = read(text, path);
  if (table.rows === 0) throw malformed(`parameters_file '${path}' contains no rows`);
  return table;
}

type Reader = (text: string, path: string) => ParameterTable;

const csvTable: Reader = (text, path) => {
  const [first, ...rows] = csvRows(text);
  const header = first?.map((field) => field.text);
  if (header === undefined) throw malformed(`parameters_file '${path}' has no columns`);
  if (header.includes('')) throw malformed(`parameters_file '${path}' has an empty column name`);
  const twice = header.find((name, at) => header.indexOf(name) !== at);
  if (twice !== undefined) throw malformed(`parameters_file '${path}' has a duplicate column name '${twice}'`);
  for (const [index, row] of rows.entries()) {
    if (row.length === header.length) continue;
    throw malformed(
      `Row ${index + 1} of '${path}' has ${row.length} fields but the header has ${header.length} columns`,
    );
  }
  const rewritten = new Map<string, Rewritten>();
  const columns = header.map((name, at) => {
    const keep = keepFirst(rewritten, name);
    // What is in quotes is a text: `"007"` keeps its zeros.
    const cell = ({ text: found, isQuoted }: CsvField) => (isQuoted ? found : readValue(found, keep));
    return [name, rows.map((row) => cell(row[at] ?? NO_FIELD))] as const;
  });
  return { columns: new Map(columns), rows: rows.length, rewritten };
};

const NO_FIELD: CsvField = { text: '', isQuoted: false };

const keepFirst =
  (rewritten: Map<string, Rewritten>, name: string) =>
  (found: Rewritten): void => {
    if (!rewritten.has(name)) rewritten.set(name, found);
  };

const jsonTable: Reader = (text, path) => {
  const value = parsed(text, `Failed to parse parameters_file '${path}'`);
  if (!isList(value)) throw malformed(`parameters_file '${path}' must be a JSON array of objects`);
  const rows = value.map((row, index) => {
    if (!isMap(row)) throw malformed(`Element ${index + 1} of parameters_file '${path}' is not a JSON object`);
    return row;
  });
  return fromRows(rows);
};

const jsonLinesTable: Reader = (text, path) => {
  const rows = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const row = parsed(line, `Failed to parse line ${index + 1} of parameters_file '${path}'`);
    if (!isMap(row)) throw malformed(`Line ${index + 1} of parameters_file '${path}' is not a JSON object`);
    return [row];
  });
  return fromRows(rows);
};

const READERS: Readonly<Record<string, Reader>> = {
  csv: csvTable,
  json: jsonTable,
  jsonl: jsonLinesTable,
  ndjson: jsonLinesTable,
};

function fromRows(rows: readonly ValueMap[]): ParameterTable {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const rewritten = new Map<string, Rewritten>();
  const cells = (name: string): (ParameterValue | undefined)[] =>
    rows.map((row) => (Object.hasOwn(row, name) ? cellOf(row[name] ?? null, keepFirst(rewritten, name)) : undefined));
  return { columns: new Map([...names].map((name) => [name, cells(name)])), rows: rows.length, rewritten };
}

/** A JSON number keeps its kind, a text stays text, any other value becomes its JSON text. */
function cellOf(value: Value, onRewritten: (found: Rewritten) => void): ParameterValue {
  if (typeof value === 'string') return value;
  if (value instanceof ExactNumber) {
    readValue(value.written, onRewritten);
    return value.isFloat ? { float: value.value } : (wholeOf(value.text) ?? { float: value.value });
  }
  if (typeof value === 'number') return valueKindOf(value) === 'float' ? { float: value } : value;
  return compactJson(value);
}

function parsed(text: string, what: string): Value {
  try {
    return strictJson(text);
  } catch (cause) {
    if (!(cause instanceof Unreadable)) throw cause;
    throw malformed(`${what}: ${cause.message}`, cause);
  }
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

const malformed = (message: string, cause?: unknown): Refusal =>
  new Refusal('TABLE_MALFORMED', message, {}, cause === undefined ? {} : { cause });
