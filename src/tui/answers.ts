import type { Client } from '../client/client.ts';
import { counted } from '../core/quantity/count-text.ts';
import { cancelJobs } from '../operations/cancel-jobs.ts';
import { explainJob } from '../operations/explain/explain.ts';
import { shownFiles } from '../operations/explain/shown-files.ts';
import { explainedLines } from '../operations/views/explained.ts';
import type { Dialog } from './model.ts';
import type { View } from './views/view.ts';

interface Here {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly outputDir: string;
  readonly hint: (command: string) => string;
}

const textDialog = (title: string, lines: readonly string[]): Dialog => ({ kind: 'text', title, lines, top: 0 });

/** Why a job waits, or why it ended as it did. */
export async function explained(client: Client, id: number, { environment, outputDir, hint }: Here): Promise<Dialog> {
  const found = await explainJob(client, id, { nowMs: Date.now(), environment, outputDir });
  return textDialog('Why', explainedLines(found, shownFiles(found.paths), hint));
}

/** All fields of a row. */
export function shownRecord(view: View, rows: readonly unknown[], id: number): Dialog | undefined {
  const row = rows.find((each) => (view.jobOf?.(each) ?? view.idOf(each)) === id);
  if (row === undefined) return undefined;
  const lines = Object.entries(row as object).flatMap(([field, value]: [string, unknown]) =>
    value === undefined || value === null
      ? []
      : (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))
          .split('\n')
          .map((line, at) => `${(at === 0 ? `${field}: ` : '').padEnd(at === 0 ? 0 : field.length + 2)}${line}`),
  );
  return textDialog(view.name, lines);
}

/** What became of a job that the user cancels. */
export async function canceled(client: Client, workflowId: number, id: number): Promise<string> {
  const done = await cancelJobs(client, { workflowId, jobs: [await client.getJob({ params: { id } })] });
  const [refused] = done.refused;
  if (refused !== undefined) throw new Error(`job ${id} was not canceled: ${refused.message}`);
  const dependents = done.dependent_job_ids.length;
  return [
    done.ending_job_ids.length > 0 ? `job ${id} is being ended by its runner` : `job ${id} is canceled`,
    ...(dependents > 0 ? [`and ${counted(dependents, 'job that depends', 'jobs that depend')} on it`] : []),
  ].join(', ');
}
