import type { Workflow } from '../../../core/contract/workflow.ts';
import { command } from '../../command.ts';
import { dateText } from '../../output/local-time.ts';
import type { Column } from '../../output/table.ts';
import { allRows, pagingOptions } from '../../paging.ts';

const columns = (withUser: boolean): readonly Column<Workflow>[] => [
  { title: 'ID', value: ({ id }) => id, align: 'right', importance: 8 },
  ...(withUser ? [{ title: 'User', value: ({ user }: Workflow) => user, cut: 'middle', importance: 7 } as const] : []),
  { title: 'Name', value: ({ name }) => name, cut: 'middle', importance: 9 },
  { title: 'Run', value: ({ run_id: run }) => run, align: 'right' },
  { title: 'Canceled', value: ({ is_canceled: is }) => is, importance: 4 },
  { title: 'Archived', value: ({ is_archived: is }) => is, importance: 3 },
  { title: 'Description', value: ({ description }) => description, cut: 'end', importance: 3 },
  { title: 'Project', value: ({ project }) => project, cut: 'end', importance: 2 },
  { title: 'Metadata', value: ({ metadata }) => metadata, cut: 'end', importance: 1 },
  {
    title: 'Timestamp',
    value: ({ timestamp }) => timestamp,
    text: ({ timestamp }) => dateText(timestamp),
    importance: 6,
  },
];

export const workflowsList = command({
  words: 'workflows list',
  says: 'List workflows.',
  options: [
    ...pagingOptions,
    { flags: '--archived-only', says: 'only archived ones' },
    { flags: '--include-archived', says: 'include archived ones' },
    { flags: '-a, --all-users', says: 'of all users' },
    { flags: '-g, --access-group <name>', says: 'only those shared with this group, of all users' },
  ],
  async run({ service, settings, output }, _args, options) {
    const { client } = await service();
    const group = options.accessGroup;
    const everybody = options.allUsers === true || group !== undefined;
    const archived = options.archivedOnly === true ? true : options.includeArchived === true ? undefined : false;
    const items = await allRows(options, (paging) =>
      client.listWorkflows({
        query: {
          user: everybody ? undefined : settings.user,
          access_group: group,
          is_archived: archived,
          ...paging,
        },
      }),
    );
    output.list({
      items,
      columns: columns(everybody),
      things: 'workflows',
      empty: emptyWords(settings.user, { everybody, group }),
    });
  },
});

function emptyWords(user: string, { everybody, group }: { everybody: boolean; group: string | undefined }): string {
  if (group !== undefined) return `No workflows found for access group: ${group}`;
  return everybody ? 'No workflows found.' : `No workflows found for user: ${user}`;
}
