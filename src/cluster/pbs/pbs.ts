import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { processesThatSubmit } from '../batch/submissions-under-way.ts';
import type { BatchOptions, BatchSystem, Fate, JobState, KnownBatch } from '../batch/batch-system.ts';
import { programOn } from '../program-on.ts';
import { BEGAN_VARIABLE, PBS_JOB_VARIABLE, pbsAllocationOf, pbsPartsOf, sharesIn } from './allocation.ts';
import { testedByPbs } from './can-run.ts';
import { parsePbsSeconds, parsePbsTime, type PbsRecord } from './dsv.ts';
import { jobOfPbsId } from './ids.ts';
import { clusterHere, discoverPbsProfile, pbsLoad } from './pbsnodes.ts';
import { askPbs } from './programs.ts';
import { deleteJob, deleteQueued, releaseJob } from './qdel.ts';
import { ownJobs } from './qselect.ts';
import { openQstat } from './qstat.ts';
import { pbsRequest } from './request.ts';
import { scriptIn, submitPbsScript } from './qsub.ts';
import { isByScheduler, pbsStateOf, pbsWordOf, scriptExitOf, pbsWaitingWords } from './states.ts';
import { pbsJobNameIn, pbsScript } from './submission-script.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const SOON_MS = 20_000;

/** PBS Professional and OpenPBS, by their programs. */
function openPbs(environment: Environment, { atMostMs, onSlow }: BatchOptions): BatchSystem {
  const ask = askPbs(environment, atMostMs, onSlow);
  const qstat = openQstat(ask, environment['PBS_JOBID']);
  const recordOf = async (jobId: SlurmJob, mostMs = SOON_MS) => (await qstat.jobs([jobId], mostMs)).get(jobId);
  const states = async (jobs: readonly SlurmJob[]) => {
    const found = await qstat.jobs(jobs);
    return new Map([...found].map(([job, record]) => [job, stateOf(job, record)] as const));
  };
  let cluster: ReturnType<typeof clusterHere> | undefined;
  return {
    name: 'PBS',
    recordsSteps: false,
    profile: (names) => discoverPbsProfile(ask, qstat, names),
    load: () => pbsLoad(ask, qstat),
    scriptOf: pbsScript,
    jobNameIn: pbsJobNameIn,
    // Its jobs have no numbers of their own, by which runners and records go.
    takesArray: () => false,
    mostTasks: async () => 1,
    testScript: (text) =>
      (cluster ??= clusterHere(ask, qstat)).then(
        (found) => testedByPbs(text, found),
        (error: Error) => {
          // The server may answer the next one.
          cluster = undefined;
          return { kind: 'unknown', words: error.message };
        },
      ),
    // Sites define them as resources of their own, whose names say nothing.
    licenses: async () => [],
    shellOptions: async () => ({ warning: undefined }),
    submit: (script) => submitPbsScript(ask, environment, script),
    async scripts() {
      const records = await qstat.records(await ownJobs(ask));
      return records.flatMap((record) => {
        const jobId = jobOfPbsId(record.id);
        const script = scriptIn(record);
        if (typeof jobId !== 'number' || script === undefined) return [];
        return [{ jobId, state: pbsStateOf(record.fields.get('job_state')), script }];
      });
    },
    submissionsUnderWay: async (tokens) => processesThatSubmit(tokens, (words) => basename(words[0] ?? '') === 'qsub'),
    cancel: (job) => deleteJob(ask, qstat, job),
    cancelQueued: (jobs) => deleteQueued(ask, qstat, jobs),
    release: (job) => releaseJob(ask, qstat, job),
    waitingReasons: async (jobs) =>
      new Map(
        [...(await qstat.jobs(jobs, SOON_MS))].flatMap(([job, record]) => {
          const words = pbsWaitingWords(record);
          return words === undefined ? [] : [[job, words] as const];
        }),
      ),
    statesOf: (jobs) =>
      jobs.length === 0 ? Promise.resolve(new Map()) : states(jobs).catch(() => new Map<SlurmJob, JobState>()),
    endOf: (job) =>
      recordOf(job).then(
        (record) => {
          if (record === undefined || pbsStateOf(record.fields.get('job_state')) !== 'ended') return undefined;
          const rawId = Number(String(job).split('_')[0]);
          return { word: pbsWordOf(record), ...scriptExitOf(record.fields), rawId, files: outputsOf(record) };
        },
        () => undefined,
      ),

    async queue(jobs) {
      const found = await states(jobs);
      // A server without a history forgets a job when it ends, and one that is not its own looks the same: that proves nothing.
      return new Map(jobs.map((job) => [job, found.get(job) ?? { state: 'unknown' as const, word: 'UNKNOWN' }]));
    },
    async account(jobs) {
      const found = await states(jobs);
      const ended = [...found].filter(([, { state }]) => state === 'ended');
      return { jobs: new Map(ended), steps: new Map(), batchEnds: new Map() };
    },
    // The server keeps its jobs in a database.
    queueAgeSeconds: async () => undefined,

    jobVariable: PBS_JOB_VARIABLE,
    allocationOf: pbsAllocationOf,
    nodesOf: async ({ nodeList = '' }) => (nodeList === '' ? [] : nodeList.split(',')),
    partsOf: (allocation) => pbsPartsOf(allocation, environment),
    licensesOf: async () => ({}),
    async memoryOf({ jobId, nodeId }) {
      const record = await recordOf(jobId);
      return record === undefined ? undefined : sharesIn(record)[nodeId]?.memoryBytes;
    },
    moreOf: ({ jobId, nodeId, gpus }) =>
      recordOf(jobId).then(
        (record) => {
          const shares = record === undefined ? [] : sharesIn(record);
          const own = shares[nodeId];
          if (own === undefined) return {};
          const counted = own.gpus > 0 ? Array.from({ length: own.gpus }, (_, at) => String(at)) : undefined;
          // The scheduler counts GPUs: which they are says a hook of the site, by a variable, or nothing. Jobs of sites that give whole nodes
          // ask for none, and have all.
          return {
            cpus: own.cpus,
            cpusPerNode: shares.map(({ cpus }) => cpus),
            memoryPerNode: shares.map(({ memoryBytes }) => memoryBytes),
            gpusPerNode: shares.map((each) => each.gpus),
            gpus: gpus ?? counted,
          };
        },
        () => ({}),
      ),
    runOf: ({ jobId, restarts }) =>
      recordOf(jobId).then(
        (record) => (record === undefined ? { restarts } : runIn(record)),
        () => ({ restarts }),
      ),
    async secondsLeft({ jobId }) {
      const record = await recordOf(jobId);
      const wall = parsePbsSeconds(record?.fields.get('Resource_List.walltime'));
      if (record === undefined || wall === undefined) return undefined;
      return wall - elapsedSeconds(record, Number(environment[BEGAN_VARIABLE] ?? Number.NaN), Date.now() / 1000);
    },
    async manner() {
      const seconds = await qstat.queues().then(
        (queues) => killDelayOf(queues.find(({ id }) => id === environment['PBS_QUEUE'])),
        () => undefined,
      );
      // A mom signals the session of the job's first process, and jobs of ours have sessions of their own.
      return { killWaitSeconds: seconds, isOneByOne: false, reachesAll: false };
    },
    fateOf: ({ jobId, restarts }, mostMs) =>
      recordOf(jobId, mostMs).then(
        (record) => (record === undefined ? 'unknown' : fateIn(record, restarts, environment)),
        () => 'unknown',
      ),
  };
}

