import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { RoCrateEntity } from '../../../core/contract/artifact.ts';
import { chooseRecord, recordKinds, recordWithin, workflowOption } from '../../choose/choose-record.ts';
import { chooseWorkflow } from '../../choose/choose-workflow.ts';
import { type Command, command } from '../../command/command.ts';
import { Failure } from '../../command/failure.ts';
import { jsonObject } from '../../command/json-object.ts';
import { option } from '../../command/option.ts';
import { fieldsText } from '../../output/fields.ts';
import type { Column } from '../../output/table.ts';
import { pagingOptions } from '../../records/paging.ts';
import { deleteCommand, getCommand, listCommand } from '../../records/record-commands.ts';
import { roCrateFileCommands } from './files.ts';

const THING = 'RO-Crate entity';

const columns: readonly Column<RoCrateEntity>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'Entity ID', value: ({ entity_id: entity }) => entity, cut: 'middle', importance: 9 },
  { title: 'Type', value: ({ entity_type: type }) => type, cut: 'end', importance: 7 },
  { title: 'File ID', value: ({ file_id: file }) => file, align: 'right' },
];

const entityId = option('--entity-id <id>', 'its @id, unique in the workflow');
const entityType = option('--entity-type <type>', 'its @type, such as File or SoftwareApplication');
const metadata = option('--metadata <json>', 'its properties, as a JSON object, or "-" for standard input');
const fileId = (says: string) => option('--file-id <file>', says, { kind: 'file record' });

/** The metadata that was given, here or on standard input. */
async function metadataOf(given: string): Promise<RoCrateEntity['metadata']> {
  const { text } = await import('node:stream/consumers');
  const json = given === '-' ? await text(process.stdin) : given;
  return jsonObject(json, '--metadata') as RoCrateEntity['metadata'];
}

const roCrateCreate = command('ro-crate create [workflow]', {
  says: 'Create an entity of the research object.',
  example: "1 --entity-id table.csv --entity-type File --metadata '{}'",
  options: [
    { ...entityId, required: true },
    { ...entityType, required: true },
    { ...metadata, required: true },
    fileId('the file that it describes, by id or name'),
  ],
  async run(context, [workflow], options) {
    context.output.recordOnly(THING);
    const id = await chooseWorkflow(context, workflow);
    const body = {
      workflow_id: id,
      entity_id: options.entityId,
      entity_type: options.entityType,
      metadata: await metadataOf(options.metadata),
      file_id: await recordWithin(context, recordKinds.file, id, options.fileId),
    };
    const { client } = await context.service();
    const entity = await client.createRoCrateEntity({ body });
    context.output.record(THING, entity, `Created ${THING} ${entity.id}`);
  },
});

const roCrateUpdate = command('ro-crate update <ro-crate-entity>', {
  says: 'Change an entity of the research object; fields that are not given keep their value.',
  example: 'table.csv --metadata \'{"license": "CC-BY-4.0"}\'',
  options: [
    entityId,
    entityType,
    metadata,
    fileId('the file that it describes, by id or name; 0 for none'),
    workflowOption,
  ],
  async run(context, [which], options) {
    const { service, output } = context;
    output.recordOnly(THING);
    const id = await chooseRecord(context, recordKinds.roCrateEntity, which, options.workflowId);
    const fileGiven = options.fileId;
    const metadataGiven = options.metadata;
    const changes = {
      entity_id: options.entityId,
      entity_type: options.entityType,
      metadata: metadataGiven === undefined ? undefined : await metadataOf(metadataGiven),
      file_id: fileGiven,
    };
    if (Object.values(changes).every((value) => value === undefined))
      throw new Failure('nothing to change: give --entity-id, --entity-type, --metadata or --file-id');
    const { client } = await service();
    // Torc's own server requires the whole entity in every update.
    const { id: _, ...before } = await client.getRoCrateEntity({ params: { id } });
    const file = fileGiven === '0' ? 0 : await recordWithin(context, recordKinds.file, before.workflow_id, fileGiven);
    const given = Object.fromEntries(
      Object.entries({ ...changes, file_id: file }).filter(([, value]) => value !== undefined),
    );
    const entity = await client.updateRoCrateEntity({ params: { id }, body: { ...before, ...given } });
    output.record(THING, entity, fieldsText(`Updated ${THING} ${id}:`, entity));
  },
});

export const roCrateCommands: readonly Command[] = [
  roCrateCreate,
  listCommand('ro-crate list', {
    says: 'List the entities of the research object of a workflow.',
    things: 'RO-Crate entities',
    options: pagingOptions(sortFields.ro_crate_entity),
    columns,
    page: (client, id, _options, paging) => client.listRoCrateEntities({ params: { id }, query: paging }),
  }),
  getCommand('ro-crate get', recordKinds.roCrateEntity),
  roCrateUpdate,
  deleteCommand('ro-crate delete', recordKinds.roCrateEntity),
  ...roCrateFileCommands,
];
