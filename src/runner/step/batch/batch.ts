import { type AllocationSteps, stepsOfAllocation } from '../../../cluster/slurm/steps.ts';
import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import { type StepId, stepIdOf } from '../../../core/contract/files/job.ts';
import type { Lease } from '../../claim/capacity.ts';
import type { Log } from '../../facts/log.ts';
import { createOutputFolders } from '../../launch/output-folders.ts';
import { createSlurmSteps, type SlurmStepOptions } from '../slurm/slurm.ts';
import type { Account, StartedStep, StepEnd, Steps, StepUse } from '../steps.ts';
import { type Carrier, type Gone, startCarrier } from './carrier.ts';
import type { Report } from './protocol.ts';

export interface BatchStepOptions extends SlurmStepOptions {
  /** The nodes of the allocation, with their CPUs where these are known. */
  readonly nodes: readonly { readonly name: string; readonly cpus: number | undefined }[];
  /** The program that runs in a step and starts jobs there. */
  readonly program: readonly string[];
  readonly sonar: boolean;
}

interface Running {
  readonly job: ClaimedJob;
  readonly lease: Lease;
  readonly carrier: Carrier;
  readonly begun: (agoMs: number) => void;
  /** It was sent ahead, and its launcher has not said that it starts. */
  isAhead: boolean;
}

/** What is known of an end before it is asked for. */
type Known = Pick<Account, 'endedBy' | 'asked' | 'cause' | 'carriedBy' | 'refused' | 'isTakenBack'>;

const NO_END = { exitCode: undefined, signal: undefined, cpuSeconds: undefined, peakBytes: undefined };
const SIGKILL = 9;
/** Steps of a node in a row that ended before their launcher spoke. Then jobs there are steps of their own. */
const MOST_FAILURES = 3;

/**
 * Jobs inside long steps: one step a node, in which our launcher starts them. Slurm is asked once for each node instead of
 * once for each job.
 *
 * A job on several nodes is a step of its own: only srun can start it.
 */