export const pbs: KnownBatch = {
  name: 'pbs',
  isMeant: (environment) => /^\d+[.[]/.test(environment['PBS_JOBID'] ?? '') && !environment['SLURM_JOB_ID'],
  // Slurm has a qsub and a pbsnodes of its own, but no qselect, and needs no such file.
  isHere: (environment) =>
    ['qsub', 'qselect'].every((program) => programOn(environment['PATH'], program) !== undefined) &&
    existsSync(environment['PBS_CONF_FILE'] || '/etc/pbs.conf'),
  open: openPbs,
  request: pbsRequest,
};

function stateOf(jobId: SlurmJob, record: PbsRecord): JobState {
  const { fields } = record;
  const startedAtMs = parsePbsTime(fields.get('stime'));
  return {
    jobId,
    state: pbsStateOf(fields.get('job_state')),
    word: pbsWordOf(record),
    ...(startedAtMs === undefined ? {} : { startedAtMs }),
    seconds: parsePbsSeconds(fields.get('resources_used.walltime')),
    rawId: Number(String(jobId).split('_')[0]),
  };
}

/** The run of a job that runs. The time of its submission does not change when it is requeued, and says nothing. */
function runIn({ fields }: PbsRecord) {
  const restarts = Math.max(0, Number(fields.get('run_count') ?? 1) - 1);
  return { startedAtMs: parsePbsTime(fields.get('stime')), restarts };
}

/**
 * How much of its walltime a job has used. The clock of the first node counts it; that of the server may be minutes behind or ahead of it.
 * What PBS reports may be two minutes old.
 */
function elapsedSeconds({ fields }: PbsRecord, beganSeconds: number, nowSeconds: number): number {
  const reported = parsePbsSeconds(fields.get('resources_used.walltime')) ?? 0;
  const started = (parsePbsTime(fields.get('stime')) ?? nowSeconds * 1000) / 1000;
  return Math.max(reported, nowSeconds - (Number.isFinite(beganSeconds) ? beganSeconds : started));
}

const killDelayOf = (queue: PbsRecord | undefined): number | undefined =>
  queue === undefined ? undefined : (parsePbsSeconds(queue.fields.get('kill_delay')) ?? STANDARD_KILL_DELAY);

/** Of a queue that sets none. Source: pbs_queue_attributes(7B). */
const STANDARD_KILL_DELAY = 10;

const REQUEUED = '60';

/** How a job stands. While PBS ends it, it still says that it runs. */
function fateIn(record: PbsRecord, restarts: number, environment: Environment): Fate {
  const { fields } = record;
  const state = pbsStateOf(fields.get('job_state'));
  if (state === 'unknown') return 'unknown';
  if (fields.get('substate') === REQUEUED || state === 'queued' || runIn(record).restarts > restarts) return 'requeued';
  const word = pbsWordOf(record);
  if (isByScheduler(fields) || word === 'PREEMPTED' || word === 'NODE_FAIL') return 'preempted';
  if (/\bterminated\b/.test(fields.get('comment') ?? '')) return 'over';
  if (word === 'TIMEOUT' || isTimeUp(record, environment)) return 'limit';
  return state === 'running' ? 'alive' : 'over';
}

function isTimeUp(record: PbsRecord, environment: Environment): boolean {
  const wall = parsePbsSeconds(record.fields.get('Resource_List.walltime'));
  const began = Number(environment[BEGAN_VARIABLE] ?? Number.NaN);
  return wall !== undefined && elapsedSeconds(record, began, Date.now() / 1000) >= wall;
}

/** The files of the output of its script, whose names PBS does not know, and of PBS itself. */
function outputsOf({ id, fields }: PbsRecord): string[] {
  const path = fields.get('Output_Path')?.replace(/^[^/]*:/, '');
  return path === undefined ? [] : [path.endsWith('/') ? `${path}${id}.OU` : path];
}
