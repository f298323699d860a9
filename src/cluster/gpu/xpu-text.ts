import { type GpuCard, type GpuState, type GpuUse, uuidsOf } from './gpu.ts';

/** Properties that `xpu-smi discovery --dump` is asked for, by its numbers: id, name, uuid, driver, firmware, address and memory. */
export const PROPERTIES = '1,2,4,8,9,11,16';
/** Metrics that `xpu-smi dump -m` is asked for: utilization, power, frequency, temperature, memory utilization and memory used. */
export const METRICS = '0,1,2,3,5,18';

/**
 * The lines of `discovery --dump`, behind a title: `0,"Intel(R) Graphics [0x56c0]","00000000-…","1692","DG02_1","0000:4d:00.0","14248.00 MiB"`.
 *
 * Source: Intel XPU System Management Interface User Guide.
 */
export function parseXpuCards(text: string, nodeName: string): GpuCard[] {
  const rows = text.split('\n').flatMap((line) => {
    const values = [...line.matchAll(/"([^"]*)"|[^",\s]+/g)].map(([whole, quoted]) => quoted ?? whole);
    return values.length === 7 && /^\d+$/.test(values[0] ?? '') ? [values.map(wordIn)] : [];
  });
  const known = rows.map(([index = '', , id = '', , , address = '']) => ({ index, id, address }));
  const uuids = uuidsOf(known, nodeName, 'xpu');
  return rows.map(([id = '', model = '', , driver = '', firmware = '', address = '', memory = ''], at) => ({
    index: Number(id),
    uuid: uuids[at] as string,
    address,
    manufacturer: 'Intel',
    model,
    architecture: 'Xpu',
    driver,
    firmware,
    memoryKilobytes: numberIn(memory, 1024),
    powerLimitWatts: 0,
    maxPowerLimitWatts: 0,
    minPowerLimitWatts: 0,
    maxComputeClockMhz: 0,
    maxMemoryClockMhz: 0,
  }));
}

/** The lines of `dump`: time and id of the device, then the metrics. A card without a line is failing. */
export function parseXpuStates(cards: readonly GpuCard[], text: string): GpuState[] {
  const lines = text.split('\n').map((line) => line.split(',').map((value) => value.trim()));
  return cards.map(({ index, uuid }) => {
    const row = lines.find((values) => values.length === 8 && values[1] === String(index));
    const [, , percent = '', power = '', clock = '', temperature = '', memoryPercent = '', memory = ''] = row ?? [];
    return {
      index,
      uuid,
      isFailing: row === undefined,
      fanPercent: 0,
      computeMode: '',
      performanceState: undefined,
      memoryKilobytes: numberIn(memory, 1024),
      computePercent: numberIn(percent),
      memoryPercent: numberIn(memoryPercent),
      temperatureCelsius: numberIn(temperature),
      powerWatts: numberIn(power),
      powerLimitWatts: 0,
      computeClockMhz: numberIn(clock),
      memoryClockMhz: 0,
    };
  });
}

/** The table of `ps`: id and name of the process, id of the device, shared memory and memory in kB. */
export function parseXpuUses(cards: readonly GpuCard[], text: string): GpuUse[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, device, memory] = /^\s*(\d+)\s+\S.*?\s+(\d+)\s+\d+\s+(\d+)\s*$/.exec(line) ?? [];
    const card = cards.find(({ index }) => String(index) === device);
    if (pid === undefined || card === undefined) return [];
    const { index, uuid } = card;
    return [{ pid: Number(pid), index, uuid, computePercent: 0, memoryKilobytes: Number(memory), memoryPercent: 0 }];
  });
}

const numberIn = (text: string, factor = 1): number =>
  Math.round(Number(/^\d+(?:\.\d+)?/.exec(text)?.[0] ?? 0) * factor);

const wordIn = (text: string): string => (/^(?:N\/A|unknown)$/i.test(text.trim()) ? '' : text.trim());
