import { chooseWorkflow } from '../../choose/choose-workflow.ts';
import { chooseGroup } from '../../choose/choose-group.ts';
import { type Command, command } from '../../command/command.ts';
import { option } from '../../command/option.ts';

const THING = 'access group';

const groupsAddUser = command('access-groups add-user <group> <user>', {
  says: 'Add a user to a group.',
  options: [
    option('-r, --role <role>', 'member, or admin to let the user add and remove members', { default: 'member' }),
  ],
  async run(context, [group, user], options) {
    const { output } = context;
    output.recordOnly('membership');
    const id = await chooseGroup(context, group);
    const { client } = await context.service();
    const body = { user_name: String(user), group_id: id, role: options.role };
    const membership = await client.addGroupMember({ params: { id }, body });
    output.record('membership', membership, `Added user ${body.user_name} to ${THING} ${id} as ${body.role}`);
  },
});

const groupsRemoveUser = command('access-groups remove-user <group> <user>', {
  says: 'Remove a user from a group.',
  async run(context, [group, user]) {
    const { output } = context;
    output.recordOnly('membership');
    const params = { id: await chooseGroup(context, group), user_name: String(user) };
    const { client } = await context.service();
    const membership = await client.removeGroupMember({ params });
    output.record('membership', membership, `Removed user ${params.user_name} from ${THING} ${params.id}`);
  },
});

const groupsAddWorkflow = command('access-groups add-workflow <workflow> <group>', {
  says: 'Share a workflow with a group.',
  async run(context, [workflow, group]) {
    const { output } = context;
    output.recordOnly('share');
    const params = { id: await chooseWorkflow(context, workflow), group_id: await chooseGroup(context, group) };
    const { client } = await context.service();
    const share = await client.addWorkflowToGroup({ params });
    output.record('share', share, `Shared workflow ${params.id} with ${THING} ${params.group_id}`);
  },
});

const groupsRemoveWorkflow = command('access-groups remove-workflow <workflow> <group>', {
  says: 'Stop sharing a workflow with a group.',
  async run(context, [workflow, group]) {
    const { output } = context;
    output.recordOnly('share');
    const params = { id: await chooseWorkflow(context, workflow), group_id: await chooseGroup(context, group) };
    const { client } = await context.service();
    const share = await client.removeWorkflowFromGroup({ params });
    output.record('share', share, `Workflow ${params.id} is no longer shared with ${THING} ${params.group_id}`);
  },
});

/** The commands for members of a group, and for workflows shared with it. */
export const accessGroupChanges: readonly Command[] = [
  groupsAddUser,
  groupsRemoveUser,
  groupsAddWorkflow,
  groupsRemoveWorkflow,
];
