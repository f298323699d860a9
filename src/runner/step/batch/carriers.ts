import { type Carrier, type CarrierOptions, startCarrier } from './carrier.ts';
import type { LauncherReport } from './protocol.ts';

export interface CarrierNews {
  readonly onReported: (carrier: Carrier, reported: Extract<LauncherReport, { is: 'changed' }>) => void;
  readonly onGone: (carrier: Carrier, words: string) => void;
  /** Its launchers ended so often before they spoke that none is started there any more. */
  readonly onBroken: (node: string, words: string) => void;
}

/** Launchers of a node in a row that ended before they spoke. Then jobs there start without one, or not at all. */
const MOST_FAILURES = 3;

export type Carriers = ReturnType<typeof createCarriers>;

/** How the launcher of a node starts. */
export type CarrierPlace = Omit<CarrierOptions, 'onReported' | 'onGone'>;

/** The launchers of an allocation, one a node. */
export function createCarriers(placeOn: (node: string) => CarrierPlace, { onReported, onGone, onBroken }: CarrierNews) {
  const carriers = new Map<string, Carrier>();
  const failures = new Map<string, number>();
  const isBroken = (node: string) => (failures.get(node) ?? 0) >= MOST_FAILURES;

  const start = (node: string): Carrier => {
    const carrier: Carrier = startCarrier({
      ...placeOn(node),
      onReported: (reported) => onReported(carrier, reported),
      onGone(words) {
        failures.set(node, carrier.step === undefined ? (failures.get(node) ?? 0) + 1 : 0);
        if (isBroken(node)) onBroken(node, words);
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
    isBroken,
  };
}
