import { Refusal } from '../../contract/refusals.ts';
import type { Complain, ValuePath } from '../problems/problems.ts';
import { templateNames } from '../text/template-names.ts';
import { isList, isMap, type Value, type ValueMap } from '../text/value.ts';
import { parameterTable, type ParameterTable } from './parameter-table.ts';

/** The parameter tables of a workflow, each read once however many records name it, and each failure reported once. */
export class Tables {
  private readonly known = new Map<string, ParameterTable | undefined>();
  private readonly readFile: (path: string) => string;
  private readonly complain: Complain;

  constructor(readFile: (path: string) => string, complain: Complain) {
    this.readFile = readFile;
    this.complain = complain;
  }

  /** The table of a path, `what` being the beginning of a message; undefined if it cannot be read. */
  get(path: string, at: ValuePath, what: string): ParameterTable | undefined {
    if (this.known.has(path)) return this.known.get(path);
    let table: ParameterTable | undefined;
    try {
      table = parameterTable(path, this.readFile);
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      this.complain({ code: 'TABLE_MALFORMED', message: `${what}${cause.message}`, path: at, found: path });
    }
    this.known.set(path, table);
    return table;
  }

  /**
   * Every name that a token of the file may have: parameters and columns at all levels.
   *
   * Undefined if a table could not be read, because then no token is known to be wrong.
   */
  names(root: ValueMap): ReadonlySet<string> | undefined {
    const names = new Set<string>();
    let isWhole = true;
    const take = (record: Value | undefined, at: ValuePath): void => {
      if (!isMap(record)) return;
      const { parameters, parameters_file: file, glob, name } = record;
      if (typeof glob === 'string' && typeof name === 'string')
        for (const token of templateNames(name)) names.add(token.name);
      if (isMap(parameters)) for (const name of Object.keys(parameters)) names.add(name);
      if (typeof file !== 'string') return;
      const table = this.get(file, [...at, 'parameters_file'], '');
      if (table === undefined) isWhole = false;
      for (const column of table?.columns.keys() ?? []) names.add(column);
    };
    take(root, []);
    for (const field of ['jobs', 'files', 'user_data']) {
      const records = root[field];
      if (isList(records)) for (const [index, record] of records.entries()) take(record, [field, index]);
    }
    return isWhole ? names : undefined;
  }
}
