import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import { type StepId, stepIdOf } from '../../../core/contract/files/job.ts';
import type { Lease } from '../../claim/capacity.ts';
import type { Log } from '../../facts/log.ts';
import type { RunFacts } from '../../facts/run-facts.ts';
import { LaunchError } from '../../launch/launcher.ts';
import { createOutputFolders } from '../../launch/output-folders.ts';
import type { StartedStep, StepEnd, Steps, StepUse } from '../steps.ts';
import type { Carrier } from './carrier.ts';
import { type CarrierPlace, type Carriers, createCarriers } from './carriers.ts';
import { createOwnSteps, type OwnSteps } from './own-steps.ts';
import { createPlacedJobs, type EndKnownAhead, NO_END, type LaunchedJob, type PlacedJobs } from './placed.ts';
import type { LauncherReport } from './protocol.ts';

/** What differs between the batch systems on whose nodes launchers start jobs. */
export interface CarriedOptions {
  readonly name: string;
  readonly facts: RunFacts;
  readonly log: Log;
  readonly nodes: readonly { readonly name: string }[];
  readonly placeOn: (node: string) => CarrierPlace;
  /** Runs what no launcher starts. */
  readonly openOwn: () => Steps;
  /** The node that needs no launcher: that of this process. */
  readonly ownNode?: string | undefined;
  /**
   * Whether a job needs none elsewhere. Absent: a job whose launcher does not start is given back, and the runner stops where no node is
   * left.
   */
  readonly isOwn?: ((job: ClaimedJob, isBroken: boolean) => boolean) | undefined;
  /** No launcher starts on a node: no job is to be placed there. */
  readonly onBroken?: ((node: string) => void) | undefined;
  /** The job as it starts on the nodes of its lease, where these change its variables. */
  readonly jobOn?: ((job: ClaimedJob, nodes: readonly string[]) => ClaimedJob) | undefined;
  readonly statsOf: (carrier: Carrier) => EndKnownAhead['stats'];
  /** The words for an end with the launcher of a job. */
  readonly lostWith: (carrier: Carrier, words: string) => string;
}

const SIGKILL = 9;
const NOT_STARTED = 'it was ended before the launcher of its step was ready';

