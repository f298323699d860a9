import { join } from 'node:path';
import { random } from '../../tests/support/random.ts';

export const MODES = {
  direct: { mode: 'direct' },
  slurm: { mode: 'slurm' },
  batching: { mode: 'slurm', step_batching: true },
} as const;
export type Mode = keyof typeof MODES;

export interface Size {
  readonly jobs: number;
  readonly allocations: number;
  readonly minutes: number;
  readonly seed: number;
}

export const CPUS = 2;
/** Work, of the time that the CPUs of all allocations have: the rest is for lost work, starts and ends. */
const FILL = 0.8;
const LONG = 0.3;
/** Jobs that wait for jobs of the first layer. */
const SECOND_LAYER = 0.2;
const SHORTEST_SECONDS = 0.5;

export interface Job {
  readonly name: string;
  readonly seconds: number;
  readonly isLong: boolean;
  readonly dependsOn: readonly string[];
}

/** Short jobs and long ones, in a ratio of 1–3 to 5–20; scaled so that all together fill the allocations. */
export function jobsOf({ jobs: count, allocations, minutes, seed }: Size): Job[] {
  const next = random(seed);
  const between = (from: number, to: number) => from + next() * (to - from);
  const kinds = Array.from({ length: count }, () => next() < LONG);
  const shares = kinds.map((isLong) => (isLong ? between(5, 20) : between(1, 3)));
  const factor = (allocations * CPUS * minutes * 60 * FILL) / shares.reduce((sum, share) => sum + share, 0);
  const first = Math.ceil(count * (1 - SECOND_LAYER));
  const one = () => `job_${Math.floor(next() * first)}`;
  return shares.map((share, index) => ({
    name: `job_${index}`,
    seconds: Math.max(SHORTEST_SECONDS, Math.round(share * factor * 10) / 10),
    isLong: kinds[index] === true,
    dependsOn: index < first ? [] : [...new Set([one(), one()])],
  }));
}

/**
 * Each job appends to a file of its own when it begins, and behind its work. While an attempt or anything that it started is alive, it
 * holds the lock of the file. The script goes on when its `sleep` is killed, as scripts of users do.
 */
export const SCRIPT = `#!/bin/bash
exec 9>>"$2/$TORC_JOB_NAME"
word=begin
flock -n 9 || word=beside
echo "$word $TORC_RUN_ID $TORC_ATTEMPT_ID $SLURM_JOB_ID $EPOCHREALTIME" >&9
sleep "$1"
echo "done $TORC_RUN_ID $TORC_ATTEMPT_ID $SLURM_JOB_ID $EPOCHREALTIME" >&9
`;

/** The workflow with its own scheduler; people ask for twice the time that a job takes. */
export function workflowOf(jobs: readonly Job[], { allocations, minutes }: Size, mode: Mode, folder: string) {
  const longest = (isLong: boolean) =>
    Math.max(SHORTEST_SECONDS, ...jobs.filter((job) => job.isLong === isLong).map(({ seconds }) => seconds));
  const needs = (name: string, isLong: boolean) => ({
    name,
    num_cpus: 1,
    memory: '20m',
    runtime: `PT${Math.ceil(longest(isLong) * 2)}S`,
  });
  return {
    name: `night ${mode}`,
    execution_config: MODES[mode],
    resource_requirements: [needs('short', false), needs('long', true)],
    slurm_schedulers: [
      {
        name: 'nodes',
        account: 'any',
        nodes: 1,
        walltime: String(Math.ceil(minutes) + 10),
        mem: '600m',
        extra: `--cpus-per-task=${CPUS}`,
      },
    ],
    jobs: jobs.map(({ name, seconds, isLong, dependsOn }) => ({
      name,
      command: `${join(folder, 'work.sh')} ${seconds} ${join(folder, 'jobs')}`,
      resource_requirements: isLong ? 'long' : 'short',
      ...(dependsOn.length === 0 ? {} : { depends_on: dependsOn }),
    })),
    actions: [
      {
        trigger_type: 'on_workflow_start',
        action_type: 'schedule_nodes',
        scheduler: 'nodes',
        scheduler_type: 'slurm',
        num_allocations: allocations,
      },
    ],
  };
}
