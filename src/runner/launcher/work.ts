import { randomUUID } from 'node:crypto';
import { AFTER_ALL_MS } from '../../core/attempt/asked-to-end.ts';
import { jobIdOf } from '../../cluster/batch/allocation.ts';
import { openBatch } from '../../cluster/open-batch.ts';
import type { Log } from '../facts/log.ts';
import { markVariables } from '../facts/marks.ts';
import { startGuardian } from '../launch/guardian.ts';
import { endLeftoverProcesses, killLeft } from '../recover/leftover-processes.ts';
import type { LauncherOrder, LauncherReport, ReportedEnd } from '../step/batch/protocol.ts';
import { allowedCpus, bindableCpus, createCpuPool } from '../step/direct/cpu-pool.ts';
import { createDirectSteps } from '../step/direct/direct.ts';
import type { RunFacts } from '../facts/run-facts.ts';
import type { StepAccount, StepEnd, Steps } from '../step/steps.ts';
import { createMemoryLimits, type MemoryLimits } from './memory-limits.ts';
import { createNews } from './news.ts';
import { createSonarRecords } from './sonar-records.ts';
import { createLauncherStarts } from './starts.ts';
import { inheritedInputs } from '../step/slurm/srun.ts';

/** The jobs of a launcher, from the first order of its runner to the last. */
export interface LauncherWork {
  obey(order: Exclude<LauncherOrder, { do: 'begin' | 'end' }>): void;
  /** Reports what has not been reported yet. */
  flush(): void;
  /** Slurm has signaled this process. */
  signaled(signal: NodeJS.Signals): void;
  /** `alone`: the runner is gone, and every process of a job is killed. */
  end(why: 'end' | 'alone'): Promise<void>;
}

export function createLauncherWork(
  { facts: runnerFacts, sonar: wantsSonar, beside }: Extract<LauncherOrder, { do: 'begin' }>,
  environment: Readonly<Record<string, string | undefined>>,
  report: (message: LauncherReport) => void,
): LauncherWork {
  const log: Log = { write: (level, words, fields = {}) => report({ is: 'log', level, words, fields }), close() {} };
  // A mark of its own, inside that of the runner: on its node it finds its own processes, and the runner finds all.
  const mark = randomUUID();
  const facts = markedFacts(runnerFacts, mark);
  const { jobVariable, allocationOf } = openBatch(environment);
  const { share } = beside;
  const found = allocationOf(environment);
  const allocation = found && { ...found, ...(share && { cpus: share.cpus, memoryBytes: share.memoryBytes }) };
  const allocationId = jobIdOf(allocation);
  const cpus = bindableCpus(allowedCpus(), allocation?.cpus || undefined);
  const isLimited = ({ resource_requirements_id: id }: { resource_requirements_id?: number | null | undefined }) =>
    id !== beside.defaultRequirementsId;

  const sonar = wantsSonar ? createSonarRecords({ facts, runnerFacts, environment, allocation, log }) : undefined;
  const steps = createDirectSteps({
    facts,
    environment: share === undefined ? environmentOfJobs(environment) : environment,
    inside: { allocation, jobVariable, reachesAll: beside.reachesAll },
    log,
    cpus: cpus && createCpuPool(cpus, isLimited),
    sonar: sonar?.ofSteps,
  });
  const news = createNews(report);
  const limits = createMemoryLimits({ steps, limitBytes: allocation?.memoryBytes, beside, log });
  const starts = createLauncherStarts({ facts, steps, limits, news });
  steps.listen((ends: readonly StepEnd[]) => {
    const timed = ends.map((end) => ({ ...end, seconds: starts.secondsOf(end.id) }));
    const follow = () => starts.follow(timed.map((end) => endOf(end, steps, limits)));
    // A signal to all processes of the step is heard after the ends that it caused where Slurm begins with the youngest (26.05.3).
    if (beside.reachesAll) setTimeout(follow, AFTER_ALL_MS);
    else setImmediate(follow);
  });
  const own = { mark, allocationId, jobVariable };
  const guardian = startGuardian(own);
  report({
    is: 'ready',
    // PBS has no steps.
    step: share === undefined ? `${allocationId}.${allocation?.step || '?'}` : '',
    launcher: steps.name,
    ...(cpus === undefined ? {} : { cpus: cpus.join(',') }),
  });

  const look = async ({ question, ids }: Extract<LauncherOrder, { do: 'look' }>) => {
    const measuredAtMs = performance.now();
    const observe = () => steps.observe(new Set(ids));
    const uses = await (sonar === undefined ? observe() : sonar.recorded(observe));
    report({ is: 'uses', question, uses: [...uses].map(([id, use]) => [id, { ...use, measuredAtMs }]) });
  };

  return {
    flush: () => news.report(),
    signaled(signal) {
      steps.allocationSignaled(signal);
      if (signal === 'SIGCONT' || signal === 'SIGTERM') starts.allocationSignaled();
      if (signal !== 'SIGCONT' && !beside.reachesAll) steps.passOn(signal);
    },
    obey(order) {
      if (order.do === 'start') starts.order(order);
      else if (order.do === 'take-back') starts.takeBack(order.id);
      else if (order.do === 'signal') {
        if (!starts.takeBack(order.id)) steps.signal(order.id, order.signal);
      } else if (order.do === 'kill') {
        if (!starts.takeBack(order.id)) steps.kill(order.id);
      } else if (order.do === 'look') void look(order);
      else if (order.do === 'sample') sonar?.sample(order.ids);
      else {
        const { id, cpuSeconds, peakBytes } = order;
        sonar?.sampled(id, { cpuSeconds, peakBytes });
      }
    },
    async end(why) {
      starts.close();
      limits.close();
      if (why === 'alone') await killLeft(own);
      else await endLeftoverProcesses(own, log);
      await sonar?.close();
      await steps.finish();
      guardian?.dismiss();
      steps.close();
    },
  };
}

function markedFacts(given: RunFacts, mark: string): RunFacts {
  const marks = markVariables(mark, Object.fromEntries(given.variables));
  const others = given.variables.filter(([name]) => !marks.some(([each]) => each === name));
  return { ...given, variables: [...others, ...marks] };
}

/** The end of a step with what only this process knows of it. */
function endOf(end: StepEnd, steps: Steps, limits: MemoryLimits): ReportedEnd {
  const { peakBytes: seen, isKilled } = limits.end(end.id);
  const { asked, endedBy } = steps.account(end) as StepAccount;
  return {
    ...end,
    peakBytes: Math.max(end.peakBytes ?? 0, seen) || undefined,
    ...(asked === undefined ? {} : { asked }),
    ...(isKilled || endedBy === 'memory' ? { endedBy: 'memory' } : {}),
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What describes the step in which the launcher runs, and not the job: a program would take itself for a task of it. */
const OF_THE_STEP =
  /^SLURM_(PROCID|LOCALID|GTIDS|SRUN_COMM_|LAUNCH_NODE_|TASK_PID|TASKS_PER_NODE|PRIO_PROCESS|UMASK|JOB_NAME|NPROCS)/;
const DEVICES = /^(CUDA|HIP|ROCR)_VISIBLE_DEVICES$/;

/**
 * The environment of jobs that are started inside a step: without the variables of the step. A job that asked for no GPU
 * sees none, as a step without GPUs.
 */
export function environmentOfJobs(environment: Environment): Environment {
  const inherited = new Set(inheritedInputs(environment));
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => {
      if (DEVICES.test(name)) return [[name, '']];
      return inherited.has(name) || OF_THE_STEP.test(name) ? [] : [[name, value]];
    }),
  );
}
