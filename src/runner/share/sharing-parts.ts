import type { Machine } from '../../cluster/host/machine.ts';
import type { ShareFile } from '../../cluster/share/share-file.ts';
import type { Amounts } from '../../core/job/amounts.ts';
import type { SharingRun } from '../../core/lifecycle/share/sharing-run.ts';

/**
 * What a run brings to the share of a machine, and what it learns of it.
 *
 * Amounts are in the units of `core/lifecycle/share/amounts.ts`. A run goes on alone where there is no file or it cannot be used: it never
 * fails for what it shares.
 */
export interface RunShareOptions {
  /** Opens the file; a text says why there is none. */
  readonly open: () => ShareFile | string;
  readonly own: SharingRun;
  readonly here: Machine;
  /** What it can use of what there is, with its devices. */
  readonly offer: Amounts;
  readonly devices: readonly string[];
  readonly usedDevices: () => readonly string[];
  /** The run goes on as if it were alone, for this reason. */
  readonly onAlone: (reason: string) => void;
}

/** What the runner says of itself once it has jobs. */
export interface ShareListener {
  /** The number of jobs that wait for a place. */
  readonly queued: () => number;
  /** A job that waits may start now. */
  readonly onRoom: () => void;
  /** It waits for other runs, in words; undefined: no more. */
  readonly onWaits: (words: string | undefined) => void;
}
