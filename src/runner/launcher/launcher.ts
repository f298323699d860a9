import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { jobIdOf } from '../../cluster/batch/allocation.ts';
import { allocationOf } from '../../cluster/slurm/allocation.ts';
import { filesOf, type StepId, stepIdOf } from '../../core/contract/files/job.ts';
import { startGuardian } from '../launch/guardian.ts';
import { LaunchError } from '../launch/launcher.ts';
import type { Log } from '../facts/log.ts';
import { guardAllocationMemory } from '../observe/allocation-memory.ts';
import { memoryLimitOf } from '../observe/memory-limit.ts';
import { SPARSE_AGES_MS } from '../observe/sample-times.ts';
import { createWatch } from '../observe/watch.ts';
import { markVariables } from '../facts/marks.ts';
import { preferSmallHeap } from '../../cluster/host/small-heap.ts';
import { sayWhy } from '../jobs/unstartable.ts';
import { endLeftoverProcesses, killLeft } from '../recover/leftover-processes.ts';
import { createDirectSteps } from '../step/direct/direct.ts';
import type { SonarRecord } from '../step/sonar.ts';
import type { Account, StepEnd } from '../step/steps.ts';
import { bindableCpus, cpuNumbers, createCpuPool } from '../step/direct/cpu-pool.ts';
import { environmentOfJobs } from './environment.ts';
import { createStepSampler, type StepSampler } from './step-sampler.ts';
import { createNews } from './news.ts';
import { createSuccessors } from './successors.ts';
import { createLines, lineOf, type Order, type Report, type ReportedEnd } from '../step/batch/protocol.ts';

/** Slurm enforces memory every second at the soonest. */
const LIMIT_SECONDS = 1;
/** The exit code of a shell that cannot execute a command. */
const CANNOT_EXECUTE = 126;

type StartOrder = Extract<Order, { do: 'start' }>;

export interface LauncherOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: NodeJS.ReadableStream;
  readonly output: { write(text: string): unknown };
}

/**
 * Starts jobs inside a step of Slurm, as its runner orders: direct steps, behind the standard input and output of the step.
 *
 * Resolves when the runner says that it is over. If the input ends before that, the runner is gone, and all processes of jobs are killed.
 * Signals to the step do not end it: Slurm sends them to every process of the step, and the runner decides what they mean.
 */
export async function runLauncher({ environment, input, output }: LauncherOptions): Promise<void> {
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => {});
  for (const signal of ['SIGTERM', 'SIGCONT'] as const) process.on(signal, () => work?.signaled(signal));
  const report = (message: Report) => void output.write(lineOf(message));
  const over = Promise.withResolvers<'end' | 'alone'>();
  let work: ReturnType<typeof createWork> | undefined;
  const take = createLines((line) => {
    const order = JSON.parse(line) as Order;
    if (order.do === 'end') over.resolve('end');
    else if (order.do === 'begin') {
      work = createWork(order, environment, report);
      // When all is loaded: V8 would refuse code that was compiled with other flags, and compile it again.
      preferSmallHeap();
    } else work?.obey(order);
  });
  input.setEncoding('utf8');
  input.on('data', (text: string) => {
    take(text);
    work?.flush();
  });
  input.once('end', () => over.resolve('alone'));
  input.once('error', () => over.resolve('alone'));
  const why = await over.promise;
  await work?.end(why);
}

