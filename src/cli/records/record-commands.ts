import type { Client } from '../../client/client.ts';
import { chooseRecord, type RecordKind, recordWithin, workflowOption } from '../choose/choose-record.ts';
import { openWorkflow } from '../choose/choose-workflow.ts';
import type { Context } from '../command/context.ts';
import { idOf } from '../choose/id-or-name.ts';
import type { Command } from '../command/command.ts';
import type { Option, ValuesOf } from '../command/option.ts';
import { fieldsText } from '../output/fields.ts';
import type { Column } from '../output/table.ts';
import { allRows, type Paging, type PagingValues } from './paging.ts';

/** The common commands of most kinds of records: list those of a workflow, show one, delete one. */

interface List<Row, Options extends readonly Option[], RecordName extends string> {
  readonly says: string;
  /** What the rows are: `files`. */
  readonly things: string;
  /** The word after the total if it differs: `user data records`. */
  readonly counted?: string;
  readonly options: Options;
  /** Options that name a record of the workflow; `page` gets their ids. */
  readonly recordOptions?: Readonly<Record<RecordName, RecordKind>>;
  readonly columns: readonly Column<Row>[];
  readonly page: (
    client: Client,
    workflowId: number,
    options: ValuesOf<Options>,
    paging: Paging,
    recordIds: Readonly<Record<RecordName, number | undefined>>,
  ) => Promise<{ items: Row[]; has_more: boolean }>;
  /** A row as JSON if it is more than the record. */
  readonly json?: (row: Row) => unknown;
}

/** A command that lists the records of a workflow, fetched a page at a time; its words stand before `[workflow]`: `files list`. */
export const listCommand = <Row, const Options extends readonly Option[], const RecordName extends string = never>(
  words: string,
  { says, things, counted = things, options, recordOptions, columns, page, json }: List<Row, Options, RecordName>,
): Command => ({
  words: `${words} [workflow]`,
  says,
  options,
  async run(context, [workflow], given) {
    const { id, client } = await openWorkflow(context, workflow);
    const recordIds: Record<string, number | undefined> = {};
    for (const [name, kind] of Object.entries<RecordKind>(recordOptions ?? {}))
      recordIds[name] = await recordWithin(context, kind, id, given[name]);
    // The values belong to the options of this table.
    const values = given as ValuesOf<Options> & PagingValues;
    const items = await allRows(values, (paging) =>
      page(client, id, values, paging, recordIds as Record<RecordName, number | undefined>),
    );
    context.output.list({
      items,
      columns,
      things: counted,
      title: `${capital(things)} for workflow ${id}:`,
      empty: `No ${things} found for workflow ID: ${id}`,
      ...(json === undefined ? {} : { json: { items: items.map(json) } }),
    });
  },
});

/** A kind of records: with names, or without, where the id is given. */
interface Single {
  /** What the record is: `file`. */
  readonly thing: string;
  readonly list?: RecordKind['list'];
  /** For records outside of workflows that have names: the id of the given one. */
  readonly choose?: (context: Context, given: unknown) => Promise<number>;
  readonly get?: (client: Client, id: number) => Promise<object>;
  readonly remove?: (client: Client, id: number) => Promise<object>;
}

/** A command about one record: what `call` replies, and `textOf` of it. */
const singleCommand = (
  words: string,
  single: Single & { readonly call: (client: Client, id: number) => Promise<object> },
  says: string,
  textOf: (id: number, record: object) => string,
): Command => ({
  words: `${words} <${isNamed(single) || single.choose ? single.thing.toLowerCase().replaceAll(' ', '-') : 'id'}>`,
  ...(isNamed(single) ? { options: [workflowOption] } : {}),
  says,
  async run(context, [given], options) {
    const { output } = context;
    const { thing, choose, call } = single;
    output.recordOnly(thing);
    // `--workflow-id` is an option of those with names alone.
    const { workflowId } = options as Partial<ValuesOf<readonly [typeof workflowOption]>>;
    const id =
      choose !== undefined
        ? await choose(context, given)
        : isNamed(single)
          ? await chooseRecord(context, single, given, workflowId)
          : idOf(thing, given);
    const { client } = await context.service();
    const record = await call(client, id);
    output.record(thing, record, textOf(id, record));
  },
});

const isNamed = (single: Single): single is RecordKind => single.list !== undefined;

/** A command that shows one record; its words stand before the id: `files get`. */
export const getCommand = (words: string, single: Single & Required<Pick<Single, 'get'>>): Command =>
  singleCommand(words, { ...single, call: single.get }, `Show one ${single.thing}.`, (id, record) =>
    fieldsText(`${capital(single.thing)} ${id}:`, record),
  );

/** A command that deletes one record and prints it. */
export const deleteCommand = (words: string, single: Single & Required<Pick<Single, 'remove'>>): Command =>
  singleCommand(
    words,
    { ...single, call: single.remove },
    `Delete one ${single.thing}.`,
    (id) => `Deleted ${single.thing} ${id}`,
  );

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
