import { type GpuCard, type GpuState, type GpuUse, uuidsOf } from './gpu.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * The cards in what `rocm-smi --json` prints: `{"card0": {"GPU use (%)": "7", …}, "system": {…}}`. All values are text,
 * and the words of the members differ by release, so each is found by a pattern.
 */
export function parseRocmCards(text: string, nodeName: string): { cards: GpuCard[]; states: GpuState[] } {
  const all = objectIn(text);
  const driver = memberOf((all['system'] ?? {}) as Json, /^Driver version$/i);
  const cards: GpuCard[] = [];
  const states: GpuState[] = [];
  const found = Object.entries(all).flatMap(([name, value]) => {
    const index = /^card(\d+)$/.exec(name)?.[1];
    if (index === undefined || typeof value !== 'object' || value === null) return [];
    const word = (pattern: RegExp) => memberOf(value as Json, pattern);
    return [{ index, word, id: word(/^Unique ID$/i), address: word(/^PCI Bus$/i) }];
  });
  const uuids = uuidsOf(found, nodeName, 'amd');
  for (const [at, { index, word, address }] of found.entries()) {
    const uuid = uuids[at] as string;
    const number = (pattern: RegExp) => numberIn(word(pattern));
    const powerLimitWatts = number(/^Max Graphics Package Power/i);
    cards.push({
      index: Number(index),
      uuid,
      address,
      manufacturer: 'AMD',
      model: word(/^Card series$/i) || word(/^Card model$/i) || word(/^Device Name$/i),
      architecture: word(/^GFX Version$/i),
      driver,
      firmware: word(/^VBIOS version$/i),
      memoryKilobytes: Math.floor(number(/^VRAM Total Memory \(B\)$/i) / 1024),
      powerLimitWatts,
      maxPowerLimitWatts: powerLimitWatts,
      minPowerLimitWatts: 0,
      maxComputeClockMhz: 0,
      maxMemoryClockMhz: 0,
    });
    states.push({
      index: Number(index),
      uuid,
      isFailing: false,
      fanPercent: number(/^Fan speed \(%\)$/i),
      computeMode: '',
      performanceState: undefined,
      memoryKilobytes: Math.floor(number(/^VRAM Total Used Memory \(B\)$/i) / 1024),
      computePercent: number(/^GPU use \(%\)$/i),
      memoryPercent: number(/^GPU memory (?:use \(%\)|Allocated \(VRAM%\))$/i),
      temperatureCelsius:
        numberIn(word(/^Temperature \(Sensor edge\)/i), true) || numberIn(word(/^Temperature \(Sensor/i), true),
      powerWatts: number(/(?:Current Socket|Average) Graphics Package Power/i),
      powerLimitWatts,
      computeClockMhz: number(/^sclk clock speed/i),
      memoryClockMhz: number(/^mclk clock speed/i),
    });
  }
  return { cards, states };
}

/**
 * Processes: of `--showpids` `{"system": {"PID42": "python3, 2, 1073741824, 0, 55"}}` (name, cards, bytes, …, compute
 * units in percent), and of `--showpidgpus` the cards of each.
 *
 * The tool has what a process uses of all its cards together: each has an equal share.
 */
export function parseRocmUses(cards: readonly GpuCard[], pids: string, pidGpus: string): GpuUse[] {
  const cardsOf = (objectIn(pidGpus)['system'] ?? {}) as Json;
  return Object.entries((objectIn(pids)['system'] ?? {}) as Json).flatMap(([key, value]) => {
    const pid = /^PID\s*(\d+)$/.exec(key)?.[1];
    if (pid === undefined || typeof value !== 'string') return [];
    // A name may have commas; the four numbers follow it.
    const numbers = value
      .split(',')
      .slice(-4)
      .map((each) => numberIn(each.trim()));
    const [, bytes = 0, , percent = 0] = numbers;
    const indices = [...JSON.stringify(cardsOf[key] ?? []).matchAll(/\d+/g)].map(([digits]) => Number(digits));
    const used = cards.filter(({ index }) => indices.includes(index));
    return used.map(({ index, uuid }) => ({
      pid: Number(pid),
      index,
      uuid,
      memoryPercent: 0,
      computePercent: percent / used.length,
      memoryKilobytes: Math.floor(bytes / 1024 / used.length),
    }));
  });
}

/** Warnings stand before the JSON, and behind it. */
const objectIn = (text: string): Json => jsonIn(text) ?? {};

/** The object in what a tool prints, on lines of its own; undefined if there is none. */
export function jsonIn(text: string): Json | undefined {
  const start = /^\s*\{/m.exec(text)?.index ?? text.length;
  const ends = [...text.slice(start).matchAll(/\}\s*$/gm)].slice(-MOST_ENDS).toReversed();
  for (const { index } of ends) {
    try {
      return JSON.parse(text.slice(start, start + index + 1)) as Json;
    } catch {
      // A brace of a warning behind it.
    }
  }
  return undefined;
}

/** Lines with a brace at their end that are tried; a tool prints one line of JSON and some of warnings. */
const MOST_ENDS = 20;

function memberOf(object: Json, pattern: RegExp): string {
  for (const [name, value] of Object.entries(object)) {
    if (!pattern.test(name) || (typeof value !== 'string' && typeof value !== 'number')) continue;
    const text = String(value).trim();
    if (!/^(?:N\/A|None|Not supported|unknown)$/i.test(text)) return text;
  }
  return '';
}

/** `(1600Mhz)`, `35.0`; 0 where there is no number. */
function numberIn(text: string, mayBeNegative = false): number {
  const value = Math.round(Number(/-?\d+(?:\.\d+)?/.exec(text)?.[0] ?? 0));
  return Number.isSafeInteger(value) && (mayBeNegative || value >= 0) ? value : 0;
}
