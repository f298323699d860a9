import { existsSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve as absolute } from 'node:path';
import { makeFolder } from '../../../cluster/make-folder.ts';
import type { Client } from '../../../client/client.ts';
import { stepsOfAllocation } from '../../../cluster/slurm/steps.ts';
import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import { filesOf, type StepId, stepIdOf } from '../../../core/contract/files/job.ts';
import { type Mark, markFolderOf, NO_MARK, parseMark } from '../../../core/attempt/step-mark.ts';
import { nameOfSignal } from '../../../core/attempt/signal.ts';
import { createLauncher } from '../../launch/choose.ts';
import type { ProcessEnd } from '../../launch/launcher.ts';
import type { Log } from '../../facts/log.ts';
import { makeOutput } from '../../launch/output-file.ts';
import { createOutputFolders } from '../../launch/output-folders.ts';
import { withStdioFolder } from '../direct/direct.ts';
import { environmentOfRun } from '../request.ts';
import type { StepEnd, Steps } from '../steps.ts';
import { nodeFailedIn, stepAccountOf } from './step-account.ts';
import { createAccounting } from './accounting.ts';
import { type CommandOptions, createStepCommands } from './command.ts';
import { watchForGhosts } from './ghosts.ts';
import { createLiveUse } from './live-use.ts';
import { mayOutlive, readMark, type SrunEnd, watchOutlived } from './outlived.ts';
import type { RunningStep } from './running-step.ts';
import { createStepSignals, signalGroup } from './signals.ts';
import { fitsBeside } from './srun.ts';
import { watchForStale } from './stale.ts';
import { createStepStarts } from './starts.ts';
import { createStatsReport } from './stats.ts';
import { createStepIds } from './step-ids.ts';
import { appendWords, lastWordsOf, wordsFileOf } from './words.ts';

export interface SlurmStepOptions extends CommandOptions {
  /** Whether samples are wanted while steps run. */
  readonly samples: boolean;
  readonly client: Pick<Client, 'createSlurmStats' | 'listResults' | 'updateResult'>;
  readonly log: Log;
}

/** An ended step that is not accounted for yet. */
interface Ended {
  readonly job: ClaimedJob;
  readonly mark: string;
  /** What the mark said at its end, if it was read then. */
  readonly found?: Mark | undefined;
  readonly refusal?: string | undefined;
  readonly isSignaled: boolean;
}

const NO_END = { exitCode: undefined, signal: undefined };
const NOT_YET = { hasBegun: false, isSignaled: false, isKilled: false };
const NOTHING = { num_cpus: 0, memory_bytes: 0, num_gpus: 0, num_nodes: 1, runtime_seconds: 0 };
const NOT_LAUNCHED = 'it was ended while it waited for its turn';