export function createBatchSteps(options: BatchStepOptions): Steps {
  const { facts, environment, allocation, nodes, log } = options;
  const running = new Map<StepId, Running>();
  const known = new Map<StepId, Known>();
  const carriers = new Map<string, Carrier>();
  const failures = new Map<string, number>();
  const slurm = stepsOfAllocation(allocation.jobId, environment);
  let report: (ends: readonly StepEnd[]) => void = () => {};

  let own: Steps | undefined;
  const ownIds = new Set<StepId>();
  /** Steps of their own, for jobs that need them. */
  const ownSteps = (): Steps => {
    if (own !== undefined) return own;
    own = createSlurmSteps(options);
    own.listen((ends) => report(ends));
    return own;
  };

  const endAs = (id: StepId, what: Known, end: Omit<StepEnd, 'id'> = NO_END): StepEnd => {
    running.delete(id);
    known.set(id, what);
    return { id, ...end };
  };

  const onReported = (carrier: Carrier, reported: Extract<Report, { is: 'changed' }>) => {
    const { started, ended, refused, starting, takenBack } = reported;
    for (const id of starting) {
      const each = running.get(id);
      if (each !== undefined) each.isAhead = false;
    }
    for (const id of started) {
      running.get(id)?.begun(0);
    }
    const ends = [
      ...ended.flatMap(({ endedBy, asked, ...end }) =>
        running.has(end.id) ? [endAs(end.id, { endedBy, asked, carriedBy: carriedBy(carrier) }, end)] : [],
      ),
      ...refused.flatMap(({ id, reason }) => (running.has(id) ? [endAs(id, { refused: reason })] : [])),
      ...takenBack.flatMap((id) => (running.has(id) ? [endAs(id, { isTakenBack: true })] : [])),
    ];
    // A step that began and ended in one message is told in this order.
    if (ends.length > 0) queueMicrotask(() => report(ends));
  };

  const carriedBy = ({ step = '', node }: Carrier) => ({ allocationId: String(allocation.jobId), step, node });

  /**
   * Its jobs end with it. What its launcher was sent may have run, though nobody said so; only where all its reports arrived, a step
   * that was sent ahead did not start unless they say so.
   */
  const onGone = (carrier: Carrier, { words, isAllHeard }: Gone) => {
    const { node, step } = carrier;
    const isBegun = step !== undefined;
    failures.set(node, isBegun ? 0 : (failures.get(node) ?? 0) + 1);
    const left = [...running].filter(([, each]) => each.carrier === carrier);
    log.write(left.length === 0 && isBegun ? 'info' : 'warn', 'The step in which jobs of a node run has ended', {
      node,
      step,
      jobs_ended: left.length,
      reason: words,
    });
    if (!isBegun) {
      for (const [id, { job, lease, begun }] of left) placeAgain(id, job, lease, begun);
      return;
    }
    const cause = `step ${step} on ${node}, in which it ran, ended before it: ${words}`;
    const lost: Known = { endedBy: 'node', cause, carriedBy: carriedBy(carrier) };
    if (left.length === 0) return;
    // If srun alone was killed, its step goes on for some seconds, and a job must not run twice at a time.
    void endOfStep(slurm, step, log).then(() =>
      report(
        left.map(([id, { isAhead }]) =>
          isAhead && isAllHeard ? endAs(id, { isTakenBack: true }) : endAs(id, lost, { ...NO_END, signal: SIGKILL }),
        ),
      ),
    );
  };

  const startOn = (node: string): Carrier => {
    const carrier: Carrier = startCarrier({
      node,
      name: `wf${facts.workflowId}_r${facts.runId}_jobs_${node}`,
      allocation,
      cpus: nodes.find(({ name }) => name === node)?.cpus,
      program: options.program,
      environment,
      log,
      begin: {
        do: 'begin',
        facts,
        sonar: options.sonar,
        beside: {
          defaultRequirementsId: options.defaultRequirementsId,
          bytes: node === environment['SLURMD_NODENAME'] ? process.memoryUsage.rss() : 0,
        },
      },
      onReported: (reported) => onReported(carrier, reported),
      onGone: (gone) => onGone(carrier, gone),
    });
    carriers.set(node, carrier);
    return carrier;
  };

  const carrierFor = (node: string): Carrier => {
    const present = carriers.get(node);
    return present === undefined || present.isGone ? startOn(node) : present;
  };

  /** The node of the lease; a runner that counts jobs leases none, and the one with the fewest jobs is taken. */
  const nodeFor = (leased: readonly string[]): string => {
    const [first] = leased;
    if (first !== undefined) return first;
    const load = (name: string) => [...running.values()].filter(({ carrier }) => carrier.node === name).length;
    return nodes.map(({ name }) => name).reduce((best, each) => (load(each) < load(best) ? each : best));
  };

  /** In the long step of the node, or as a step of its own; `after` is a step in whose place it starts. */
  const place = (
    id: StepId,
    job: ClaimedJob,
    lease: Lease,
    begun: Running['begun'],
    after?: StepId,
  ): Pick<StartedStep, 'about' | 'limitSeconds'> => {
    const before = after === undefined ? undefined : running.get(after)?.carrier;
    const node = before?.node ?? nodeFor(lease.nodes);
    if (before === undefined && isOwn(job, node)) {
      const started = ownSteps().start(job, lease);
      ownIds.add(id);
      void started.begun?.then(begun);
      return { about: started.about, limitSeconds: started.limitSeconds };
    }
    const carrier = before ?? carrierFor(node);
    running.set(id, { job, lease, carrier, begun, isAhead: before !== undefined });
    carrier.order({
      do: 'start',
      job,
      gpus: lease.gpus,
      ...(before === undefined || after === undefined ? {} : { after }),
    });
    return { about: { node, ...(carrier.step === undefined ? {} : { step: carrier.step }) } };
  };

  /** The launcher that it waited for never spoke, so it was not started. */
  const placeAgain = (id: StepId, job: ClaimedJob, lease: Lease, begun: Running['begun']) => {
    running.delete(id);
    try {
      place(id, job, lease, begun);
    } catch (error) {
      report([endAs(id, { refused: (error as Error).message })]);
    }
  };

  const isOwn = ({ need }: ClaimedJob, node: string) =>
    need.num_nodes > 1 || (failures.get(node) ?? 0) >= MOST_FAILURES;

  // The first step starts beside the rest of the setup: until then no job can start.
  const [first] = nodes;
  if (first !== undefined) startOn(first.name);

  return {
    name: 'step_batching',
    listen(onEnded) {
      report = onEnded;
    },
    start(job, lease, after) {
      const id = stepIdOf(facts, job);
      createOutputFolders(job);
      const { promise: begun, resolve } = Promise.withResolvers<number>();
      return { id, ...place(id, job, lease, resolve, after), begun };
    },
    mayFollow(id) {
      const carrier = running.get(id)?.carrier;
      return carrier?.step !== undefined && !carrier.isGone;
    },
    takeBack(id) {
      running.get(id)?.carrier.order({ do: 'take-back', id });
    },
    signal(id, signal) {
      if (ownIds.has(id)) return own?.signal(id, signal);
      const each = running.get(id);
      if (each === undefined) return;
      if (each.carrier.withdraw(id)) setImmediate(() => report([endAs(id, { refused: NOT_STARTED })]));
      else each.carrier.order({ do: 'signal', id, signal });
    },
    // Launchers are signaled too, and look.
    allocationSignaled() {},
    kill(id) {
      if (ownIds.has(id)) return own?.kill(id);
      const each = running.get(id);
      if (each === undefined) return;
      if (each.carrier.withdraw(id)) setImmediate(() => report([endAs(id, { refused: NOT_STARTED })]));
      else each.carrier.order({ do: 'kill', id });
    },
    async observe(ids) {
      const asked = [...carriers.values()].map((carrier) =>
        carrier.look([...ids].filter((id) => running.get(id)?.carrier === carrier)),
      );
      const uses = new Map<StepId, StepUse>((await Promise.all(asked)).flat());
      const rest = [...ids].filter((id) => ownIds.has(id));
      if (own === undefined || rest.length === 0) return uses;
      return new Map([...uses, ...(await own.observe(new Set(rest)))]);
    },
    account(end) {
      if (ownIds.delete(end.id)) return own?.account(end) ?? end;
      const what = known.get(end.id) ?? {};
      known.delete(end.id);
      return { ...end, ...what };
    },
    async settle() {
      await Promise.all([own?.settle(), ...[...carriers.values()].map((carrier) => carrier.end())]);
    },
    close() {
      own?.close();
      for (const carrier of carriers.values()) carrier.close();
    },
  };
}

const LOOK_MS = 200;
const LOOKS = 150;
/** Without an answer nothing is learned by asking on. */
const MOST_UNANSWERED = 3;

/** Ends a step whose srun is gone, and waits until Slurm lists it no more, for half a minute at most, as BatchQueue's usual KillWait. Never rejects. */
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

const NOT_STARTED = 'it was ended before the launcher of its step was ready';
