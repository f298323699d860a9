import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Refusal } from '../../core/contract/refusals.ts';
import { findInSlurmLog, nodeIn, slurmJobIn } from '../../core/logs/patterns.ts';
import { eachLine, filesBelow, logsBelow, workflowIn } from './files.ts';

interface Issue {
  /** As it can be opened: below the folder that was given. */
  readonly file: string;
  readonly slurm_job_id: string;
  readonly node: string | null;
  readonly line_number: number;
  readonly line: string;
  readonly severity: 'error' | 'warning';
  readonly pattern_description: string;
  /** The job of torc whose output this is. */
  readonly job_id?: number;
  readonly remedy: string;
}

export interface ParsedLogs {
  /** Allocations whose output was read. */
  readonly slurmJobs: readonly string[];
  readonly files: number;
  readonly issues: readonly Issue[];
  /** More than are listed. */
  readonly total: number;
  readonly errors: number;
}

const SLURM_OUTPUT = /(?:^|\/)slurm_output_wf\d+_sl(\d+)\.[oe]$/;
/** What PBS itself says of an allocation; its name has no workflow. */
const PBS_OUTPUT = /^pbs\/(\d+)\..*\.(?:OU|ER)$/;
const JOB_OUTPUT = /(?:^|\/)job_wf\d+_j(\d+)_r\d+_a\d+\.(?:o|e|log)$/;
const MOST_ISSUES = 10_000;

interface ParseOptions {
  readonly workflowId: number;
  readonly outputDir: string;
  readonly errorsOnly: boolean;
  /** The allocation in which a job ran, by the id of the job. */
  readonly allocationOf: (jobId: number) => string | undefined;
}

/** Looks for known errors in the output of allocations, then in the output of the jobs in them. */
export async function parseSlurmLogs({
  workflowId,
  outputDir,
  errorsOnly,
  allocationOf,
}: ParseOptions): Promise<ParsedLogs> {
  if (!existsSync(outputDir)) throw new Refusal('FILE_UNREADABLE', `Path not found: ${outputDir}`);
  const paths = logsBelow(outputDir).filter((path) => workflowIn(path) === workflowId);
  const allocations = paths.filter((path) => SLURM_OUTPUT.test(path));
  const jobs = paths.filter((path) => JOB_OUTPUT.test(path));
  const issues: Issue[] = [];
  let [total, errors] = [0, 0];
  const read = async (path: string, slurmJobId: string, jobId: number | undefined) =>
    eachLine(join(outputDir, path), (text, number) => {
      const found = findInSlurmLog(text, errorsOnly);
      if (found === undefined) return;
      total += 1;
      if (found.severity === 'error') errors += 1;
      if (issues.length === MOST_ISSUES) return;
      issues.push({
        file: join(outputDir, path),
        slurm_job_id: slurmJobIn(text) ?? slurmJobId,
        node: nodeIn(text) ?? null,
        line_number: number,
        line: text.trim(),
        severity: found.severity,
        pattern_description: found.label,
        ...(jobId === undefined ? {} : { job_id: jobId }),
        remedy: found.remedy,
      });
    });
  for (const path of allocations) await read(path, SLURM_OUTPUT.exec(path)?.[1] ?? 'unknown', undefined);
  const slurmJobs = [...new Set(allocations.map((path) => SLURM_OUTPUT.exec(path)?.[1] as string))];
  const ofPbs = filesBelow(join(outputDir, 'pbs'), 0)
    .map((name) => `pbs/${name}`)
    .filter((path) => slurmJobs.includes(PBS_OUTPUT.exec(path)?.[1] ?? ''))
    .toSorted();
  for (const path of ofPbs) await read(path, PBS_OUTPUT.exec(path)?.[1] ?? 'unknown', undefined);
  // Without an allocation this is no workflow of a batch system.
  if (allocations.length > 0)
    for (const path of jobs) {
      const jobId = Number(JOB_OUTPUT.exec(basename(path))?.[1]);
      await read(path, allocationOf(jobId) ?? 'unknown', jobId);
    }
  const files = allocations.length === 0 ? 0 : allocations.length + ofPbs.length + jobs.length;
  return { slurmJobs, files, issues, total, errors };
}
