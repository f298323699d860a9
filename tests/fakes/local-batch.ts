import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Allocation } from '../../src/cluster/batch/allocation.ts';
import type { BatchSystem, JobState } from '../../src/cluster/batch/batch-system.ts';
import { killTogether, signalProcess } from '../../src/cluster/host/kill-together.ts';
import { ALLOCATION_VARIABLE, allocationRunnerLine } from '../../src/core/allocation/runner-line.ts';
import type { SlurmJob } from '../../src/core/allocation/slurm-job.ts';
import type { QueueState } from '../../src/core/allocation/slurm-state.ts';
import { processesWith } from '../support/processes.ts';

/**
 * A batch system that is not Slurm: allocations are processes of this machine, of which so many run at once and the others
 * wait. It shows what a batch system has to give (`docs/explanation/batch-systems.md`).
 *
 * A job is a folder: its script, the time of its submission, and in `began` and `ended` how it stands. So the process that
 * submits, those inside the allocations, and the test see the same.
 */
export interface LocalBatch extends BatchSystem {
  /** The node of a job fails: all its processes are killed at once, and nothing is reported. */
  fail(jobId: number): void;
  /** The processes of a job. */
  processesOf(jobId: number): number[];
}

interface LocalBatchOptions {
  /** Where the jobs are. */
  readonly folder: string;
  /** How many run at once; 0 holds all of them back. */
  readonly slots: number;
  /** What the processes of jobs have in their environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const VARIABLE = 'LOCAL_BATCH_JOB';
const KILL_WAIT_SECONDS = 5;
const GIBIBYTE = 2 ** 30;
const WALLTIME_MS = 3_600_000;

const STATES: Readonly<Record<string, QueueState>> = {
  WAITING: 'queued',
  WORKING: 'running',
  COMPLETED: 'ended',
  FAILED: 'ended',
  CANCELLED: 'ended',
  NODE_FAIL: 'ended',
};

export function openLocalBatch({ folder, slots, environment }: LocalBatchOptions): LocalBatch {
  mkdirSync(folder, { recursive: true });
  const path = (jobId: number, name = '') => join(folder, String(jobId), name);
  const textOf = (jobId: number, name: string) =>
    existsSync(path(jobId, name)) ? readFileSync(path(jobId, name), 'utf8') : undefined;
  const timeOf = (jobId: number, name: string) =>
    existsSync(path(jobId, name)) ? statSync(path(jobId, name)).mtimeMs : undefined;
  const jobIds = () =>
    readdirSync(folder)
      .map(Number)
      .toSorted((a, b) => a - b);
  const processesOf = (jobId: number) => processesWith(VARIABLE, String(jobId));

  /** The first word that is written counts. */
  const end = (jobId: number, word: string) => {
    if (textOf(jobId, 'ended') !== undefined) return;
    writeFileSync(path(jobId, 'ended.new'), word);
    renameSync(path(jobId, 'ended.new'), path(jobId, 'ended'));
  };
  const wordOf = (jobId: number) =>
    textOf(jobId, 'ended') ?? (textOf(jobId, 'began') === undefined ? 'WAITING' : 'WORKING');
  const startNext = () => {
    const running = jobIds().filter((jobId) => wordOf(jobId) === 'WORKING').length;
    const next = jobIds().find((jobId) => wordOf(jobId) === 'WAITING');
    if (next === undefined || running >= slots) return;
    writeFileSync(path(next, 'began'), '');
    const child = spawn('bash', [textOf(next, 'script') as string], {
      cwd: folder,
      detached: true,
      stdio: 'ignore',
      env: { ...environment, [VARIABLE]: String(next) },
    });
    child.once('exit', (code) => {
      // The test has ended, and its folder with it.
      if (!existsSync(folder)) return;
      end(next, code === 0 ? 'COMPLETED' : 'FAILED');
      startNext();
    });
    startNext();
  };
  const stateOf = (jobId: number): JobState => {
    const word = wordOf(jobId);
    const [startedAtMs, submittedAtMs] = [timeOf(jobId, 'began'), timeOf(jobId, 'script')];
    return { jobId, state: STATES[word] ?? 'unknown', word, startedAtMs, submittedAtMs, rawId: jobId };
  };
  const states = (jobs: readonly SlurmJob[]) =>
    new Map(
      jobs
        .map(Number)
        .filter((jobId) => existsSync(path(jobId)))
        .map((jobId): [SlurmJob, JobState] => [jobId, stateOf(jobId)]),
    );
  const cancel = (jobId: number) => {
    if (STATES[wordOf(jobId)] === 'ended') return;
    end(jobId, 'CANCELLED');
    for (const pid of processesOf(jobId)) signalProcess(pid, 'SIGTERM');
    setTimeout(() => killTogether(() => processesOf(jobId)), KILL_WAIT_SECONDS * 1000).unref();
  };

