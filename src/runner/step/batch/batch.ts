import { type AllocationSteps, stepsOfAllocation } from '../../../cluster/slurm/steps.ts';
import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import { type StepId, stepIdOf } from '../../../core/contract/files/job.ts';
import type { Lease } from '../../claim/capacity.ts';
import { createOutputFolders } from '../../launch/output-folders.ts';
import type { SlurmStepOptions } from '../slurm/slurm.ts';
import type { StartedStep, StepEnd, Steps, StepUse } from '../steps.ts';
import type { Carrier } from './carrier.ts';
import { type Carriers, type CarriersOptions, createCarriers } from './carriers.ts';
import { createOwnSteps, type OwnSteps } from './own-steps.ts';
import { createPlacedJobs, type EndKnownAhead, NO_END, type LaunchedJob, type PlacedJobs } from './placed.ts';
import type { LauncherReport } from './protocol.ts';
import type { Log } from '../../facts/log.ts';

export interface BatchStepOptions extends SlurmStepOptions, CarriersOptions {}

const SIGKILL = 9;
const NOT_STARTED = 'it was ended before the launcher of its step was ready';

/**
 * Jobs inside long steps: one step a node, in which our launcher starts them. Slurm is asked once for each node instead of
 * once for each job.
 *
 * A job on several nodes is a step of its own: only srun can start it.
 */
export function createBatchSteps(options: BatchStepOptions): Steps {
  let onEnded: (ends: readonly StepEnd[]) => void = () => {};
  const report = (ends: readonly StepEnd[]) => onEnded(ends);
  const jobs = createPlacedJobs();
  const own = createOwnSteps(options, report);
  const carriers = createCarriers(options, {
    onReported(carrier, reported) {
      const ends = endsReported(parts, carrier, reported);
      // A step that began and ended in one message is reported in this order.
      if (ends.length > 0) queueMicrotask(() => report(ends));
    },
    onGone: (carrier, words) => endWith(parts, carrier, words),
  });
  const slurm = stepsOfAllocation(options.allocation.jobId, options.environment);
  const parts: Parts = { options, jobs, own, carriers, slurm, report };

  // The first step starts beside the rest of the setup: until then no job can start.
  const [first] = options.nodes;
  if (first !== undefined) carriers.on(first.name);

  /** An order to end a job; one whose start still waits for its launcher never begins. */
  const orderEnd = (id: StepId, order: Parameters<Carrier['order']>[0]) => {
    const carrier = jobs.get(id)?.carrier;
    if (carrier === undefined) return;
    if (carrier.withdraw(id)) setImmediate(() => report([jobs.end(id, { refused: NOT_STARTED })]));
    else carrier.order(order);
  };

  return {
    name: 'step_batching',
    listen(listener) {
      onEnded = listener;
    },
    start(job, lease, after) {
      const id = stepIdOf(options.facts, job);
      createOutputFolders(job);
      const { promise: begun, resolve } = Promise.withResolvers<number>();
      return { id, ...place(parts, { id, job, lease, begun: resolve, after }), begun };
    },
    mayFollow(id) {
      const carrier = jobs.get(id)?.carrier;
      return carrier?.step !== undefined && !carrier.isGone;
    },
    takeBack(id) {
      jobs.get(id)?.carrier.order({ do: 'take-back', id });
    },
    signal(id, signal) {
      if (own.has(id)) own.signal(id, signal);
      else orderEnd(id, { do: 'signal', id, signal });
    },
    // Launchers are signaled too, and look.
    allocationSignaled() {},
    passOn() {},
    kill(id) {
      if (own.has(id)) own.kill(id);
      else orderEnd(id, { do: 'kill', id });
    },
    async observe(ids) {
      const asked = carriers
        .all()
        .map((carrier) => carrier.look([...ids].filter((id) => jobs.get(id)?.carrier === carrier)));
      const uses = new Map<StepId, StepUse>((await Promise.all(asked)).flat());
      return new Map([...uses, ...(await own.observe(ids))]);
    },
    account: (end) => (own.has(end.id) ? own.account(end) : jobs.account(end)),
    async finish() {
      await Promise.all([own.finish(), ...carriers.all().map((carrier) => carrier.end())]);
    },
    close() {
      own.close();
      for (const carrier of carriers.all()) carrier.close();
    },
  };
}

interface Parts {
  readonly options: BatchStepOptions;
  readonly jobs: PlacedJobs;
  readonly own: OwnSteps;
  readonly carriers: Carriers;
  readonly slurm: Pick<AllocationSteps, 'ids' | 'signal'>;
  readonly report: (ends: readonly StepEnd[]) => void;
}

interface Start extends Pick<LaunchedJob, 'job' | 'lease' | 'begun'> {
  readonly id: StepId;
  /** A step in whose place it starts. */
  readonly after?: StepId | undefined;
}

