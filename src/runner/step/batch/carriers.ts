import type { SlurmStepOptions } from '../slurm/slurm.ts';
import { type Carrier, type CarrierOptions, startCarrier } from './carrier.ts';
import type { LauncherReport } from './protocol.ts';

export interface CarriersOptions extends Pick<
  SlurmStepOptions,
  'facts' | 'environment' | 'allocation' | 'log' | 'defaultRequirementsId' | 'reachesAll'
> {
  /** The nodes of the allocation, with their CPUs where these are known. */
  readonly nodes: readonly { readonly name: string; readonly cpus: number | undefined }[];
  /** The program that runs in a step and starts jobs there. */
  readonly program: readonly string[];
  readonly sonar: boolean;
}

export interface CarrierNews {
  readonly onReported: (carrier: Carrier, reported: Extract<LauncherReport, { is: 'changed' }>) => void;
  readonly onGone: (carrier: Carrier, words: string) => void;
}

/** Steps of a node in a row that ended before their launcher spoke. Then jobs there are steps of their own. */
const MOST_FAILURES = 3;

export type Carriers = ReturnType<typeof createCarriers>;

/** The long steps of an allocation, one a node. */
export function createCarriers(options: CarriersOptions, { onReported, onGone }: CarrierNews) {
  const carriers = new Map<string, Carrier>();
  const failures = new Map<string, number>();

  const start = (node: string): Carrier => {
    const carrier: Carrier = startCarrier({
      ...optionsOn(node, options),
      onReported: (reported) => onReported(carrier, reported),
      onGone(words) {
        failures.set(node, carrier.step === undefined ? (failures.get(node) ?? 0) + 1 : 0);
        onGone(carrier, words);
      },
    });
    carriers.set(node, carrier);
    return carrier;
  };

  return {
    /** That of a node; started if there is none, or if the last one is gone. */
    on(node: string) {
      const present = carriers.get(node);
      return present === undefined || present.isGone ? start(node) : present;
    },
    all: () => [...carriers.values()],
    /** Its launchers ended so often before they spoke that jobs there need steps of their own. */
    isBroken: (node: string) => (failures.get(node) ?? 0) >= MOST_FAILURES,
  };
}

function optionsOn(node: string, options: CarriersOptions): Omit<CarrierOptions, 'onReported' | 'onGone'> {
  const { facts, environment, allocation, nodes, program, sonar, log, defaultRequirementsId, reachesAll } = options;
  return {
    node,
    name: `wf${facts.workflowId}_r${facts.runId}_jobs_${node}`,
    allocation,
    cpus: nodes.find(({ name }) => name === node)?.cpus,
    program,
    environment,
    log,
    begin: {
      do: 'begin',
      facts,
      sonar,
      beside: {
        defaultRequirementsId,
        reachesAll,
        bytes: node === environment['SLURMD_NODENAME'] ? process.memoryUsage.rss() : 0,
      },
    },
  };
}
