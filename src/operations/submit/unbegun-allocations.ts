import type { Client } from '../../client/client.ts';
import { hasBatch, openBatch } from '../../cluster/open-batch.ts';
import { scriptEndWords } from '../../core/allocation/end-words.ts';
import { jobOfAllocation, type SlurmJob } from '../../core/allocation/slurm-job.ts';
import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';
import { allocationOutputOf } from '../../core/contract/files/runner.ts';
import { firstWithLines } from '../output/last-lines.ts';

/** An allocation that ended before a runner of it began, and what Slurm and its output say of that. */
export interface UnbegunAllocation {
  readonly slurmJobId: SlurmJob;
  /** `FAILED, exit code 127`. */
  readonly end: string;
  /** The file of its last words; undefined if it wrote none that can be read here. */
  readonly file: string | undefined;
  readonly lines: readonly string[];
}

interface Here {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The output folder, where Slurm does not name the files any more. */
  readonly outputDir?: string | undefined;
}

/** The newest ones say what is wrong now. */
const MOST = 3;
/** A person waits for the answers. */
const AT_MOST_MS = 3_000;

/**
 * The newest allocations of a workflow, as far as they ended before a runner of them began: a program that is not on the node, a folder
 * that it does not have. Empty where a runner began in the newest one, where it waits or runs, and where Slurm cannot be asked. Those that a
 * user canceled are passed over.
 */
export async function unbegunAllocations(
  client: Pick<Client, 'listScheduledComputeNodes' | 'listComputeNodes'>,
  workflowId: number,
  { environment, outputDir }: Here,
): Promise<UnbegunAllocation[]> {
  if (!hasBatch(environment)) return [];
  const newest = { workflow_id: workflowId, sort_by: 'id', reverse_sort: true, limit: MOST };
  const { items } = await client.listScheduledComputeNodes({ query: newest });
  const slurm = openBatch(environment, { atMostMs: AT_MOST_MS });
  const found: UnbegunAllocation[] = [];
  for (const record of items) {
    if (record.scheduler_type !== 'slurm' || record.scheduler_id <= 0) continue;
    if (record.status === 'active' || (await hasRunner(client, record))) break;
    const slurmJobId = jobOfAllocation(record);
    const end = await slurm.endOf(slurmJobId);
    if (end === undefined) break;
    if (end.word.startsWith('CANCELLED')) continue;
    const stems = outputDir === undefined ? [] : [allocationOutputOf(outputDir, workflowId, end.rawId)];
    // Errors before the rest.
    const output = firstWithLines([...end.files, ...stems.flatMap((stem) => [`${stem}.e`, `${stem}.o`])]);
    found.push({ slurmJobId, end: scriptEndWords(end), file: output?.file, lines: output?.lines ?? [] });
  }
  return found;
}

async function hasRunner(client: Pick<Client, 'listComputeNodes'>, record: ScheduledComputeNode): Promise<boolean> {
  const query = { workflow_id: record.workflow_id, scheduled_compute_node_id: record.id, limit: 1 };
  return (await client.listComputeNodes({ query })).items.length > 0;
}

/** What people read of them: a line each, and below it the last lines of its output. */
export const unbegunLines = (allocations: readonly UnbegunAllocation[]): string[] =>
  allocations.flatMap(({ slurmJobId, end, file, lines }) => [
    `Allocation ${slurmJobId} ended before a runner began (${end})${file === undefined ? ', and its output cannot be read here or is empty' : `; the end of ${file}:`}`,
    ...lines.map((line) => `  ${line}`),
  ]);
