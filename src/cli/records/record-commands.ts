import type { Client } from '../../client/client.ts';
import { chooseRecord, type RecordKind, recordWithin, workflowOption } from '../choose/choose-record.ts';
import { openWorkflow } from '../choose/choose-workflow.ts';
import type { Context } from '../command/context.ts';
import { idOf } from '../choose/id-or-name.ts';
import type { Command } from '../command/command.ts';
import type { Option, Values, ValuesOf } from '../command/option.ts';
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

interface Single<Row> {
  /** What the record is: `file`. */
  readonly thing: string;
  /** For records with names: the name is accepted too. */
  readonly kind?: RecordKind | undefined;
  /** For records outside of workflows that have names: the id of the given one. */
  readonly choose?: ((context: Context, given: unknown) => Promise<number>) | undefined;
  readonly call: (client: Client, id: number) => Promise<Row>;
}

/** A command about one record: what `call` replies, and `textOf` of it. */
const singleCommand = <Row extends object>(
  words: string,
  { thing, kind, choose, call }: Single<Row>,
  says: string,
  textOf: (id: number, record: Row) => string,
): Command => ({
  ...named(words, choose === undefined ? kind : thing),
  says,
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly(thing);
    const id = await idOfGiven(context, { thing, kind, choose }, given, options);
    const { client } = await context.service();
    const record = await call(client, id);
    output.record(thing, record, textOf(id, record));
  },
});

/** A command that shows one record; its words stand before the id: `files get`. */
export const getCommand = <Row extends object>(words: string, single: Single<Row>): Command =>
  singleCommand(words, single, `Show one ${single.thing}.`, (id, record) =>
    fieldsText(`${capital(single.thing)} ${id}:`, record),
  );

/** A command that deletes one record and prints it. */
export const deleteCommand = <Row extends object>(words: string, single: Single<Row>): Command =>
  singleCommand(words, single, `Delete one ${single.thing}.`, (id) => `Deleted ${single.thing} ${id}`);

/** The value of `--workflow-id`, of a command that has it. */
const workflowGiven = (options: Values) => (options as Partial<ValuesOf<readonly [typeof workflowOption]>>).workflowId;

async function idOfGiven<Row>(
  context: Context,
  { thing, kind, choose }: Pick<Single<Row>, 'thing' | 'kind' | 'choose'>,
  given: unknown,
  options: Values,
): Promise<number> {
  if (choose !== undefined) return choose(context, given);
  return kind === undefined ? idOf(thing, given) : chooseRecord(context, kind, given, workflowGiven(options));
}

const named = (words: string, kind: RecordKind | string | undefined): Pick<Command, 'words' | 'options'> =>
  kind === undefined
    ? { words: `${words} <id>` }
    : typeof kind === 'string'
      ? { words: `${words} <${argument(kind)}>` }
      : { words: `${words} <${argument(kind.thing)}>`, options: [workflowOption] };

const argument = (thing: string) => thing.toLowerCase().replaceAll(' ', '-');

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
