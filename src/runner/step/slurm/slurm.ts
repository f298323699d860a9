import { mkdirSync, rmSync, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { resolve as absolute } from 'node:path';
import type { Client } from '../../../client/client.ts';
import { type StepFigures, stepsOfAllocation } from '../../../cluster/slurm/steps.ts';
import { slurmProgram } from '../../../cluster/slurm/programs.ts';
import { standardExecution } from '../../../core/contract/execution.ts';
import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import { filesOf, type StepId, stepIdOf } from '../../../core/contract/files/job.ts';
import { createLauncher } from '../../launch/choose.ts';
import type { ProcessEnd } from '../../launch/launcher.ts';
import type { Log } from '../../log.ts';
import { createOutputFolders } from '../../start/output-folders.ts';
import { withStdioFolder } from '../direct.ts';
import { launchRequestOf, type RunFacts } from '../request.ts';
import type { StepEnd, Steps, StepUse } from '../steps.ts';
import { accountOf } from './account.ts';
import { createAccounting } from './accounting.ts';
import { inheritedInputs, parseMark, srunOptions, srunScript, stepMinutes } from './srun.ts';
import { createStatsReport } from './stats.ts';

export interface SlurmStepOptions {
  readonly facts: RunFacts;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly allocation: { readonly jobId: number; readonly nodes: number };
  /** Unix milliseconds. */
  readonly endAtMs: number | undefined;
  /** The requirements that stand for none. */
  readonly defaultRequirementsId: number | undefined;
  /** Whether samples are wanted while steps run. */
  readonly samples: boolean;
  readonly client: Pick<Client, 'createSlurmStats' | 'listResults' | 'updateResult'>;
  readonly log: Log;
}

interface Running {
  readonly job: ClaimedJob;
  /** The process of srun; undefined while the step waits for its turn. */
  pid: number | undefined;
  readonly mark: string;
  /** Resolves the promise that the step has begun. */
  readonly begun: () => void;
  hasBegun: boolean;
  /** The runner ended it: then nobody has to be asked what did. */
  isSignaled: boolean;
  launchedAt: number;
}

/** An ended step that is not accounted for yet. */
interface Ended {
  readonly job: ClaimedJob;
  readonly mark: string;
  readonly refusal?: string | undefined;
  readonly isSignaled: boolean;
}

/**
 * Steps that are launched and have not begun. Each start takes the controller 20 to 50 ms, one after another: more at once only
 * keep its threads busy, and everybody else on the cluster waits.
 */
const MOST_STARTING = 16;
/** How often it is looked whether a step has begun: soon after its launch, and later, while it waits for its turn. */
const BEGIN_POLL_MS = 50;
const LATER_BEGIN_POLL_MS = 500;
const SOON_MS = 2_000;
/** Torc's rhythm for the ids of steps. */
const ID_TRIES = 5;
const ID_POLL_MS = 200;
/** The end of standard error that is read for Slurm's words. */
const LAST_WORDS_BYTES = 4096;

const NO_END = { exitCode: undefined, signal: undefined };
const NOT_LAUNCHED = 'it was ended while it waited for its turn';

const pause = () => new Promise<void>((done) => void setTimeout(done, ID_POLL_MS));

/** Steps of a Slurm allocation: each is one srun, which the runner starts as a process of its own. */
export function createSlurmSteps(options: SlurmStepOptions): Steps {
  const { facts, environment, allocation, endAtMs, defaultRequirementsId, samples, client, log } = options;
  const { execution, outputDir } = facts;
  const srun = slurmProgram('srun', environment);
  const slurm = stepsOfAllocation(allocation.jobId, environment);
  const accounting = createAccounting(slurm, log);
  const report = createStatsReport({ client, facts, slurmJobId: String(allocation.jobId), log });
  const headroom = execution.sigkill_headroom_seconds ?? standardExecution.sigkill_headroom_seconds;
  const inherited = inheritedInputs(environment);
  const hasGpus = Boolean(environment['SLURM_JOB_GPUS'] ?? environment['SLURM_GPUS_ON_NODE']);
  const marks = absolute(outputDir, `job_runner_steps_wf${facts.workflowId}_sl${allocation.jobId}_p${process.pid}`);
  mkdirSync(marks, { recursive: true });

  const running = new Map<StepId, Running>();
  const ended = new Map<StepId, Ended>();
  const idsByPid = new Map<number, StepId>();
  /** Ids of Slurm, such as `12.3`. */
  const slurmIds = new Map<StepId, string>();
  let tell: (ends: readonly StepEnd[]) => void = () => {};
  let beginTimer: NodeJS.Timeout | undefined;
  let starting = 0;
  /** Steps that wait for their turn to be launched. */
  const turns = new Map<StepId, () => void>();

  const hasStarted = () => {
    starting -= 1;
    for (const [id, launch] of turns) {
      if (starting >= MOST_STARTING) return;
      turns.delete(id);
      launch();
    }
  };

  const onEnd = (endings: readonly ProcessEnd[]) => {
    const ends = endings.flatMap(({ pid, exitCode, signal }): StepEnd[] => {
      const id = idsByPid.get(pid);
      if (id === undefined) return [];
      idsByPid.delete(pid);
      if (running.get(id)?.hasBegun === false) hasStarted();
      return [endOf(id, { exitCode, signal })];
    });
    if (ends.length > 0) tell(ends);
  };
  const launcher = createLauncher({ environment, onEnd });

  const endOf = (id: StepId, how: Pick<StepEnd, 'exitCode' | 'signal'>, refusal?: string): StepEnd => {
    const each = running.get(id);
    if (each !== undefined) ended.set(id, { job: each.job, mark: each.mark, refusal, isSignaled: each.isSignaled });
    running.delete(id);
    // The CPU time and the memory of srun are not those of its step.
    return { id, ...how, cpuSeconds: undefined, peakBytes: undefined };
  };

  /** Looks which steps have begun, while there are some that have not. */
  const lookForBegun = () => {
    beginTimer = undefined;
    const nowMs = performance.now();
    let nextMs = Infinity;
    for (const each of running.values()) {
      if (each.hasBegun || each.pid === undefined) continue;
      if (hasText(each.mark)) {
        each.hasBegun = true;
        hasStarted();
        each.begun();
      } else nextMs = Math.min(nextMs, nowMs - each.launchedAt < SOON_MS ? BEGIN_POLL_MS : LATER_BEGIN_POLL_MS);
    }
    if (nextMs < Infinity) beginTimer = setTimeout(lookForBegun, Math.min(nextMs, LATER_BEGIN_POLL_MS));
  };

  /** Learns the ids of these steps, as far as they are known to Slurm within a second. */
  const learnIds = async (ids: readonly StepId[]): Promise<void> => {
    for (let attempt = 1; ids.some((id) => running.has(id) && !slurmIds.has(id)); attempt += 1) {
      try {
        for (const [name, id] of await slurm.ids()) if (running.has(name)) slurmIds.set(name, id);
      } catch (error) {
        log.write('debug', 'The steps of the allocation cannot be listed', { reason: (error as Error).message });
      }
      if (attempt === ID_TRIES) return;
      if (ids.some((id) => running.has(id) && !slurmIds.has(id))) await pause();
    }
  };

  /** Signals of one moment go to Slurm in one call. */
  const toSignal = new Map<NodeJS.Signals, Set<StepId>>();
  const sendSignals = async () => {
    const batches = [...toSignal];
    toSignal.clear();
    for (const [, ids] of batches) for (const id of ids) if (turns.delete(id)) tell([endOf(id, NO_END, NOT_LAUNCHED)]);
    for (const [signal, ids] of batches) {
      await learnIds([...ids]);
      const known = [...ids].flatMap((id) => (running.has(id) ? (slurmIds.get(id) ?? []) : []));
      try {
        await slurm.signal(known, signal);
      } catch (error) {
        log.write('warn', 'Steps could not be signaled', { signal, reason: (error as Error).message });
      }
      // A step that Slurm does not list waits in its srun, which ends it; so does a step that nothing else can kill.
      for (const id of ids) {
        const each = running.get(id);
        if (each?.pid !== undefined && (!slurmIds.has(id) || signal === 'SIGKILL')) killSrun(each, slurmIds.has(id));
      }
    }
  };
  const killSrun = ({ pid }: Running, isListed: boolean) => {
    // srun ends by itself when its step is gone; it is killed only if it does not.
    const kill = () => signalGroup(pid as number, 'SIGKILL');
    if (isListed) setTimeout(() => idsByPid.has(pid as number) && kill(), SRUN_ENDS_MS).unref();
    else signalGroup(pid as number, 'SIGTERM');
  };
  const signal = (id: StepId, name: NodeJS.Signals) => {
    const each = running.get(id);
    if (each === undefined) return;
    each.isSignaled = true;
    if (toSignal.size === 0) setImmediate(() => void sendSignals());
    const ids = toSignal.get(name) ?? new Set();
    toSignal.set(name, ids.add(id));
  };

  const baselines = new Set<StepId>();
  const useOf = (id: StepId, { cpuSeconds, memoryBytes }: StepFigures): StepUse => {
    const isBaseline = !baselines.has(id);
    baselines.add(id);
    return { cpuSeconds, memoryBytes, processes: 1, isBaseline };
  };

  return {
    name: 'srun',
    listen(onEnded) {
      tell = onEnded;
    },
    start(job, { nodes }) {
      createOutputFolders(job);
      const id = stepIdOf(facts, job);
      const mark = `${marks}/${id}`;
      let begun: () => void = () => {};
      const hasBegun = new Promise<void>((resolve) => void (begun = resolve));
      const entry: Running = {
        job,
        pid: undefined,
        mark,
        begun,
        hasBegun: false,
        isSignaled: false,
        launchedAt: performance.now(),
      };
      const { minutes, refusal } = stepMinutes(job, Date.now(), endAtMs, headroom);
      if (refusal !== undefined) {
        running.set(id, entry);
        setImmediate(() => tell([endOf(id, NO_END, refusal)]));
        return { id, about: { step: id }, begun: hasBegun };
      }
      const place = {
        jobId: allocation.jobId,
        id,
        nodes,
        isMultiNode: allocation.nodes > 1,
        hasGpus,
        isLimited: job.resource_requirements_id !== defaultRequirementsId,
        bindsCpus: execution.enable_cpu_bind === true,
        timeMinutes: minutes,
        signal: execution.srun_termination_signal ?? undefined,
      };
      const request = launchRequestOf(facts, job, []);
      const own = new Set(request.variables.map(([name]) => name));
      const script = srunScript(srun, srunOptions(job, place), {
        mark,
        command: request.script,
        without: inherited.filter((name) => !own.has(name)),
      });
      const launch = () => {
        const pid = withStdioFolder(facts, () => launcher.launch({ ...request, script }));
        starting += 1;
        entry.pid = pid;
        entry.launchedAt = performance.now();
        idsByPid.set(pid, id);
        beginTimer ??= setTimeout(lookForBegun, BEGIN_POLL_MS);
      };
      const launchLater = () => {
        try {
          launch();
        } catch (error) {
          tell([endOf(id, NO_END, (error as Error).message)]);
        }
      };
      if (starting < MOST_STARTING) launch();
      else turns.set(id, launchLater);
      running.set(id, entry);
      return { id, about: { step: id }, begun: hasBegun };
    },
    signal,
    kill: (id) => signal(id, 'SIGKILL'),
    async observe(ids) {
      const uses = new Map<StepId, StepUse>();
      if (!samples) return uses;
      await learnIds([...ids].filter((id) => running.get(id)?.hasBegun === true));
      try {
        const figures = await slurm.uses();
        for (const id of ids) {
          const figure = figures.get(slurmIds.get(id) ?? '');
          if (figure !== undefined) uses.set(id, useOf(id, figure));
        }
      } catch (error) {
        // Steps that end meanwhile make it fail, and so does a controller that is busy.
        log.write('debug', 'sstat failed', { reason: (error as Error).message });
      }
      return uses;
    },
    async account({ id, exitCode, signal: endSignal }) {
      const { job, mark: path, refusal, isSignaled } = ended.get(id) ?? {};
      ended.delete(id);
      slurmIds.delete(id);
      baselines.delete(id);
      const how = { exitCode, signal: endSignal, cpuSeconds: undefined, peakBytes: undefined };
      if (job === undefined || path === undefined) return how;
      if (refusal !== undefined) return { ...how, refused: refusal };
      const mark = parseMark(await readFile(path, 'utf8').catch(() => ''));
      // After a signal there may be only seconds left to report results.
      const asked = accounting.rowOf(id);
      const row = isSignaled === true ? undefined : await asked;
      const account = accountOf({ srun: how, mark, row, lastWords: await lastWordsOf(filesOf(facts, job).stderr) });
      rmSync(path, { force: true });
      if (account.refused === undefined) report.follow(job, accounting.later(id));
      return account;
    },
    async settle() {
      await accounting.settle();
      await report.settle();
    },
    close() {
      clearTimeout(beginTimer);
      accounting.close();
      launcher.close();
      rmSync(marks, { recursive: true, force: true });
    },
  };
}

/** An ended step is gone from its srun after this long, also if its node does not answer at once. */
const SRUN_ENDS_MS = 5_000;

function hasText(path: string): boolean {
  try {
    return statSync(path).size > 0;
  } catch {
    return false;
  }
}

async function lastWordsOf(path: string | undefined): Promise<string> {
  if (path === undefined) return '';
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const buffer = Buffer.alloc(Math.min(size, LAST_WORDS_BYTES));
      await file.read(buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8');
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It ended meanwhile.
  }
}
