import type { Client } from '../../../client/client.ts';
import { isUnknownRoute } from '../../../client/compat/unknown-route.ts';
import { ServiceError } from '../../../client/errors.ts';
import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { Workflow } from '../../../core/contract/workflow.ts';
import { command } from '../../command/command.ts';
import { UsageError } from '../../command/failure.ts';
import { date } from '../../output/columns.ts';
import type { Column } from '../../output/table.ts';
import { ageSeconds, roughText } from '../../output/words.ts';
import type { WorkflowStanding } from '../../../operations/report/views/workflow-state.ts';
import { allRows, type PagingValues, pagingOptions } from '../../records/paging.ts';
import { option } from '../../command/option.ts';

const FORBIDDEN = 403;

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
  date('Timestamp', ({ timestamp }) => timestamp, { importance: 6 }),
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
    { title: 'Stopped', value: standing(({ stopped }) => stopped || undefined), align: 'right', importance: 5 },
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

export const workflowsList = command('workflows list', {
  says: 'List the workflows of the user.',
  more: 'A table also shows the workflows that other users share with the user. JSON and CSV have them with --shared only, as programs expect their own.',
  options: [
    ...pagingOptions(sortFields.workflow),
    option('--archived-only', 'only archived ones'),
    option('--include-archived', 'include archived ones'),
    option('-a, --all-users', 'of all users'),
    option('-g, --access-group <name>', 'only those shared with this group, of all users'),
    option('--shared', 'only those that other users share with the user'),
  ],
  async run({ service, settings, output }, _args, options) {
    const { client } = await service();
    const group = options.accessGroup;
    const onlyShared = options.shared === true;
    if (onlyShared && (options.allUsers === true || group !== undefined))
      throw new UsageError('workflows list: --shared, --all-users and --access-group exclude each other');
    const everybody = options.allUsers === true || group !== undefined;
    const archived = options.archivedOnly === true ? true : options.includeArchived === true ? undefined : false;
    const isTable = output.format === 'table';
    const shared =
      onlyShared || (isTable && !everybody)
        ? await sharedWith(client, settings.user, archived, options, onlyShared)
        : [];
    const user = everybody ? undefined : settings.user;
    const items = onlyShared
      ? shared
      : await allRows(options, (paging) =>
          client.listWorkflows({ query: { user, access_group: group, is_archived: archived, ...paging } }),
        );
    if (!isTable)
      return output.list({ items, columns: columns(everybody || onlyShared), things: 'workflows', empty: '' });
    const { workflowStandings } = await import('../../../operations/report/workflow-standings.ts');
    const standingsOf = async (rows: readonly Workflow[], owner: string | undefined) =>
      workflowStandings(
        client,
        rows.map(({ id }) => id),
        owner,
      );
    const show = (rows: readonly Workflow[], standings: ReadonlyMap<number, WorkflowStanding>, title?: string) =>
      output.list({
        items: rows,
        columns: shownColumns(standings, rows, Date.now()),
        things: 'workflows',
        empty: emptyWords(settings.user, { everybody, group, onlyShared }),
        ...(title === undefined ? {} : { title }),
      });
    if (!onlyShared) show(items, await standingsOf(items, user));
    if (shared.length === 0 && !onlyShared) return;
    const owners = [...Map.groupBy(shared, (each) => each.user)];
    const standings = await Promise.all(owners.map(([owner, rows]) => standingsOf(rows, owner)));
    if (!onlyShared) output.text('');
    show(shared, new Map(standings.flatMap((each) => [...each])), `Shared with ${settings.user}:`);
  },
});

/**
 * None with Torc's own server, where `--access-group` lists those of a group; and none, unless they were asked for, where
 * the login has another name than the user.
 */
async function sharedWith(
  client: Client,
  user: string,
  archived: boolean | undefined,
  options: PagingValues,
  areAsked: boolean,
): Promise<Workflow[]> {
  try {
    return await allRows(options, (paging) =>
      client.listSharedWorkflows({ params: { user_name: user }, query: { is_archived: archived, ...paging } }),
    );
  } catch (error) {
    if (isUnknownRoute(error)) return [];
    if (!areAsked && error instanceof ServiceError && error.status === FORBIDDEN) return [];
    throw error;
  }
}

interface ListScope {
  readonly everybody: boolean;
  readonly group: string | undefined;
  readonly onlyShared: boolean;
}

function emptyWords(user: string, { everybody, group, onlyShared }: ListScope): string {
  if (onlyShared) return `No workflows are shared with user: ${user}`;
  if (group !== undefined) return `No workflows found for access group: ${group}`;
  return everybody ? 'No workflows found.' : `No workflows found for user: ${user}`;
}