  return {
    name: 'the batch system of this machine',
    recordsSteps: false,
    profile: async () => {
      throw new Error('it has no partitions');
    },
    load: async () => ({ nodes: new Map(), queue: new Map() }),
    scriptOf: ({ jobName, record, runner }) =>
      [
        '#!/bin/bash',
        `# job: ${jobName}`,
        ...(record === undefined ? [] : [`export ${ALLOCATION_VARIABLE}=${record.id}`]),
        `exec ${allocationRunnerLine(runner)}\n`,
      ].join('\n'),
    jobNameIn: (text) => /^# job: (.*)$/m.exec(text)?.[1],
    takesArray: () => false,
    testScript: async () => undefined,
    licenses: async () => [],
    shellOptions: async () => ({ warning: undefined }),
    async submit(script) {
      const jobId = (jobIds().at(-1) ?? 0) + 1;
      mkdirSync(path(jobId));
      // A copy: the submitter removes its script.
      writeFileSync(path(jobId, 'script'), path(jobId, 'copy'));
      writeFileSync(path(jobId, 'copy'), readFileSync(script));
      writeFileSync(path(jobId, 'name'), script);
      startNext();
      return jobId;
    },
    mostTasks: async () => 1,
    scripts: async () =>
      jobIds().map((jobId) => ({ jobId, state: stateOf(jobId).state, script: textOf(jobId, 'name') ?? '' })),
    submissionsUnderWay: async () => [],
    cancel: async (job) => cancel(Number(job)),
    // It holds none.
    release: async () => {},
    cancelQueued: async (jobs) =>
      jobs
        .map(Number)
        .filter((jobId) => wordOf(jobId) === 'WAITING')
        .forEach(cancel),
    waitingReasons: async (jobs) =>
      new Map(jobs.filter((job) => wordOf(Number(job)) === 'WAITING').map((job) => [job, 'all slots are taken'])),
    statesOf: async (jobs) => states(jobs),
    endOf: async (job) => {
      const word = textOf(Number(job), 'ended');
      return word === undefined ? undefined : { word, rawId: Number(job), files: [] };
    },

    queue: async (jobs) => states(jobs),
    // There is no accounting.
    account: async () => undefined,
    queueAgeSeconds: async () => undefined,

    jobVariable: VARIABLE,
    allocationOf(variables): Allocation | undefined {
      const jobId = Number(variables[VARIABLE]);
      if (!(jobId > 0)) return undefined;
      const resources = { nodes: 1, cpus: 1, memoryBytes: GIBIBYTE };
      const noSteps = { step: '', isInStep: false, canStartSteps: false };
      return { jobId, nodeId: 0, taskPid: process.pid, ...resources, restarts: 0, ...noSteps };
    },
    nodesOf: async () => ['localhost'],
    licensesOf: async () => ({}),
    memoryOf: async ({ memoryBytes }) => memoryBytes,
    runOf: async ({ jobId, restarts }) => ({
      startedAtMs: timeOf(jobId, 'began'),
      submittedAtMs: timeOf(jobId, 'script'),
      restarts,
    }),
    secondsLeft: async ({ jobId }) => ((timeOf(jobId, 'began') ?? Date.now()) + WALLTIME_MS - Date.now()) / 1000,
    manner: async () => ({ killWaitSeconds: KILL_WAIT_SECONDS, isOneByOne: false, reachesAll: false }),
    fateOf: async ({ jobId }) => (STATES[wordOf(jobId)] === 'ended' ? 'over' : 'alive'),

    fail(jobId) {
      end(jobId, 'NODE_FAIL');
      killTogether(() => processesOf(jobId));
    },
    processesOf,
  };
}