/** Starts a job in the long step of its node, or as a step of its own. */
function place(parts: Parts, { id, job, lease, begun, after }: Start): Pick<StartedStep, 'about' | 'limitSeconds'> {
  const { jobs, own, carriers } = parts;
  const before = after === undefined ? undefined : jobs.get(after)?.carrier;
  const node = before?.node ?? nodeFor(parts, lease);
  if (before === undefined && needsOwnStep(carriers, job, node)) {
    const started = own.start(id, job, lease);
    void started.begun?.then(begun);
    return { about: started.about, limitSeconds: started.limitSeconds };
  }
  const carrier = before ?? carriers.on(node);
  jobs.add(id, { job, lease, carrier, begun });
  carrier.order({
    do: 'start',
    job,
    gpus: lease.gpus,
    ...(before === undefined || after === undefined ? {} : { after }),
  });
  return { about: { node, ...(carrier.step === undefined ? {} : { step: carrier.step }) } };
}

/** The node of the lease; a runner that counts jobs leases none, and the one with the fewest jobs is taken. */
function nodeFor({ options, jobs }: Parts, { nodes: [leased] }: Lease): string {
  if (leased !== undefined) return leased;
  const names = options.nodes.map(({ name }) => name);
  return names.reduce((best, each) => (jobs.countOn(each) < jobs.countOn(best) ? each : best));
}

const needsOwnStep = (carriers: Carriers, { need }: ClaimedJob, node: string): boolean =>
  need.num_nodes > 1 || carriers.isBroken(node);

/** Notes what a launcher reports; gives the ends among it. */
function endsReported(
  parts: Parts,
  carrier: Carrier,
  { started, ended, refused, takenBack }: Extract<LauncherReport, { is: 'changed' }>,
): StepEnd[] {
  const { jobs } = parts;
  for (const id of started) jobs.get(id)?.begun(0);
  const stats = statsOf(parts, carrier);
  return [
    ...ended.flatMap(({ endedBy, asked, ...end }) =>
      jobs.has(end.id) ? [jobs.end(end.id, { endedBy, asked, stats }, end)] : [],
    ),
    ...refused.flatMap(({ id, reason }) => (jobs.has(id) ? [jobs.end(id, { refused: reason })] : [])),
    ...takenBack.flatMap((id) => (jobs.has(id) ? [jobs.end(id, { isTakenBack: true })] : [])),
  ];
}

/**
 * A long step has ended, and its jobs with it. All that its launcher was sent may have run, also what was sent ahead: Slurm can
 * lose the last lines that a killed launcher wrote.
 */
function endWith(parts: Parts, carrier: Carrier, words: string): void {
  const { options, jobs, slurm, report } = parts;
  const { node, step } = carrier;
  const left = jobs.of(carrier);
  const level = left.length === 0 && step !== undefined ? 'info' : 'warn';
  options.log.write(level, 'The step in which jobs of a node run has ended', {
    node,
    step,
    jobs_ended: left.length,
    reason: words,
  });
  if (step === undefined) {
    for (const [id, placed] of left) placeAgain(parts, { id, ...placed });
    return;
  }
  if (left.length === 0) return;
  const cause = `step ${step} on ${node}, in which it ran, ended before it: ${words}`;
  const lost: EndKnownAhead = { endedBy: 'node', cause, stats: statsOf(parts, carrier) };
  // If srun alone was killed, its step goes on for some seconds, and a job must not run twice at a time.
  void endOfStep(slurm, step, options.log).then(() =>
    report(left.map(([id]) => jobs.end(id, lost, { ...NO_END, signal: SIGKILL }))),
  );
}

/** The launcher that a job waited for never spoke, so it was not started. */
function placeAgain(parts: Parts, { id, job, lease, begun }: Start): void {
  const { jobs, report } = parts;
  jobs.drop(id);
  try {
    place(parts, { id, job, lease, begun });
  } catch (error) {
    report([jobs.end(id, { refused: (error as Error).message })]);
  }
}

const statsOf = ({ options }: Parts, { step = '', node }: Carrier) => ({
  slurm_job_id: String(options.allocation.jobId),
  slurm_step: step,
  node_list: node,
});

const LOOK_MS = 200;
const LOOKS = 150;
/** Without an answer nothing is learned by asking on. */
const MOST_UNANSWERED = 3;

/**
 * Ends a step whose srun is gone, and waits until Slurm lists it no more, for half a minute at most: Slurm's usual
 * KillWait. Never rejects.
 */
async function endOfStep(slurm: Pick<AllocationSteps, 'ids' | 'signal'>, step: string, log: Log): Promise<void> {
  await slurm.signal([step], 'SIGKILL').catch(() => {});
  let unanswered = 0;
  for (let look = 0; look < LOOKS && unanswered < MOST_UNANSWERED; look += 1) {
    try {
      const listed = [...(await slurm.ids()).values()];
      if (!listed.includes(step)) return;
    } catch (error) {
      unanswered += 1;
      log.write('debug', 'The steps of the allocation cannot be listed', { reason: (error as Error).message });
    }
    await new Promise<void>((done) => void setTimeout(done, LOOK_MS));
  }
}
