import { basename } from 'node:path';
import { processesThatSubmit } from '../batch/submissions-under-way.ts';
import type { BatchOptions, BatchSystem, KnownBatch } from '../batch/batch-system.ts';
import { programOn } from '../program-on.ts';
import { allocationOf, JOB_VARIABLE } from './allocation.ts';
import { askSlurm, shellOptions } from './programs.ts';
import { accountedEnd, accountedJobs, recordedJobs } from './sacct.ts';
import { submitScript, testOnly } from './sbatch.ts';
import { cancelJob, cancelQueued } from './scancel.ts';
import {
  fateIn,
  licensesOfJob,
  openScontrol,
  parseAgeSeconds,
  parseArraySize,
  parseGranted,
  parseLicenses,
  parseManner,
  parseNow,
  restartsIn,
  runIn,
  scriptEndIn,
} from './scontrol.ts';
import { clusterLoad, discoverProfile } from './sinfo.ts';
import { openSqueue } from './squeue.ts';
import { jobNameIn, submissionScript, takesArray } from './submission-script.ts';
import { byName, notQueued, statesFrom } from './states.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The duration of an allocation when Slurm is simulated, as in Torc 1.0.0. */
const PLAYED_SECONDS = 10 * 24 * 3600;

/**
 * Slurm, by its programs.
 *
 * If `TORC_FAKE_SBATCH` replaces sbatch, no Slurm knows an allocation that runs: it is not asked for its memory and its end.
 */
function openSlurm(environment: Environment, { atMostMs, onSlow }: BatchOptions): BatchSystem {
  const ask = askSlurm(environment, atMostMs, onSlow);
  const squeue = openSqueue(ask);
  const scontrol = openScontrol(ask);
  const isPlayed = Boolean(environment['TORC_FAKE_SBATCH']);
  return {
    name: 'Slurm',
    recordsSteps: true,
    profile: (names) => discoverProfile(environment, names),
    load: () => clusterLoad(environment),
    scriptOf: submissionScript,
    jobNameIn,
    takesArray,
    // A stand-in for sbatch alone asks for nothing that another Slurm counts.
    licenses: async () =>
      isPlayed && !environment['TORC_FAKE_SCONTROL'] ? [] : parseLicenses(await scontrol.licenses()),
    // A stand-in for sbatch would take the question for a submission.
    testScript: async (text) => (isPlayed ? undefined : testOnly(text, environment, onSlow)),
    shellOptions: () => shellOptions(environment, askSlurm(environment)),
    submit: (script, tasks) => submitScript(ask, script, tasks),
    mostTasks: async () =>
      // A program that stands in for sbatch alone knows no arrays.
      isPlayed && !environment['TORC_FAKE_SCONTROL'] ? 1 : scontrol.config().then(parseArraySize, () => 1),
    scripts: squeue.scripts,
    submissionsUnderWay: async (tokens) =>
      processesThatSubmit(tokens, (words) => words.some((word) => basename(word).startsWith('sbatch'))),
    cancel: (job) => cancelJob(ask, job),
    cancelQueued: (jobs) => cancelQueued(ask, jobs),
    release: scontrol.release,
    waitingReasons: squeue.reasons,
    async statesOf(jobs) {
      if (jobs.length === 0) return new Map();
      const queued = await squeue.jobs(jobs).catch(() => undefined);
      const missing = notQueued(jobs, queued ?? []);
      const accounted = missing.length === 0 ? [] : await accountedJobs(ask, missing).catch(() => undefined);
      return statesFrom(jobs, { queued, accounted });
    },

    endOf: (job) =>
      scontrol
        .job(job)
        .then(scriptEndIn)
        .catch(() => accountedEnd(ask, job))
        .catch(() => undefined),

    queue: async (jobs) => byName(await squeue.jobs(jobs)),
    account: (jobs) => recordedJobs(ask, jobs),
    queueAgeSeconds: () => scontrol.config().then(parseAgeSeconds, () => undefined),

    jobVariable: JOB_VARIABLE,
    allocationOf,
    nodesOf: ({ nodeList = '' }) => scontrol.hostnames(nodeList),
    async memoryOf({ jobId, memoryBytes, cpus, nodes }) {
      // A script without `--mem`, with `--mem=0`, or one that unsets SLURM_MEM_PER_CPU, as ours do, has no variable that says
      // it. The memory of the machine would be wrong: other allocations are on it. So the controller is asked.
      if (memoryBytes !== undefined || isPlayed) return memoryBytes;
      return parseGranted(await scontrol.job(jobId), { cpus, nodes });
    },
    licensesOf: async ({ jobId }) => (isPlayed ? {} : scontrol.job(jobId).then(licensesOfJob, () => ({}))),
    runOf: async ({ jobId, restarts }) =>
      isPlayed
        ? { restarts }
        : scontrol.job(jobId).then(
            (text) => runIn(text, restarts),
            () => ({ restarts }),
          ),
    async secondsLeft({ jobId, endsAtMs: given }) {
      const endsAtMs = isPlayed ? given : await squeue.end(jobId);
      if (endsAtMs === undefined) return isPlayed ? PLAYED_SECONDS : undefined;
      const askedAt = performance.now();
      // Where the controller does not give the time, that of this host is all there is.
      const nowMs = isPlayed ? undefined : await scontrol.config().then(parseNow, () => undefined);
      return (endsAtMs - (nowMs ?? Date.now()) - (performance.now() - askedAt)) / 1000;
    },
    manner: () => scontrol.config().then(parseManner, () => parseManner('')),
    fateOf: ({ jobId, restarts }, atMostMs) =>
      scontrol.job(jobId, atMostMs).then(
        (text) => (restartsIn(text) > restarts ? 'requeued' : fateIn(text)),
        () => 'unknown',
      ),
  };
}

export const slurm: KnownBatch = {
  name: 'slurm',
  isMeant: (environment) => Boolean(environment['TORC_FAKE_SBATCH'] || environment['SLURM_JOB_ID']),
  isHere: (environment) =>
    Boolean(environment['TORC_FAKE_SBATCH']) || programOn(environment['PATH'], 'sbatch') !== undefined,
  open: openSlurm,
};
