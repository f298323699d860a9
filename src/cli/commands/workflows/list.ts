import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { Workflow } from '../../../core/contract/workflow.ts';
import { command } from '../../command.ts';
import { dateText } from '../../output/local-time.ts';
import type { Column } from '../../output/table.ts';
import { ageSeconds, roughText } from '../../output/words.ts';
import type { WorkflowStanding } from '../../../operations/views/workflow-state.ts';
import { allRows, pagingOptions } from '../../paging.ts';

/** Of Torc, which CSV has; a table has what a person looks for. */
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

/** With how each stands. Columns without a value in any row are left out. */
function shownColumns(
  standings: ReadonlyMap<number, WorkflowStanding>,
  items: readonly Workflow[],
  nowMs: number,
): readonly Column<Workflow>[] {
  const standing =
    <Value>(of: (standing: WorkflowStanding) => Value) =>
    ({ id }: Workflow) => {
      const found = standings.get(id);
      return found && of(found);
    };
  const shown: readonly Column<Workflow>[] = [
    { title: 'ID', value: ({ id }) => id, align: 'right', importance: 8 },
    { title: 'Name', value: ({ name }) => name, cut: 'middle', importance: 9 },
    { title: 'Owner', value: ({ user }) => user, cut: 'middle', importance: 5 },
    {
      title: 'State',
      value: standing(({ state }) => state),
      text: ({ id, is_canceled: is }) => standings.get(id)?.state ?? (is === true ? 'canceled' : '–'),
      importance: 7,
    },
    { title: 'Done', value: standing(({ done, total }) => `${done}/${total}`), align: 'right', importance: 7 },
    { title: 'Failed', value: standing(({ failed }) => failed || undefined), align: 'right', importance: 6 },
    { title: 'Running', value: standing(({ running }) => running || undefined), align: 'right', importance: 6 },
    { title: 'Run', value: ({ run_id: run }) => run, align: 'right', importance: 1 },
    {
      title: 'Age',
      value: ({ timestamp }) => roughText(ageSeconds(timestamp ?? '', nowMs)),
      align: 'right',
      importance: 4,
    },
    { title: 'Project', value: ({ project }) => project, cut: 'end', importance: 2 },
    { title: 'Description', value: ({ description }) => description, cut: 'end', importance: 3 },
  ];
  return shown.filter(({ value }) => items.some((each) => (value(each) ?? '') !== ''));
}

export const workflowsList = command({
  words: 'workflows list',
  says: 'List workflows.',
  options: [
    ...pagingOptions(sortFields.workflow),
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
    const isTable = output.format === 'table';
    const standings = isTable
      ? await (
          await import('../../../operations/workflow-standings.ts')
        ).workflowStandings(
          client,
          items.map(({ id }) => id),
          everybody ? undefined : settings.user,
        )
      : new Map<number, WorkflowStanding>();
    output.list({
      items,
      columns: isTable ? shownColumns(standings, items, Date.now()) : columns(everybody),
      things: 'workflows',
      empty: emptyWords(settings.user, { everybody, group }),
    });
  },
});

function emptyWords(user: string, { everybody, group }: { everybody: boolean; group: string | undefined }): string {
  if (group !== undefined) return `No workflows found for access group: ${group}`;
  return everybody ? 'No workflows found.' : `No workflows found for user: ${user}`;
}
