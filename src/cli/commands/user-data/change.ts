import { agrees, noPrompts } from '../../choose/agree.ts';
import { chooseRecord, recordKinds, recordWithin, workflowOption } from '../../choose/choose-record.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { type Command, command } from '../../command/command.ts';
import { Failure } from '../../command/failure.ts';
import { jsonValue } from '../../command/json-value.ts';
import { deleteCommand } from '../../records/record-commands.ts';
import { consumer, producer, userDataText } from './user-data.ts';
import { option } from '../../command/option.ts';

const userDataCreate = command('user-data create [workflow]', {
  says: 'Create a user data record, with a value or for a job that will publish one.',
  example: '1 --name threshold --data \'{"threshold": 7}\'',
  options: [
    option('-n, --name <name>', 'name of the user data in the workflow', { required: true }),
    option('-d, --data <json>', 'value, as JSON', { read: jsonValue }),
    option('--ephemeral', 'the value is meaningful for one run only'),
    consumer('a job that reads it, by id or name'),
    producer('the job that writes it, by id or name'),
  ],
  async run(context, [workflow], options) {
    context.output.recordOnly('user data');
    const { id, client } = await openWorkflow(context, workflow);
    const record = await client.createUserData({
      query: {
        consumer_job_id: await recordWithin(context, recordKinds.job, id, options.consumerJobId),
        producer_job_id: await recordWithin(context, recordKinds.job, id, options.producerJobId),
      },
      body: {
        workflow_id: id,
        name: options.name,
        data: options.data,
        is_ephemeral: options.ephemeral === true,
      },
    });
    context.output.record('user data', record, `Created user data ${record.id}`);
  },
});

const userDataUpdate = command('user-data update <user-data>', {
  says: 'Change user data; jobs publish values with this.',
  example: 'threshold -w 1 --data \'{"threshold": 8}\'',
  options: [
    option('-n, --name <name>', 'a new name'),
    option('-d, --data <json>', 'a new value, as JSON; null for none', { read: jsonValue }),
    option('--ephemeral <flag>', 'whether it is ephemeral', { choices: ['true', 'false'] }),
    workflowOption,
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('user data');
    const ephemeral = options.ephemeral;
    const changes = {
      name: options.name,
      data: options.data,
      is_ephemeral: ephemeral === undefined ? undefined : ephemeral === 'true',
    };
    if (Object.values(changes).every((value) => value === undefined)) {
      throw new Failure('nothing to change: give --data, --name or --ephemeral');
    }
    const id = await chooseRecord(context, recordKinds.userData, given, options.workflowId);
    const { client } = await context.service();
    // Torc's own server requires the workflow and the name in every update.
    const before = await client.getUserData({ params: { id } });
    const body = {
      workflow_id: before.workflow_id,
      name: changes.name ?? before.name,
      data: changes.data,
      is_ephemeral: changes.is_ephemeral ?? before.is_ephemeral,
    };
    // In a body null means "as before".
    const query = body.data === null ? { clear_data: true } : {};
    const record = await client.updateUserData({ params: { id }, query, body });
    if (body.data === null && record.data !== undefined && record.data !== null)
      throw new Failure(
        `user data ${id} still has its value: this server has no parameter clear_data, and null in an update means "as before". Delete the record and create it again`,
      );
    output.record('user data', record, userDataText(record));
  },
});

const userDataDelete = deleteCommand('user-data delete', recordKinds.userData);

const userDataDeleteAll = command('user-data delete-all <workflow>', {
  says: 'Delete all user data of a workflow.',
  options: [noPrompts],
  async run(context, [workflow], options) {
    const { output } = context;
    output.recordOnly('user data');
    const { id, client } = await openWorkflow(context, workflow);
    const { name } = await client.getWorkflow({ params: { id } });
    const question = `Delete all user data of workflow ${id} (${name})?`;
    if (!(await agrees(context, options, { question, otherwise: 'No user data was deleted.' }))) return;
    const answer = await client.deleteUserDataList({ query: { workflow_id: id } });
    output.record('user data', answer, answer.message);
  },
});

export const userDataChanges: readonly Command[] = [userDataCreate, userDataUpdate, userDataDelete, userDataDeleteAll];
