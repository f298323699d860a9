import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { all } from '../../client/every.ts';
import { isScriptOf } from '../../core/allocation/names.ts';
import { submissionOf, submitScript, type SubmitTools, tokenOf } from './submit-allocations.ts';

/** How long a script may be in the hands of a process on another host, which we cannot see. */
const OTHERS_MS = 15 * 60_000;

/**
 * Finishes submissions of a workflow whose outcome was not stored: of a process that was killed, or could not reach Slurm.
 *
 * A job that carries the token of the record is taken; otherwise the script, if it is still there, is submitted. A record
 * with neither is removed. Returns the ids of the jobs. Throws if squeue cannot be asked: then nothing is submitted.
 */
export async function settleSubmissions(tools: SubmitTools, workflowId: number): Promise<number[]> {
  const { client, slurm, settings, onWarning } = tools;
  const query = { workflow_id: workflowId, status: 'submitting' };
  const open = await all((page) => client.listScheduledComputeNodes({ query: { ...query, ...page } }));
  if (open.length === 0) return [];
  const workflow = await client.getWorkflow({ params: { id: workflowId } });
  const jobIds: number[] = [];
  for (const record of open) {
    const id = record.id as number;
    const token = tokenOf(record, workflow);
    const path = scriptWith(settings.outputDir, token);
    const found = await submissionOf(slurm, token);
    if ('jobId' in found) {
      const body = { ...record, scheduler_id: found.jobId, status: 'pending' };
      await client.updateScheduledComputeNode({ params: { id }, body });
      if (path !== undefined && !settings.keepsScripts) rmSync(path, { force: true });
      jobIds.push(found.jobId);
    } else if (path === undefined) {
      await client.deleteScheduledComputeNode({ params: { id } });
      onWarning(
        `an allocation of scheduler ${record.scheduler_config_id} was never submitted: its process was interrupted`,
      );
    } else if (isInOtherHands(path)) {
      onWarning(`allocation record ${id} is being submitted by another process, or was within 15 minutes: ${path}`);
    } else {
      jobIds.push(await submitScript(tools, { record, path, token }));
    }
  }
  return jobIds;
}

function scriptWith(folder: string, token: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const name = readdirSync(folder).find((each) => isScriptOf(each, token));
  return name === undefined ? undefined : join(folder, name);
}

function isInOtherHands(path: string): boolean {
  const match = /^# submitted by process (\d+) on (.+)$/m.exec(readFileSync(path, 'utf8'));
  if (match !== null && match[2] === hostname()) return isAlive(Number(match[1]));
  // Both are times of day, because files have no other.
  return statSync(path).mtimeMs + OTHERS_MS > Date.now();
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
