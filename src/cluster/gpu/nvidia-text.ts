import { SLICED_MODE } from '../../core/contract/sonar/conventions.ts';
import type { GpuCard, GpuState, GpuUse } from './gpu.ts';

/**
 * What `nvidia-smi --query-gpu` is asked for each card. Drivers before 510 do not know those of `OPTIONAL`; then they
 * are left out.
 *
 * | field of the format | query member |
 * | --- | --- |
 * | index, uuid, address, model, driver | index, uuid, pci.bus_id, name, driver_version |
 * | architecture | compute_cap |
 * | firmware | vbios_version |
 * | memory of the card, in use | memory.total, memory.used |
 * | power_limit, max_, min_ | power.limit, power.max_limit, power.min_limit |
 * | max_ce_clock, max_memory_clock | clocks.max.sm, clocks.max.memory |
 * | fan, temperature, power | fan.speed, temperature.gpu, power.draw |
 * | compute_mode, performance_state | compute_mode, pstate |
 * | ce_util, memory_util | utilization.gpu, utilization.memory |
 * | ce_clock, memory_clock | clocks.sm, clocks.mem |
 */
export const QUERY = [
  'index',
  'uuid',
  'pci.bus_id',
  'name',
  'driver_version',
  'vbios_version',
  'compute_cap',
  'mig.mode.current',
  'memory.total',
  'memory.used',
  'power.limit',
  'power.max_limit',
  'power.min_limit',
  'power.draw',
  'clocks.max.sm',
  'clocks.max.memory',
  'clocks.sm',
  'clocks.mem',
  'fan.speed',
  'temperature.gpu',
  'compute_mode',
  'pstate',
  'utilization.gpu',
  'utilization.memory',
] as const;

export type QueryMember = (typeof QUERY)[number];

/** The member that this nvidia-smi does not know, if that is what it says. */
export function unknownMember(text: string): QueryMember | undefined {
  const name = /Field "([^"]+)" is not a valid field to query/.exec(text)?.[1];
  return QUERY.find((each) => each === name);
}

export interface NvidiaCards {
  readonly cards: readonly GpuCard[];
  readonly states: readonly GpuState[];
  /** Cards that are split into slices. */
  readonly hasSlices: boolean;
}

/** The lines of `--query-gpu=… --format=csv,noheader,nounits`. Lines of another shape, such as errors, are passed over. */
export function parseCards(text: string, members: readonly QueryMember[], nodeName: string): NvidiaCards {
  const rows = text.split('\n').flatMap((line) => {
    const values = line.split(',').map((value) => value.trim());
    if (values.length !== members.length || !/^\d+$/.test(values[0] ?? '')) return [];
    return [new Map(members.map((member, at) => [member, values[at] ?? '']))];
  });
  const cards: GpuCard[] = [];
  const states: GpuState[] = [];
  for (const row of rows) {
    const number = (member: QueryMember) => numberIn(row.get(member));
    const word = (member: QueryMember) => wordIn(row.get(member));
    const index = number('index');
    const address = word('pci.bus_id');
    // Never that of another card: the address is unique on the node.
    const uuid = word('uuid') || `${nodeName}/${address || `nvidia#${index}`}`;
    const powerLimitWatts = number('power.limit');
    cards.push({
      index,
      uuid,
      address,
      manufacturer: 'NVIDIA',
      model: word('name'),
      architecture: architectureOf(word('compute_cap')),
      driver: word('driver_version'),
      firmware: word('vbios_version'),
      memoryKilobytes: number('memory.total') * 1024,
      powerLimitWatts,
      maxPowerLimitWatts: number('power.max_limit'),
      minPowerLimitWatts: number('power.min_limit'),
      maxComputeClockMhz: number('clocks.max.sm'),
      maxMemoryClockMhz: number('clocks.max.memory'),
    });
    const mode = word('compute_mode');
    const state = /^P(\d+)$/.exec(word('pstate'))?.[1];
    states.push({
      index,
      uuid,
      isFailing:
        [...row.values()].some((value) => FAILURE.test(value)) ||
        ESSENTIAL.some((each) => UNREAD.test(row.get(each) ?? '')),
      fanPercent: number('fan.speed'),
      // Its use and that of its processes are not reported, and would be taken for 0. It has no other mode then.
      computeMode: row.get('mig.mode.current') === 'Enabled' ? SLICED_MODE : mode === 'Default' ? '' : mode,
      performanceState: state === undefined ? undefined : Number(state),
      memoryKilobytes: number('memory.used') * 1024,
      computePercent: number('utilization.gpu'),
      memoryPercent: number('utilization.memory'),
      temperatureCelsius: numberIn(row.get('temperature.gpu'), true),
      powerWatts: number('power.draw'),
      powerLimitWatts,
      computeClockMhz: number('clocks.sm'),
      memoryClockMhz: number('clocks.mem'),
    });
  }
  return { cards, states, hasSlices: rows.some((row) => row.get('mig.mode.current') === 'Enabled') };
}

/** The state of a card that was there, and that the tool does not list any more. */
export const lostState = ({ index, uuid }: GpuCard): GpuState => ({
  index,
  uuid,
  isFailing: true,
  fanPercent: 0,
  computeMode: '',
  performanceState: undefined,
  memoryKilobytes: 0,
  computePercent: 0,
  memoryPercent: 0,
  temperatureCelsius: 0,
  powerWatts: 0,
  powerLimitWatts: 0,
  computeClockMhz: 0,
  memoryClockMhz: 0,
});

