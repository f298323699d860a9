import { machine, release, type } from 'node:os';
import type { GpuCard, GpuReading } from '../../../cluster/gpu/gpu.ts';
import { type Hardware, readHardware } from '../../../cluster/host/hardware.ts';
import type { SysinfoAttributes, SysinfoGpuCard } from '../../../core/contract/sonar/sysinfo.ts';
import { dataMessage, type ProducedMessage, type Origin } from '../../format/envelope.ts';
import { timestampOf } from '../../format/timestamp.ts';
import { softwareHere, type SoftwareVersion } from './software.ts';
import { runHelper } from '../../../cluster/exec.ts';
import { programOn } from '../../../cluster/program-on.ts';

export interface SysinfoOptions {
  readonly origin: Origin;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readGpus: () => Promise<GpuReading>;
  readonly topology: TopologyCommands;
  /** Receives what could not be found out; the record has no place for it. */
  readonly onProblem: (problem: string) => void;
  readonly root?: string | undefined;
}

/** The hardware and software of this node. */
export async function sysinfoOfThisNode(options: SysinfoOptions): Promise<ProducedMessage> {
  const { origin, environment, onProblem } = options;
  const [gpus, topology] = await Promise.all([
    options.readGpus(),
    topologyBy(options.topology, environment, onProblem),
  ]);
  gpus.problems.forEach(onProblem);
  const atMs = Date.now();
  const facts = {
    origin,
    atMs,
    system: { name: type(), release: release(), architecture: machine() },
    hardware: readHardware(options.root),
    cards: gpus.cards,
    software: softwareHere(environment),
    topology,
  };
  return dataMessage('sysinfo', origin, atMs, attributesOfSysinfo(facts));
}

interface SysinfoFacts {
  readonly origin: Origin;
  readonly atMs: number;
  readonly system: { readonly name: string; readonly release: string; readonly architecture: string };
  readonly hardware: Hardware;
  readonly cards: readonly GpuCard[];
  readonly software: readonly SoftwareVersion[];
  /** In base64. */
  readonly topology: { readonly svg: string; readonly text: string };
}

const attributesOfSysinfo = ({
  origin,
  atMs,
  system,
  hardware,
  cards,
  software,
  topology,
}: SysinfoFacts): SysinfoAttributes => ({
  time: timestampOf(atMs),
  cluster: origin.cluster,
  node: origin.node,
  os_name: system.name,
  os_release: system.release,
  architecture: system.architecture,
  numa_nodes: hardware.distances.length,
  sockets: hardware.sockets,
  cores_per_socket: hardware.coresPerSocket,
  threads_per_core: hardware.threadsPerCore,
  cpu_model: hardware.cpuModel,
  memory: hardware.memoryKilobytes,
  topo_svg: topology.svg,
  topo_text: topology.text,
  cards: cards.map(cardOf),
  distances: hardware.distances,
  software,
});

const cardOf = (card: GpuCard): SysinfoGpuCard => ({
  index: card.index,
  uuid: card.uuid,
  address: card.address,
  manufacturer: card.manufacturer,
  model: card.model,
  architecture: card.architecture,
  driver: card.driver,
  firmware: card.firmware,
  memory: card.memoryKilobytes,
  power_limit: card.powerLimitWatts,
  max_power_limit: card.maxPowerLimitWatts,
  min_power_limit: card.minPowerLimitWatts,
  max_ce_clock: card.maxComputeClockMhz,
  max_memory_clock: card.maxMemoryClockMhz,
});

/** Commands that print the topology of the node, as words separated by blanks; empty for none. */
interface TopologyCommands {
  /** Undefined: `lstopo`, where it is installed. */
  readonly svg: string | undefined;
  readonly text: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const AT_MOST_MS = 5_000;

/** The topology in base64; empty where there is no command, or where it failed. */
async function topologyBy(
  { svg, text }: TopologyCommands,
  environment: Environment,
  onProblem: (problem: string) => void,
): Promise<{ svg: string; text: string }> {
  const run = async (command: string) => {
    const [program, ...args] = command.trim().split(/\s+/);
    if (program === undefined || program === '') return '';
    try {
      const printed = await runHelper(program, args, { atMostMs: AT_MOST_MS, environment });
      return Buffer.from(printed).toString('base64');
    } catch (error) {
      onProblem(`no topology: ${(error as Error).message}`);
      return '';
    }
  };
  const drawing = svg ?? (programOn(environment['PATH'], 'lstopo') !== undefined ? 'lstopo --of svg' : '');
  const [asSvg, asText] = await Promise.all([run(drawing), run(text ?? '')]);
  return { svg: asSvg, text: asText };
}
