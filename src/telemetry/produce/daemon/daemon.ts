import { after, type Timer } from '../../../client/long-timers.ts';
import { createGpuReader } from '../../../cluster/gpu/read.ts';
import type { Sink } from '../../send/sink.ts';
import type { ProducedMessage, Origin } from '../../format/envelope.ts';
import { samplerOfThisNode } from '../sample/this-node.ts';
import { readCluster } from '../slurm/cluster.ts';
import { readJobs } from '../slurm/jobs.ts';
import type { ReportedJobs } from '../slurm/reported-jobs.ts';
import { sysinfoOfThisNode } from '../sysinfo/sysinfo.ts';
import type { DaemonConfig } from './config.ts';

export interface DaemonOptions {
  readonly config: DaemonConfig;
  readonly origin: Origin;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly send: (message: ProducedMessage) => void;
  readonly sink: Pick<Sink, 'close'>;
  readonly onProblem: (problem: string) => void;
}

/** A running daemon. */
export interface Daemon {
  /** Resolves when the daemon ends by itself: after one round, or at its time limit. */
  readonly isOver: Promise<void>;
  /** Ends the operations that run, and delivers what there is. */
  stop(): Promise<void>;
}

interface Operation {
  readonly name: string;
  readonly cadenceSeconds: number;
  readonly onStartup: boolean;
  readonly run: () => Promise<readonly ProducedMessage[]>;
}

/** Starts the operations of a configuration. */
export function startTelemetryDaemon(options: DaemonOptions): Daemon {
  const { config, origin, send, sink, onProblem } = options;
  const { operations, close } = operationsOf(options);
  const timers = new Set<Timer>();
  const running = new Map<string, Promise<void>>();
  let finish: () => void = () => {};
  const isOver = new Promise<void>((resolve) => (finish = resolve));

  const run = ({ name, run: produce }: Operation): Promise<void> => {
    const before = running.get(name);
    if (before !== undefined) {
      onProblem(`${name}: the previous one is not finished; this one is left out`);
      return before;
    }
    const done = produce()
      .then((messages) => messages.forEach(send))
      .catch((error: unknown) => onProblem(`${name} on ${origin.node} failed: ${(error as Error).message}`))
      .finally(() => running.delete(name));
    running.set(name, done);
    return done;
  };
  const arm = (operation: Operation) => {
    const dueMs = nextRun(Date.now(), operation.cadenceSeconds);
    const timer = after(dueMs - Date.now(), () => {
      timers.delete(timer);
      void run(operation);
      arm(operation);
    });
    timers.add(timer);
  };

  if (operations.length === 0) {
    onProblem('no operation has a cadence: nothing is sent; give one to [sample], [sysinfo], [jobs] or [cluster]');
    // The configuration that Sonar's packages install is such a one, for a service that is to go on running. Signals alone keep no program alive.
    timers.add(after(Infinity, () => {}));
  }
  if (config.oneshot) void Promise.all(operations.map(run)).then(finish);
  else {
    for (const operation of operations) {
      if (operation.onStartup) void run(operation);
      arm(operation);
    }
    if (config.timeLimitSeconds !== undefined) timers.add(after(config.timeLimitSeconds * 1000, finish));
  }

  return {
    isOver,
    async stop() {
      for (const timer of timers) timer.cancel();
      await Promise.all(running.values());
      close();
      await sink.close();
    },
  };
}

function operationsOf({ config, origin, environment, onProblem }: DaemonOptions): {
  readonly operations: readonly Operation[];
  close(): void;
} {
  const { sample, sysinfo, jobs, clusterState, programs } = config;
  const readGpus = createGpuReader(environment);
  const sampler = sample === undefined ? undefined : samplerOfThisNode({ origin, ...sample, readGpus, isDaemon: true });
  // The first sample says what processes used since now.
  sampler?.prepare();
  let reported: ReportedJobs = {};
  const operations: (Operation | undefined)[] = [
    sysinfo && {
      name: 'sysinfo',
      ...sysinfo,
      run: async () => [
        await sysinfoOfThisNode({
          origin,
          environment,
          readGpus,
          onProblem,
          topology: {
            svg: programs.topologySvg,
            text: programs.topologyText,
          },
        }),
      ],
    },
    sample && sampler && { name: 'sample', ...sample, onStartup: false, run: async () => [await sampler.take()] },
    jobs && {
      name: 'jobs',
      ...jobs,
      onStartup: false,
      run: async () => {
        const read = await readJobs({
          origin,
          environment,
          reported,
          programs,
          onProblem,
          span: [`now-${Math.ceil(jobs.windowSeconds / 60)}minutes`, 'now'],
          uncompleted: jobs.uncompleted,
          batchSize: jobs.batchSize,
        });
        reported = read.reported;
        return read.messages;
      },
    },
    clusterState && {
      name: 'cluster',
      ...clusterState,
      run: async () => [await readCluster({ origin, environment, sinfo: programs.sinfo })],
    },
  ];
  return { operations: operations.filter((each) => each !== undefined), close: () => sampler?.close() };
}

/**
 * The next time to run an operation: a multiple of its cadence by the UTC clock, so that all nodes of a cluster sample at
 * the same moments, and no delay adds up.
 */
export const nextRun = (nowMs: number, cadenceSeconds: number): number => {
  const cadenceMs = cadenceSeconds * 1000;
  return (Math.floor(nowMs / cadenceMs) + 1) * cadenceMs;
};
