/** What is known of a card that does not change while the node runs. */
export interface GpuCard {
  /** Among the cards of one manufacturer. */
  readonly index: number;
  readonly uuid: string;
  readonly address: string;
  readonly manufacturer: 'NVIDIA' | 'AMD' | 'Intel';
  readonly model: string;
  readonly architecture: string;
  readonly driver: string;
  readonly firmware: string;
  readonly memoryKilobytes: number;
  readonly powerLimitWatts: number;
  readonly maxPowerLimitWatts: number;
  readonly minPowerLimitWatts: number;
  readonly maxComputeClockMhz: number;
  readonly maxMemoryClockMhz: number;
}

/** The present state of a card. 0 and the empty text mean that the card does not report it. */
export interface GpuState {
  readonly index: number;
  readonly uuid: string;
  readonly isFailing: boolean;
  /** Of the greatest speed; may exceed 100. */
  readonly fanPercent: number;
  readonly computeMode: string;
  /** P0 is the highest; undefined if the card does not report it. */
  readonly performanceState: number | undefined;
  readonly memoryKilobytes: number;
  readonly computePercent: number;
  readonly memoryPercent: number;
  /** May be negative. */
  readonly temperatureCelsius: number;
  readonly powerWatts: number;
  readonly powerLimitWatts: number;
  readonly computeClockMhz: number;
  readonly memoryClockMhz: number;
}

/** What one process uses of one card. */
export interface GpuUse extends Pick<
  GpuState,
  'index' | 'uuid' | 'computePercent' | 'memoryKilobytes' | 'memoryPercent'
> {
  readonly pid: number;
}

/** The cards of a node at one moment. */
export interface GpuReading {
  readonly cards: readonly GpuCard[];
  readonly states: readonly GpuState[];
  readonly uses: readonly GpuUse[];
  /** A sentence for each tool that failed, with what it said. */
  readonly problems: readonly string[];
}

/**
 * An identity for each card of a node: its own id, where no other card has that; else the node and its address, or its number where
 * another one has that address too. Early releases of xpu-smi give all cards of a model one id, and the partitions of an MI300 have that
 * of their card, and perhaps its address.
 */
export function uuidsOf(
  cards: readonly { readonly id: string; readonly address: string; readonly index: number | string }[],
  nodeName: string,
  kind: string,
): string[] {
  const counts = { id: new Map<string, number>(), address: new Map<string, number>() };
  for (const card of cards)
    for (const member of ['id', 'address'] as const)
      counts[member].set(card[member], (counts[member].get(card[member]) ?? 0) + 1);
  const isOwn = (member: 'id' | 'address', value: string) => value !== '' && counts[member].get(value) === 1;
  return cards.map(({ id, address, index }) => {
    const place = isOwn('address', address) ? address : `${address || kind}#${index}`;
    return isOwn('id', id) ? id : `${nodeName}/${place}`;
  });
}

export const NO_GPUS: GpuReading = { cards: [], states: [], uses: [], problems: [] };
