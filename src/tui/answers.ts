import type { Client } from '../client/client.ts';
import { counted } from '../core/quantity/count-text.ts';
import { cancelJobs } from '../operations/jobs/cancel-jobs.ts';
import { explainJob, type ExplainOptions } from '../operations/explain/explain.ts';
import { shownFiles } from '../operations/explain/shown-files.ts';
import { explainedLines } from '../operations/report/views/explained.ts';
import { type Dialog, textDialog, type TextSource } from './model.ts';
import { type OpenText, openText } from './read-text.ts';
import type { View } from './views/view.ts';

interface Here {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly outputDir: string;
  readonly hint: (command: string) => string;
  readonly partitions: ExplainOptions['partitions'];
}

/** Why a job waits, or why it ended as it did. */
export async function explained(client: Client, id: number, { hint, ...here }: Here): Promise<Dialog> {
  const found = await explainJob(client, id, { nowMs: Date.now(), ...here });
  return textDialog('Why', explainedLines(found, shownFiles(found.paths), hint));
}

/** All fields of a row. */
export function shownRecord(view: View, rows: readonly unknown[], id: number): Dialog | undefined {
  const row = rows.find((each) => (view.jobOf?.(each) ?? view.idOf(each)) === id);
  if (row === undefined) return undefined;
  return textDialog(view.name, fieldLines(row as object));
}

export async function shownWorkflow(client: Client, id: number): Promise<Dialog> {
  return textDialog('Workflow', fieldLines(await client.getWorkflow({ params: { id } })));
}

function fieldLines(record: object): string[] {
  return Object.entries(record).flatMap(([field, value]: [string, unknown]) =>
    value === undefined || value === null
      ? []
      : (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))
          .split('\n')
          .map((line, at) => `${(at === 0 ? `${field}: ` : '').padEnd(at === 0 ? 0 : field.length + 2)}${line}`),
  );
}

/** What a job wrote, from its end on, or a file from its beginning. */
export async function readPromptText(
  client: Client,
  source: TextSource,
  { outputDir }: Here,
): Promise<{ readonly dialog: Dialog; readonly next: OpenText['next'] }> {
  const { title, lines, next, source: read = source } = await openText(client, source, outputDir);
  const top = source.from === 'job' ? 'end' : 0;
  return { dialog: { ...textDialog(title, lines), top, source: read }, next };
}

/** What became of jobs that the user cancels. */
export async function canceled(client: Client, workflowId: number, ids: readonly number[]): Promise<string> {
  const done = await cancelJobs(client, { workflowId, jobs: ids.map((id) => ({ id })) });
  const [refused] = done.refused;
  if (refused !== undefined)
    throw new Error(`job ${refused.job_id} was not canceled: ${refused.message}${others(done.refused.length - 1)}`);
  const [only] = ids;
  const those = (some: readonly number[]) =>
    some.length === 1 && ids.length === 1 ? `job ${only} is` : `${counted(some.length, 'job is', 'jobs are')}`;
  const dependents = done.dependent_job_ids.length;
  return [
    ...(done.ending_job_ids.length > 0
      ? [`${those(done.ending_job_ids)} being ended by ${ids.length === 1 ? 'its runner' : 'their runners'}`]
      : []),
    ...(done.canceled_job_ids.length > 0 ? [`${those(done.canceled_job_ids)} canceled`] : []),
    ...(dependents > 0
      ? [`and ${counted(dependents, 'job that depends', 'jobs that depend')} on ${ids.length === 1 ? 'it' : 'them'}`]
      : []),
  ].join(', ');
}

const others = (count: number): string => (count <= 0 ? '' : `; ${counted(count, 'other')} refused, too`);