/** Steps of a Slurm allocation: each is one srun, which the runner starts as a process of its own. */
export function createSlurmSteps(options: SlurmStepOptions): Steps {
  const { facts, environment, allocation, samples, client, log } = options;
  const slurm = stepsOfAllocation(allocation.jobId, environment);
  const accounting = createAccounting({ steps: slurm, areMoreRunning: () => running.size > 0, log });
  const report = createStatsReport({ client, facts, slurmJobId: String(allocation.jobId), log });
  const commandOf = createStepCommands(options);
  const marks = absolute(facts.outputDir, markFolderOf(facts.workflowId, allocation.jobId, process.pid));
  makeFolder(marks);

  const running = new Map<StepId, RunningStep>();
  const ended = new Map<StepId, Ended>();
  const idsByPid = new Map<number, StepId>();
  let sendEnds: (ends: readonly StepEnd[]) => void = () => {};
  const starts = createStepStarts();
  const ids = createStepIds(slurm, (id) => running.has(id), log);

  const stepEndOf = (id: StepId, how: SrunEnd, { refusal, found }: Pick<Ended, 'refusal' | 'found'> = {}): StepEnd => {
    const each = running.get(id);
    if (each !== undefined)
      ended.set(id, { job: each.job, mark: each.mark, found, refusal, isSignaled: each.isSignaled });
    running.delete(id);
    starts.ended(id);
    ghosts.ended(id);
    // The CPU time and the memory of srun are not those of its step.
    return { id, ...how, cpuSeconds: undefined, peakBytes: undefined };
  };
  const refuse = (id: StepId, reason: string) => sendEnds([stepEndOf(id, NO_END, { refusal: reason })]);

  const onEnd = (endings: readonly ProcessEnd[]) => {
    const ends = endings.flatMap(({ pid, exitCode, signal }): StepEnd[] => {
      const id = idsByPid.get(pid);
      const step = id === undefined ? undefined : running.get(id);
      if (id === undefined || step === undefined) return [];
      idsByPid.delete(pid);
      step.pid = undefined;
      const srun = { exitCode, signal };
      const found = readMark(step.mark);
      if (step.isKilled || !mayOutlive(srun, found)) return [stepEndOf(id, srun, { found })];
      void watch(id, step, srun);
      return [];
    });
    if (ends.length > 0) sendEnds(ends);
  };
  const watch = async (id: StepId, step: RunningStep, srun: SrunEnd) => {
    const words = srun.signal === undefined ? await lastWordsOf(step.mark) : '';
    // squeue lists the steps of a node that failed until their allocation ends.
    if (step.isKilled || nodeFailedIn(words)) return sendEnds([stepEndOf(id, srun)]);
    log.write('warn', 'srun has ended, and perhaps not its step, which is watched', {
      step: id,
      ...(srun.signal === undefined ? { exitCode: srun.exitCode } : { signal: nameOfSignal(srun.signal) }),
    });
    outlived.add(id, step.mark, srun);
  };
  const outlived = watchOutlived({
    slurm,
    onOver: (over) => sendEnds(over.map(({ id, srun }) => stepEndOf(id, srun))),
  });
  const launcher = createLauncher({ environment: environmentOfRun(environment, facts), onEnd });
  const keepWords = async (id: StepId, job: ClaimedJob, mark: string) => {
    const { stderr } = filesOf(facts, job);
    if (stderr === undefined) return;
    try {
      await appendWords(mark, stderr);
    } catch (error) {
      const reason = (error as Error).message;
      log.write('warn', 'What Slurm said of a job is lost', { step: id, job_name: job.name, file: stderr, reason });
    }
  };
  const withdraw = (id: StepId) => {
    const isWithdrawn = starts.withdraw(id);
    if (isWithdrawn) refuse(id, NOT_LAUNCHED);
    return isWithdrawn;
  };
  const send = createStepSignals({ slurm, running, ids, withdraw, reachesAll: options.reachesAll, log });
  const signal = (id: StepId, name: NodeJS.Signals) => {
    outlived.signaled(id, name);
    send(id, name);
  };
  const stale = watchForStale({
    running,
    onStale(id, step) {
      log.write('warn', 'The command of a step has ended, and its srun has not: it is ended', { step: id });
      signal(id, 'SIGKILL');
      if (step.pid !== undefined) signalGroup(step.pid, 'SIGKILL');
    },
  });
  const needOf = (id: StepId) => running.get(id)?.job.need ?? NOTHING;
  const ghosts = watchForGhosts({
    slurm,
    isRunning: (id) => running.has(id),
    waiting: starts.waiting,
    fits: (id, beside) => fitsBeside(needOf(id), beside.map(needOf), allocation),
    log,
    // Its srun says that the step was refused, so the job is given back, and starts again.
    onBlocked: (waiting) => waiting.forEach((id) => endWaiting(running.get(id))),
  });
  const use = createLiveUse({ slurm, hasBegun: (id) => running.get(id)?.hasBegun === true, ids, log });

  return {
    name: 'srun',
    listen(onEnded) {
      sendEnds = onEnded;
    },
    start(job, { nodes }) {
      createOutputFolders(job);
      const id = stepIdOf(facts, job);
      const { promise: hasBegun, resolve: begun } = Promise.withResolvers<number>();
      const mark = `${marks}/${id}`;
      const launchedAt = performance.now();
      const step: RunningStep = { job, pid: undefined, mark, begun, launchedAt, ...NOT_YET };
      // With --overlap, steps share GPUs too, and Slurm alone knows which are free.
      const overlaps = ghosts.areThere() && job.need.num_gpus === 0;
      const command = commandOf(job, { nodes, mark, overlaps });
      const launch = (request: Parameters<typeof launcher.launch>[0]) => {
        const { stdout, stderr } = request;
        const launchOnce = () => {
          // Its command opens it on its node; that of standard output is made for srun.
          if (stderr !== undefined && stderr !== stdout) makeOutput(stderr);
          return launcher.launch({ ...request, stderr: wordsFileOf(mark) });
        };
        const pid = withStdioFolder(facts, launchOnce, [marks]);
        idsByPid.set(pid, id);
        return pid;
      };
      if ('refusal' in command) setImmediate(() => refuse(id, command.refusal));
      else
        starts.add(
          id,
          step,
          () => launch(command.request),
          ({ message }) => refuse(id, message),
        );
      running.set(id, step);
      const limit = 'refusal' in command ? {} : { limitSeconds: command.limitSeconds };
      return { id, about: { step: id }, begun: hasBegun, ...limit };
    },
    signal,
    // The shell around each command sees the signals itself.
    allocationSignaled() {},
    passOn() {},
    kill: (id) => signal(id, 'SIGKILL'),
    observe: (wanted) => (samples ? use.of(wanted) : new Map()),
    async account({ id, exitCode, signal: endSignal }) {
      const { job, mark: path, found, refusal, isSignaled } = ended.get(id) ?? {};
      ended.delete(id);
      ids.forget(id);
      use.forget(id);
      const how = { exitCode, signal: endSignal, cpuSeconds: undefined, peakBytes: undefined };
      if (job === undefined || path === undefined) return how;
      if (refusal !== undefined) return { ...how, refused: refusal };
      const mark = found?.code === undefined ? await readFile(path, 'utf8').then(parseMark, () => NO_MARK) : found;
      // After a signal there may be only seconds left to report results.
      const asked = accounting.rowOf(id);
      const row = isSignaled === true ? undefined : await asked;
      const lastWords = await lastWordsOf(path);
      const account = stepAccountOf({ srun: how, mark, row, lastWords });
      if (lastWords !== '') await keepWords(id, job, path);
      for (const each of [path, wordsFileOf(path)]) rmSync(each, { force: true });
      if (account.refused !== undefined) return account;
      const later = accounting.later(id);
      if (row !== undefined) return { ...account, stats: report.of(row) };
      report.follow(job, later);
      return account;
    },
    async finish() {
      await accounting.finish();
      await report.finish();
    },
    close() {
      starts.close();
      stale.close();
      ghosts.close();
      outlived.close();
      accounting.close();
      launcher.close();
      rmSync(marks, { recursive: true, force: true });
    },
  };
}

function endWaiting(step: RunningStep | undefined): void {
  if (step?.pid === undefined || step.job.need.num_gpus > 0 || existsSync(step.mark)) return;
  try {
    process.kill(step.pid, 'SIGTERM');
  } catch {
    // It has ended.
  }
}