/** Jobs that our launchers start, one a node, beside those that no launcher starts. */
export function createCarriedSteps(options: CarriedOptions): Steps {
  let onEnded: (ends: readonly StepEnd[]) => void = () => {};
  const report = (ends: readonly StepEnd[]) => onEnded(ends);
  const jobs = createPlacedJobs();
  const own = createOwnSteps(options.openOwn, report);
  const carriers = createCarriers(options.placeOn, {
    onReported(carrier, reported) {
      const ends = endsReported(parts, carrier, reported);
      // A step that began and ended in one message is reported in this order.
      if (ends.length > 0) queueMicrotask(() => report(ends));
    },
    onGone: (carrier, words) => endWith(parts, carrier, words),
    onBroken(node, words) {
      options.log.write('warn', 'No launcher of jobs can be started on a node', { node, reason: words });
      options.onBroken?.(node);
    },
  });
  const parts: Parts = { options, jobs, own, carriers, report };

  // It starts beside the rest of the setup: until then no job can start there.
  const first = options.nodes.find(({ name }) => name !== options.ownNode);
  if (first !== undefined) carriers.on(first.name);

  /** An order to end a job; one whose start still waits for its launcher never begins. */
  const orderEnd = (id: StepId, order: Parameters<Carrier['order']>[0]) => {
    const carrier = jobs.get(id)?.carrier;
    if (carrier === undefined) return;
    if (carrier.withdraw(id)) setImmediate(() => report([jobs.end(id, { refused: NOT_STARTED })]));
    else carrier.order(order);
  };

  return {
    name: options.name,
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
    allocationSignaled: (signal) => own.allocationSignaled(signal),
    passOn: (signal) => own.passOn(signal),
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
  readonly options: CarriedOptions;
  readonly jobs: PlacedJobs;
  readonly own: OwnSteps;
  readonly carriers: Carriers;
  readonly report: (ends: readonly StepEnd[]) => void;
}

interface Start extends Pick<LaunchedJob, 'job' | 'lease' | 'begun'> {
  readonly id: StepId;
  /** A step in whose place it starts. */
  readonly after?: StepId | undefined;
}

/** Starts a job by the launcher of its node, or without one. */
function place(parts: Parts, { id, job, lease, begun, after }: Start): Pick<StartedStep, 'about' | 'limitSeconds'> {
  const { options, jobs, own, carriers } = parts;
  const before = after === undefined ? undefined : jobs.get(after)?.carrier;
  const node = before?.node ?? nodeFor(parts, lease);
  const placed = options.jobOn?.(job, lease.nodes.length > 0 ? lease.nodes : [node]) ?? job;
  const isBroken = carriers.isBroken(node);
  if (before === undefined && (node === options.ownNode || options.isOwn?.(job, isBroken) === true)) {
    const started = own.start(id, placed, lease);
    if (started.begun === undefined) begun(0);
    else void started.begun.then(begun);
    return { about: started.about, limitSeconds: started.limitSeconds };
  }
  if (before === undefined && isBroken && options.isOwn === undefined) {
    const reason = `nothing can be started on ${node}`;
    if (!options.nodes.some(({ name }) => isUsable(parts, name))) throw new LaunchError('EHOSTUNREACH', reason);
    setImmediate(() => parts.report([jobs.end(id, { refused: reason })]));
    return { about: { node } };
  }
  const carrier = before ?? carriers.on(node);
  jobs.add(id, { job, lease, carrier, begun });
  carrier.order({
    do: 'start',
    job: placed,
    gpus: lease.gpus,
    ...(before === undefined || after === undefined ? {} : { after }),
  });
  return { about: { node, ...stepNamed(carrier.step) } };
}

/** PBS has no steps. */
const stepNamed = (step: string | undefined) => (step ? { step } : {});

/** The node of the lease; a runner that counts jobs leases none, and the one with the fewest jobs is taken. */
function nodeFor(parts: Parts, { nodes: [leased] }: Lease): string {
  if (leased !== undefined) return leased;
  const { options, jobs, own } = parts;
  const all = options.nodes.map(({ name }) => name);
  const usable = all.filter((name) => isUsable(parts, name));
  const names = usable.length > 0 ? usable : all;
  const countOn = (name: string) => (name === options.ownNode ? own.count() : jobs.countOn(name));
  return names.reduce((best, each) => (countOn(each) < countOn(best) ? each : best));
}

const isUsable = ({ options, carriers }: Parts, name: string): boolean =>
  name === options.ownNode || !carriers.isBroken(name);

/** Notes what a launcher reports; gives the ends among it. */
function endsReported(
  parts: Parts,
  carrier: Carrier,
  { started, ended, refused, takenBack }: Extract<LauncherReport, { is: 'changed' }>,
): StepEnd[] {
  const { jobs } = parts;
  for (const id of started) jobs.get(id)?.begun(0);
  const stats = parts.options.statsOf(carrier);
  return [
    ...ended.flatMap(({ endedBy, asked, ...end }) =>
      jobs.has(end.id) ? [jobs.end(end.id, { endedBy, asked, stats }, end)] : [],
    ),
    ...refused.flatMap(({ id, reason }) => (jobs.has(id) ? [jobs.end(id, { refused: reason })] : [])),
    ...takenBack.flatMap((id) => (jobs.has(id) ? [jobs.end(id, { isTakenBack: true })] : [])),
  ];
}

/**
 * A launcher has ended, and its jobs with it. All that it was sent may have run, also what was sent ahead: the last lines that a killed
 * launcher wrote can be lost.
 */
function endWith(parts: Parts, carrier: Carrier, words: string): void {
  const { options, jobs, report } = parts;
  const { node, step } = carrier;
  const left = jobs.of(carrier);
  const level = left.length === 0 && step !== undefined ? 'info' : 'warn';
  options.log.write(level, 'The launcher of a node has ended', {
    node,
    ...stepNamed(step),
    jobs_ended: left.length,
    reason: words,
  });
  if (step === undefined) {
    for (const [id, placed] of left) placeAgain(parts, { id, ...placed });
    return;
  }
  if (left.length === 0) return;
  const lost: EndKnownAhead = {
    endedBy: 'node',
    cause: options.lostWith(carrier, words),
    stats: options.statsOf(carrier),
  };
  // A job must not run twice at a time.
  void carrier.nothingLeft().then(() => report(left.map(([id]) => jobs.end(id, lost, { ...NO_END, signal: SIGKILL }))));
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
