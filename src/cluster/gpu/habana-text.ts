import type { GpuCard, GpuState } from './gpu.ts';

/** What hl-smi is asked for each card. Processes of cards are in a table for people only. */
export const HABANA_QUERY = [
  'index',
  'uuid',
  'bus_id',
  'name',
  'driver_version',
  'memory.total',
  'memory.used',
  'utilization.aip',
  'temperature.aip',
  'power.draw',
] as const;

type Member = (typeof HABANA_QUERY)[number];

/**
 * The lines of `hl-smi -Q … -f csv,noheader,nounits`. Memory is in MiB. Lines of another shape, such as errors, are passed over.
 *
 * Source: docs of Intel Gaudi, System Management Interface Tool. The format has the keyword Intel for the manufacturer, and
 * Sonar the architecture Habana.
 */
export function parseHabanaCards(text: string, nodeName: string): { cards: GpuCard[]; states: GpuState[] } {
  const cards: GpuCard[] = [];
  const states: GpuState[] = [];
  for (const line of text.split('\n')) {
    const values = line.split(',').map((value) => value.trim());
    if (values.length !== HABANA_QUERY.length || !/^\d+$/.test(values[0] ?? '')) continue;
    const row = new Map(HABANA_QUERY.map((member, at) => [member, values[at] ?? '']));
    const number = (member: Member) => numberIn(row.get(member) ?? '');
    const word = (member: Member) => wordIn(row.get(member) ?? '');
    const index = number('index');
    const address = word('bus_id');
    const uuid = word('uuid') || `${nodeName}/${address || `habana#${index}`}`;
    cards.push({
      index,
      uuid,
      address,
      manufacturer: 'Intel',
      model: word('name'),
      architecture: 'Habana',
      driver: word('driver_version'),
      firmware: '',
      memoryKilobytes: Math.max(0, number('memory.total')) * 1024,
      powerLimitWatts: 0,
      maxPowerLimitWatts: 0,
      minPowerLimitWatts: 0,
      maxComputeClockMhz: 0,
      maxMemoryClockMhz: 0,
    });
    states.push({
      index,
      uuid,
      isFailing: false,
      fanPercent: 0,
      computeMode: '',
      performanceState: undefined,
      memoryKilobytes: Math.max(0, number('memory.used')) * 1024,
      computePercent: Math.max(0, number('utilization.aip')),
      memoryPercent: 0,
      temperatureCelsius: number('temperature.aip'),
      powerWatts: Math.max(0, number('power.draw')),
      powerLimitWatts: 0,
      computeClockMhz: 0,
      memoryClockMhz: 0,
    });
  }
  return { cards, states };
}

/** Also with a unit, which old releases print; 0 where there is none. */
const numberIn = (text: string): number => Math.round(Number(/^-?\d+(?:\.\d+)?/.exec(text)?.[0] ?? 0)) + 0;

const wordIn = (text: string): string => (/^(?:\[?N\/A\]?|None)$/i.test(text) ? '' : text);