/** `[N/A]` and `[Not Supported]` mean that the card does not have it; these mean that the card cannot be read. */
const FAILURE = /^\[?(?:ERR!|GPU is lost|GPU requires reset|Reset Required)\]?$/i;

/** One sensor that cannot be read, such as that of a fan, is no card that cannot be. */
const UNREAD = /^\[?Unknown Error\]?$/i;
const ESSENTIAL = ['memory.total', 'memory.used', 'utilization.gpu'] as const satisfies readonly QueryMember[];

/** 0 for everything that is no number: `[N/A]`, `ERR!`. */
function numberIn(text: string | undefined, mayBeNegative = false): number {
  const value = Math.round(Number(text === '' ? Number.NaN : text));
  return Number.isSafeInteger(value) && (mayBeNegative || value >= 0) ? value + 0 : 0;
}

const wordIn = (text: string | undefined): string =>
  text === undefined || /^\[.*\]$/.test(text) || text === 'ERR!' || text === 'N/A' ? '' : text;

/** Names that NVIDIA gives to compute capabilities. Source: CUDA C++ Programming Guide. */
const ARCHITECTURES: readonly (readonly [least: number, name: string])[] = [
  [10, 'Blackwell'],
  [9, 'Hopper'],
  [8.9, 'Ada Lovelace'],
  [8, 'Ampere'],
  [7.5, 'Turing'],
  [7, 'Volta'],
  [6, 'Pascal'],
  [5, 'Maxwell'],
  [3, 'Kepler'],
];

function architectureOf(capability: string): string {
  const value = Number(capability);
  return capability === '' ? '' : (ARCHITECTURES.find(([least]) => value >= least)?.[1] ?? '');
}

/** The cards of slices, from `nvidia-smi -L`: `GPU 0: … (UUID: GPU-1)`, then `  MIG 1g.5gb Device 0: (UUID: MIG-2)`. */
export function parseSlices(text: string): ReadonlyMap<string, string> {
  const cards = new Map<string, string>();
  let card = '';
  for (const line of text.split('\n')) {
    const uuid = /\(UUID: ([^)]+)\)/.exec(line)?.[1];
    if (uuid === undefined) continue;
    if (line.startsWith('GPU ')) card = uuid;
    else cards.set(uuid, card);
  }
  return cards;
}

/**
 * Processes of cards: `--query-compute-apps=gpu_uuid,pid,used_memory --format=csv,noheader,nounits`, and what `pmon`
 * says of their use. A process that only pmon knows has its share of the used memory.
 */
export function parseGpuUses(
  { cards, states }: Pick<NvidiaCards, 'cards' | 'states'>,
  apps: string,
  pmon: string,
  slices: ReadonlyMap<string, string>,
): GpuUse[] {
  const byUuid = new Map(cards.map((card) => [card.uuid, card]));
  const uses = new Map<string, GpuUse>();
  const add = (card: GpuCard, pid: number, change: (before: GpuUse) => Partial<GpuUse>) => {
    const key = `${pid} ${card.uuid}`;
    const before = uses.get(key) ?? {
      pid,
      index: card.index,
      uuid: card.uuid,
      computePercent: 0,
      memoryKilobytes: 0,
      memoryPercent: 0,
    };
    uses.set(key, { ...before, ...change(before) });
  };
  for (const line of apps.split('\n')) {
    const [uuid = '', pid = '', memory] = line.split(',').map((value) => value.trim());
    const card = byUuid.get(slices.get(uuid) ?? uuid);
    if (card === undefined || !/^\d+$/.test(pid)) continue;
    // A process in two slices of a card has two lines.
    add(card, Number(pid), (before) => ({ memoryKilobytes: before.memoryKilobytes + numberIn(memory) * 1024 }));
  }
  for (const { index, pid, computePercent, memoryPercent } of parsePmon(pmon)) {
    const card = cards.find((each) => each.index === index);
    if (card === undefined) continue;
    const used = states.find(({ uuid }) => uuid === card.uuid)?.memoryKilobytes ?? 0;
    const isNew = !uses.has(`${pid} ${card.uuid}`);
    add(card, pid, () => ({
      computePercent,
      memoryPercent,
      ...(isNew ? { memoryKilobytes: Math.round((used * memoryPercent) / 100) } : {}),
    }));
  }
  return [...uses.values()];
}

/** The columns of pmon differ by driver; its first line names them: `# gpu pid type sm mem enc dec command`. */
function parsePmon(text: string): Pick<GpuUse, 'index' | 'pid' | 'computePercent' | 'memoryPercent'>[] {
  const lines = text.split('\n');
  const heading = lines.find((line) => /^#\s*gpu\s/.test(line));
  if (heading === undefined) return [];
  const columns = heading.replace('#', '').trim().split(/\s+/);
  return lines.flatMap((line) => {
    if (line.startsWith('#')) return [];
    const values = line.trim().split(/\s+/);
    const value = (name: string) => values[columns.indexOf(name)] ?? '';
    if (!/^\d+$/.test(value('gpu')) || !/^\d+$/.test(value('pid'))) return [];
    return [
      {
        index: Number(value('gpu')),
        pid: Number(value('pid')),
        computePercent: numberIn(value('sm')),
        memoryPercent: numberIn(value('mem')),
      },
    ];
  });
}
