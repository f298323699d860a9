import type { Client } from '../../client/client.ts';
import { every } from '../../client/every.ts';
import { EXPORT_VERSION } from './version.ts';

export interface ExportOptions {
  readonly includesResults: boolean;
  readonly includesEvents: boolean;
  /** Now, as RFC 3339. */
  readonly exportedAt: string;
}

/** Rows that are written together. */
const TOGETHER = 1000;
/** Jobs in a request: with their relationships each costs the server six queries. */
const JOBS_A_CALL = 2000;

/**
 * Writes a workflow as JSON, in parts, and returns the number of records of each kind.
 *
 * Only the rows of one request are in memory, so a workflow may have any size.
 */
export async function exportWorkflow(
  client: Client,
  id: number,
  { includesResults, includesEvents, exportedAt }: ExportOptions,
  write: (text: string) => void | Promise<void>,
): Promise<{ readonly name: string; readonly counts: ReadonlyMap<string, number> }> {
  const workflow = await client.getWorkflow({ params: { id } });
  const query = { workflow_id: id };
  const params = { id };
  const sections: Readonly<Record<string, AsyncIterable<object>>> = {
    files: every((page) => client.listFiles({ query: { ...query, ...page } })),
    user_data: every((page) => client.listUserData({ query: { ...query, ...page } })),
    resource_requirements: every((page) => client.listResourceRequirements({ query: { ...query, ...page } })),
    slurm_schedulers: every((page) => client.listSlurmSchedulers({ query: { ...query, ...page } })),
    local_schedulers: every((page) => client.listLocalSchedulers({ query: { ...query, ...page } })),
    failure_handlers: every((page) => client.listFailureHandlers({ params, query: page })),
    ro_crate_entities: every((page) => client.listRoCrateEntities({ params, query: page })),
    jobs: every(({ offset, limit }) =>
      client.listJobs({
        query: { ...query, include_relationships: true, offset, limit: Math.min(limit, JOBS_A_CALL) },
      }),
    ),
    workflow_actions: actionsOf(client, id),
    ...(includesResults
      ? {
          compute_nodes: every((page) => client.listComputeNodes({ query: { ...query, ...page } })),
          results: every((page) => client.listResults({ query: { ...query, all_runs: true, ...page } })),
        }
      : {}),
    ...(includesEvents ? { events: every((page) => client.listEvents({ query: { ...query, ...page } })) } : {}),
  };

  const head = { export_version: EXPORT_VERSION, exported_at: exportedAt, workflow };
  await write(JSON.stringify(head, undefined, 2).slice(0, -2));
  const counts = new Map<string, number>();
  for (const [name, rows] of Object.entries(sections)) counts.set(name, await writeSection(name, rows, write));
  await write('}');
  return { name: workflow.name, counts };
}

async function* actionsOf(client: Client, id: number): AsyncGenerator<object> {
  yield* await client.listWorkflowActions({ params: { id } });
}

/** `,"jobs": [` and a row on each line. Every part ends between two tokens, where a line may end. */
async function writeSection(
  name: string,
  rows: AsyncIterable<object>,
  write: (text: string) => void | Promise<void>,
): Promise<number> {
  let count = 0;
  let lines: string[] = [];
  await write(`,"${name}": [`);
  for await (const row of rows) {
    lines.push(`${count === 0 ? ' ' : ','}${JSON.stringify(row)}`);
    count += 1;
    if (lines.length < TOGETHER) continue;
    await write(lines.join('\n'));
    lines = [];
  }
  await write([...lines, ']'].join('\n'));
  return count;
}
