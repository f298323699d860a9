import type { AccessGroup, Membership } from '../../../core/contract/access.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { chooseGroup } from '../../choose/choose-group.ts';
import { type Command, command } from '../../command/command.ts';
import type { Output } from '../../output/output.ts';
import { date } from '../../output/columns.ts';
import type { Column } from '../../output/table.ts';
import { allRows, cutRangeOptions } from '../../records/paging.ts';
import { deleteCommand, getCommand } from '../../records/record-commands.ts';
import { option } from '../../command/option.ts';

const THING = 'access group';
const listOptions = cutRangeOptions(100);

const groupColumns: readonly Column<AccessGroup>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'Name', value: ({ name }) => name, cut: 'middle', importance: 9 },
  { title: 'Description', value: ({ description }) => description, cut: 'end', importance: 4 },
  date('Created', (group) => group.created_at, { importance: 3 }),
];

const memberColumns: readonly Column<Membership>[] = [
  { title: 'User', value: ({ user_name: user }) => user, cut: 'middle', importance: 9 },
  { title: 'Role', value: ({ role }) => role },
  date('Added', (membership) => membership.created_at, { importance: 3 }),
];

/** Groups: all of them, or those described by `where`. */
const printGroups = (output: Output, items: readonly AccessGroup[], where = '') =>
  output.list({
    items,
    columns: groupColumns,
    things: 'access groups',
    title: `Access groups${where}:`,
    empty: `No access groups found${where === '' ? '.' : where}`,
  });

const groupsCreate = command('access-groups create <name>', {
  says: 'Create a group of users with whom workflows may be shared.',
  example: 'climate',
  makesDatabase: true,
  options: [option('-d, --description <text>', 'purpose of the group')],
  async run({ service, output }, [name], options) {
    output.recordOnly(THING);
    const { client } = await service();
    const body = { name: String(name), description: options.description };
    const group = await client.createAccessGroup({ body });
    output.record(THING, group, `Created ${THING} ${group.id} (${group.name})`);
  },
});

const groupsList = command('access-groups list', {
  says: 'List all groups by name.',
  options: listOptions,
  async run({ service, output }, _args, options) {
    const { client } = await service();
    printGroups(output, await allRows(options, (query) => client.listAccessGroups({ query })));
  },
});

const groupsListMembers = command('access-groups list-members <group>', {
  says: 'List the members of a group by name.',
  options: listOptions,
  async run(context, [group], options) {
    const { output } = context;
    const id = await chooseGroup(context, group);
    const { client } = await context.service();
    output.list({
      items: await allRows(options, (query) => client.listGroupMembers({ params: { id }, query })),
      columns: memberColumns,
      things: 'members',
      title: `Members of ${THING} ${id}:`,
      empty: `No members found for ${THING} ID: ${id}`,
    });
  },
});

const groupsListOfUser = command('access-groups list-user-groups <user>', {
  says: 'List the groups of a user by name.',
  options: listOptions,
  async run({ service, output }, [user], options) {
    const name = String(user);
    const { client } = await service();
    const fetch = (query: object) => client.listUserGroups({ params: { user_name: name }, query });
    printGroups(output, await allRows(options, fetch), ` for user: ${name}`);
  },
});

const groupsListOfWorkflow = command('access-groups list-workflow-groups <workflow>', {
  says: 'List the groups with which a workflow is shared.',
  options: listOptions,
  async run(context, [workflow], options) {
    const { output } = context;
    const { id, client } = await openWorkflow(context, workflow);
    const fetch = (query: object) => client.listWorkflowGroups({ params: { id }, query });
    printGroups(output, await allRows(options, fetch), ` for workflow ID: ${id}`);
  },
});

export const accessGroupCommands: readonly Command[] = [
  groupsCreate,
  getCommand('access-groups get', {
    thing: THING,
    choose: chooseGroup,
    get: (client, id) => client.getAccessGroup({ params: { id } }),
  }),
  groupsList,
  deleteCommand('access-groups delete', {
    thing: THING,
    choose: chooseGroup,
    remove: (client, id) => client.deleteAccessGroup({ params: { id } }),
  }),
  groupsListMembers,
  groupsListOfUser,
  groupsListOfWorkflow,
];
