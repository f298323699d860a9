import type { Client } from '../../client/client.ts';
import { usedJobs } from '../../client/used-jobs.ts';
import {
  type Lack,
  lackOf,
  lacksAnything,
  type Measured,
  measuredOf,
  type Use,
} from '../../core/lifecycle/resources/resource-use.ts';
import { type FamilyAdvice, usualAdvice } from '../../core/lifecycle/resources/family-advice.ts';
import type { Adjustment, UsedJob } from '../../core/lifecycle/resources/used-jobs.ts';
import type { Result } from '../../core/contract/result.ts';

interface CheckOptions {
  /** Results of this run; undefined for the current results. */
  readonly runId: number | undefined;
  /** Failed jobs too, and what they probably lacked. */
  readonly includesFailed: boolean;
  /** The smallest excess over a limit that counts, in percent. */
  readonly leastOverPercent: number;
}

/** What a job used of one resource, beside its limit. */
export type Measurement = Measured & { readonly job: UsedJob };

/** A failed job with the resources that it probably lacked. */
export interface LackingJob {
  readonly job: UsedJob;
  readonly use: Use;
  readonly result: Result;
  readonly lack: Lack;
}

export interface CheckedResources {
  /** Results that were looked at. */
  readonly looked: number;
  readonly measurements: readonly Measurement[];
  /** The measurements over their limit. */
  readonly violations: readonly Measurement[];
  readonly within: readonly Measurement[];
  readonly lacking: readonly LackingJob[];
  readonly jobs: readonly UsedJob[];
  readonly adjustments: readonly Adjustment[];
  /** What each family of jobs used and should ask for. */
  readonly families: readonly FamilyAdvice[];
}

/** Compares what the jobs of a workflow used with what they requested. */
export async function checkResources(
  client: Client,
  workflowId: number,
  { runId, includesFailed, leastOverPercent }: CheckOptions,
): Promise<CheckedResources> {
  const jobs = await usedJobs(client, workflowId, { runId });
  const ended = jobs.filter(({ use }) => use !== undefined && (includesFailed || use.isSuccess));
  const measurements = ended.flatMap((job): Measurement[] =>
    job.use === undefined ? [] : measuredOf(job.limits, job.use).map((measured) => ({ ...measured, job })),
  );
  const isOver = ({ overPercent }: Measured) => overPercent > 0 && overPercent >= leastOverPercent;
  return {
    jobs,
    ...usualAdvice(jobs),
    looked: ended.length,
    measurements,
    violations: measurements.filter(isOver),
    within: measurements.filter((measured) => !isOver(measured)),
    lacking: includesFailed ? ended.filter(({ use }) => use?.isSuccess === false).flatMap(lackingOf) : [],
  };
}

function lackingOf(job: UsedJob): LackingJob[] {
  const { use, result, limits } = job;
  if (use === undefined || result === undefined) return [];
  const lack = lackOf(limits, use);
  return lacksAnything(lack) ? [{ job, use, result, lack }] : [];
}
