import type { Client } from '../../client/client.ts';
import { isUnknownRoute } from '../../client/compat/unknown-route.ts';
import { ServiceError } from '../../client/errors.ts';
import { all } from '../../client/every.ts';
import { someOf } from '../../core/quantity/count-text.ts';
import { chooseGroup, groupNamed } from '../choose/choose-group.ts';
import { chooseWorkflow } from '../choose/choose-workflow.ts';
import { command } from '../command/command.ts';
import type { Context } from '../command/context.ts';
import { Failure, UsageError } from '../command/failure.ts';
import type { Column } from '../output/table.ts';
import { option } from '../command/option.ts';

/** With whom a workflow is shared: a group by its id, a user by name. */
type Recipient =
  | { readonly kind: 'group'; readonly id: number; readonly name: string }
  | { readonly kind: 'user'; readonly name: string };

const columns: readonly Column<Recipient>[] = [
  { title: 'Kind', value: ({ kind }) => kind },
  { title: 'Name', value: ({ name }) => name, cut: 'middle', importance: 9 },
];

export const share = command('share <workflow> [user-or-group]', {
  says: 'Share a workflow with a user or an access group; without one, list with whom it is shared.',
  more: 'They may do everything with the workflow that its owner may, except share it and give it to another user. Of a user and a group with the same name the group is meant; "user:NAME" and "group:NAME" say which.',
  options: [option('--remove', 'stop sharing it with this user or group')],
  async run(context, [workflow, given], { remove }) {
    const id = await chooseWorkflow(context, workflow);
    if (given === undefined) {
      if (remove === true) throw new UsageError('share --remove: expected a user or a group, found none');
      return listRecipients(context, id);
    }
    context.output.recordOnly('share');
    const { client } = await context.service();
    if (remove === true) return stopSharing(context, client, id, given);
    const recipient = await recipientOf(context, given);
    await shareWith(context, client, id, recipient);
    const { isEnforced } = await recipientsOf(client, id);
    context.output.record(
      'share',
      { workflow_id: id, ...recordOf(recipient), shared: true },
      `Shared workflow ${id} with ${recipient.kind} ${recipient.name}`,
    );
    if (isEnforced === false) warnOfOpenServer(context, id);
  },
});

const recordOf = (recipient: Recipient) =>
  recipient.kind === 'user' ? { user_name: recipient.name } : { group_id: recipient.id, group_name: recipient.name };

async function listRecipients(context: Context, id: number): Promise<void> {
  const { client } = await context.service();
  const { recipients, isEnforced } = await recipientsOf(client, id);
  context.output.list({
    items: recipients,
    columns,
    things: 'users and groups',
    title: `Workflow ${id} is shared with:`,
    empty: `Workflow ${id} is not shared`,
    json: { workflow_id: id, items: recipients.map(recordOf) },
  });
  if (isEnforced === false) warnOfOpenServer(context, id);
}

const warnOfOpenServer = ({ output }: Context, id: number) =>
  output.warn(`this server does not enforce access: everyone who reaches it may see and change workflow ${id}`);

/** Torc's own server shares with groups only, and does not report whether it enforces access. */
async function recipientsOf(
  client: Client,
  id: number,
): Promise<{ recipients: Recipient[]; isEnforced: boolean | undefined }> {
  const params = { id };
  const groups = await all((query) => client.listWorkflowGroups({ params, query }));
  let isEnforced: boolean | undefined;
  const users = await all(async (query) => {
    const page = await client.listWorkflowUsers({ params, query });
    isEnforced = page.is_enforced;
    return page;
  }).catch((error: unknown) => {
    if (isUnknownRoute(error)) return [];
    throw error;
  });
  return {
    recipients: [
      ...groups.map(({ id: groupId, name }) => ({ kind: 'group' as const, id: groupId, name })),
      ...users.map(({ user_name: name }) => ({ kind: 'user' as const, name })),
    ],
    isEnforced,
  };
}

/** `user:NAME`, `group:NAME`, or a name of either. */
function named(given: string): { readonly kind: string | undefined; readonly text: string } {
  const [, kind, text = given] = /^(user|group):(.*)$/s.exec(given) ?? [];
  return { kind, text };
}

async function recipientOf(context: Context, given: string): Promise<Recipient> {
  const { kind, text } = named(given);
  if (text.trim() === '') throw new UsageError(`share: expected a user or a group, found "${given}"`);
  if (kind === 'user') return { kind, name: text };
  if (kind === 'group' || /^\d+$/.test(text))
    return { kind: 'group', id: await chooseGroup(context, text), name: text };
  const { found } = await groupNamed(context, text);
  return found === undefined ? { kind: 'user', name: text } : { kind: 'group', id: found, name: text };
}

async function shareWith(context: Context, client: Client, id: number, recipient: Recipient): Promise<void> {
  try {
    if (recipient.kind === 'group') await client.addWorkflowToGroup({ params: { id, group_id: recipient.id } });
    else await client.shareWorkflow({ params: { id, user_name: recipient.name } });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'DUPLICATE')
      throw new Failure(`workflow ${id} is already shared with ${recipient.kind} ${recipient.name}`, { cause: error });
    if (recipient.kind === 'group') throw error;
    if (isUnknownRoute(error))
      throw new Failure(
        `no access group is named "${recipient.name}", and this server shares workflows with groups only: ${context.hint('torc access-groups list')}`,
        { cause: error },
      );
    if (error instanceof ServiceError && error.code === 'USER_UNKNOWN')
      throw new Failure(`${error.message}, and no access group of yours has this name`, { cause: error });
    throw error;
  }
}

/** By name among those with whom it is shared: who shares it need not be in the group any more. */
async function stopSharing(context: Context, client: Client, id: number, given: string): Promise<void> {
  const { recipients } = await recipientsOf(client, id);
  const { kind, text } = named(given);
  const found = recipients.find(
    (each) =>
      (kind === undefined || kind === each.kind) &&
      (each.name === text || (each.kind === 'group' && String(each.id) === text)),
  );
  if (found === undefined) {
    const others = recipients.map((each) => `${each.kind} ${each.name}`);
    const fact = others.length === 0 ? 'it is shared with no one' : `it is shared with ${someOf(others)}`;
    throw new Failure(`workflow ${id} is not shared with ${given}; ${fact}`);
  }
  if (found.kind === 'group') await client.removeWorkflowFromGroup({ params: { id, group_id: found.id } });
  else await client.unshareWorkflow({ params: { id, user_name: found.name } });
  context.output.record(
    'share',
    { workflow_id: id, ...recordOf(found), shared: false },
    `Workflow ${id} is no longer shared with ${found.kind} ${found.name}`,
  );
}