function createWork(
  { facts: given, sonar: wantsSonar, beside }: Extract<Order, { do: 'begin' }>,
  environment: LauncherOptions['environment'],
  report: (message: Report) => void,
) {
  const log: Log = { write: (level, words, fields = {}) => report({ is: 'log', level, words, fields }), close() {} };
  // A mark of its own, inside that of the runner: on its node it finds its own processes, and the runner finds all.
  const mark = randomUUID();
  const marks = markVariables(mark, Object.fromEntries(given.variables));
  const others = given.variables.filter(([name]) => !marks.some(([each]) => each === name));
  const facts = { ...given, variables: [...others, ...marks] };
  const allocation = allocationOf(environment);
  const allocationId = jobIdOf(allocation);
  const limitOf = (job: Parameters<typeof memoryLimitOf>[0]) => memoryLimitOf(job, beside.defaultRequirementsId);
  const cpus = bindableCpus(allowedCpus(), allocation?.cpus || undefined);
  const isLimited = ({ resource_requirements_id: id }: { resource_requirements_id?: number | null | undefined }) =>
    id !== beside.defaultRequirementsId;

  const needs = new Map<StepId, number>();
  const startedAtMs = new Map<StepId, number>();
  const killedForMemory = new Set<StepId>();
  const successors = createSuccessors<StartOrder & { readonly id: StepId }>();
  /** The allocation may be ending, which the runner decides: until it has, no job starts by itself. */
  let isSignaled = false;
  const news = createNews(report);

  /** Only a look that the runner asks for is recorded: the limits are looked at more often. */
  let isRecorded = false;
  const recording = wantsSonar ? import('../step/sonar.ts') : undefined;
  let record: SonarRecord | undefined;
  void recording?.then(({ createSonarRecord }) => {
    try {
      record = createSonarRecord({ facts, environment, allocation, log });
    } catch (error) {
      log.write('warn', 'No Sonar records of this node', { reason: (error as Error).message });
    }
  });

  const steps = createDirectSteps({
    facts,
    environment: environmentOfJobs(environment),
    allocation,
    log,
    cpus: cpus && createCpuPool(cpus, isLimited),
    sonar: wantsSonar
      ? {
          look: (processes, slurmSteps) => void (isRecorded && record?.look(processes, slurmSteps)),
          ended: (id, end) => record?.ended(id, end),
          settle: async () => record?.settle(),
          close: () => record?.close(),
        }
      : undefined,
  });
  const watch = createWatch({
    intervalSeconds: LIMIT_SECONDS,
    observe: steps.observe,
    limitOf,
    agesMs: SPARSE_AGES_MS,
  });
  steps.listen((ends: readonly StepEnd[]) => {
    const timed = ends.map((end) => ({ ...end, seconds: secondsOf(end.id) }));
    // A signal to all processes of the step is heard in the turn of the ends that it caused, or before.
    setImmediate(() => {
      const reported = timed.map(endOf);
      for (const end of reported) news.ended(end);
      const next = reported.flatMap(nextAfter);
      news.report(next.map(({ id }) => id));
      for (const each of next) start(each);
      news.reportSoon();
    });
  });
  /**
   * The step that gets the place of one that has ended. Only a success makes room without asking: an end by a signal may be the
   * first sign that the allocation ends, and then no job may start.
   */
  const nextAfter = ({ id, exitCode, asked }: ReportedEnd) => {
    if (exitCode === 0 && asked === undefined) return successors.next(id) ?? [];
    news.takenBack(successors.dropBehind(id));
    return [];
  };
  const secondsOf = (id: StepId): number => {
    const nowMs = performance.now();
    const seconds = (nowMs - (startedAtMs.get(id) ?? nowMs)) / 1000;
    startedAtMs.delete(id);
    return seconds;
  };
  const endOf = (end: StepEnd): ReportedEnd => {
    const seen = watch.end(end.id)?.peakMemoryBytes ?? 0;
    needs.delete(end.id);
    const peakBytes = Math.max(end.peakBytes ?? 0, seen) || undefined;
    const { asked, endedBy } = steps.account(end) as Account;
    return {
      ...end,
      peakBytes,
      ...(asked === undefined ? {} : { asked }),
      ...(killedForMemory.delete(end.id) || endedBy === 'memory' ? { endedBy: 'memory' } : {}),
    };
  };
  const killForMemory = (id: StepId) => {
    killedForMemory.add(id);
    steps.kill(id);
  };
  watch.onViolation(({ id, job, memoryBytes, limitBytes }) => {
    log.write('warn', 'OOM violation detected:', {
      job_id: job.id,
      memory_bytes: memoryBytes,
      limit_bytes: limitBytes,
    });
    killForMemory(id);
  });
  const limitBytes = allocation?.memoryBytes;
  const guard =
    limitBytes === undefined
      ? undefined
      : guardAllocationMemory({
          limitBytes,
          needs: () => needs,
          observe: steps.observe,
          kill: killForMemory,
          ownBytes: () => process.memoryUsage.rss() + beside.bytes,
          log,
        });
  const guardian = startGuardian({ mark, allocationId });
  report({
    is: 'ready',
    step: `${allocationId}.${allocation?.step || '?'}`,
    launcher: steps.name,
    ...(cpus === undefined ? {} : { cpus: cpus.join(',') }),
  });

  let sampler: StepSampler | undefined;
  /** Of steps that Slurm started: they have the mark of the runner. */
  const samplerOf = (writesTo: SonarRecord) =>
    (sampler ??= createStepSampler({ facts: given, allocationId, record: writesTo, log }));

  const startOrWait = (order: StartOrder) => {
    const id = stepIdOf(facts, order.job);
    const { after } = order;
    if (after === undefined) return start({ ...order, id });
    // It was sent before the runner knew of the signal.
    if (isSignaled) return news.takenBack([id]);
    if (startedAtMs.has(after) || successors.has(after)) return successors.add(after, { ...order, id });
    news.report([id]);
    start({ ...order, id });
  };
  const takeBack = (id: StepId): boolean => {
    const ids = successors.drop(id);
    news.takenBack(ids);
    return ids.length > 0;
  };

  const start = ({ id, job, gpus }: StartOrder & { readonly id: StepId }) => {
    startedAtMs.set(id, performance.now());
    try {
      steps.start(job, { need: job.need, nodes: [], gpus });
      news.started(id);
      needs.set(id, job.need.memory_bytes);
      watch.begin(id, job);
    } catch (error) {
      startedAtMs.delete(id);
      if (!(error instanceof LaunchError)) throw error;
      news.takenBack(successors.dropBehind(id));
      if (error.code !== 'E2BIG') {
        news.refused({ id, reason: error.message });
        return;
      }
      // Nobody can start it, here or elsewhere.
      sayWhy(filesOf(facts, job).stderr, error.message);
      news.ended({ id, exitCode: CANNOT_EXECUTE, signal: undefined, cpuSeconds: undefined, peakBytes: undefined });
    }
  };

  const look = async ({ question, ids }: Extract<Order, { do: 'look' }>) => {
    isRecorded = true;
    const measuredAtMs = performance.now();
    const uses = await steps.observe(new Set(ids));
    isRecorded = false;
    report({ is: 'uses', question, uses: [...uses].map(([id, use]) => [id, { ...use, measuredAtMs }]) });
  };

  return {
    flush: () => news.report(),
    signaled(signal: 'SIGCONT' | 'SIGTERM') {
      steps.allocationSignaled(signal);
      isSignaled = true;
      news.takenBack(successors.clear());
      news.report();
    },
    obey(order: Exclude<Order, { do: 'begin' | 'end' }>) {
      if (order.do === 'start') startOrWait(order);
      else if (order.do === 'take-back') takeBack(order.id);
      else if (order.do === 'signal') {
        if (!takeBack(order.id)) steps.signal(order.id, order.signal);
      } else if (order.do === 'kill') {
        if (!takeBack(order.id)) steps.kill(order.id);
      } else if (order.do === 'look') void look(order);
      else if (record === undefined) return;
      else if (order.do === 'sample') samplerOf(record).sample(order.ids);
      else {
        const { id, cpuSeconds, peakBytes } = order;
        samplerOf(record).ended(id, { cpuSeconds, peakBytes });
      }
    },
    async end(why: 'end' | 'alone') {
      successors.clear();
      watch.close();
      guard?.close();
      if (why === 'alone') await killLeft({ mark, allocationId });
      else await endLeftoverProcesses({ mark, allocationId }, log);
      sampler?.close();
      await recording;
      await steps.settle();
      guardian?.dismiss();
      steps.close();
    },
  };
}

/** The CPUs on which this process may run. */
function allowedCpus(): number[] {
  try {
    return cpuNumbers(/^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '');
  } catch {
    return [];
  }
}
