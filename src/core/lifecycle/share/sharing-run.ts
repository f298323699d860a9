import type { Amounts } from '../../job/amounts.ts';
import { licenseAmounts } from './amounts.ts';
import type { Sharer, ShareWait } from './fair-share.ts';

/**
 * A run on a machine as the others there know it: one row of the file that they share.
 *
 * Only what stands in this shape is read; rows of anything else are passed over, and kept.
 */
export interface SharingRun extends Sharer {
  /** What it shares: the machine, or the part of it that a job has in which it runs. */
  readonly of: string;
  readonly pid: number;
  /** Clock ticks from the boot to its start: with the boot, which is in the name of the file, they name the process. */
  readonly startTicks: number;
  /** What its jobs have in their environment. */
  readonly mark: string;
  readonly workflowId: number;
  readonly workflowName: string;
  /** Its database, as a person may name it. */
  readonly database: string;
  /** What there is to share, for this run; what has no limit is absent. */
  readonly total: Amounts;
  /** The devices that it holds. */
  readonly devices: readonly string[];
  /** The named limits that it was given. */
  readonly limits: Amounts;
  /** Its process has ended, and jobs that it started have not. */
  readonly isLeft?: boolean | undefined;
}

/** Of the machine as a whole, and of no job. */
export const WHOLE_MACHINE = 'machine';

/** A row as it was read; undefined if it is none of ours. */
export function sharingRunOf(text: string): SharingRun | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof found !== 'object' || found === null) return undefined;
  const run = found as Partial<Record<keyof SharingRun, unknown>>;
  const isRun =
    TEXTS.every((name) => typeof run[name] === 'string') &&
    NUMBERS.every((name) => Number.isFinite(run[name])) &&
    areAmounts(run.holds) &&
    areAmounts(run.limits) &&
    areAmounts(run.total) &&
    Array.isArray(run.devices) &&
    (run.waits === undefined || isWaiting(run.waits));
  return isRun ? (found as SharingRun) : undefined;
}

const TEXTS = ['id', 'of', 'mark', 'workflowName', 'database'] as const;
const NUMBERS = ['pid', 'startTicks', 'workflowId', 'lag', 'atMs'] as const;

const areAmounts = (found: unknown): boolean =>
  typeof found === 'object' && found !== null && Object.values(found).every((amount) => Number.isFinite(amount));

function isWaiting(found: unknown): boolean {
  const { need, jobs, sinceMs } = (found ?? {}) as Partial<Record<keyof ShareWait, unknown>>;
  return areAmounts(need) && Number.isFinite(jobs) && Number.isFinite(sinceMs);
}

/** A limit that another run was given counts for a run without one of that name; of several the lowest. */
export function totalBeside(own: SharingRun, others: readonly SharingRun[]): Amounts {
  const total: Record<string, number> = { ...own.total };
  for (const { limits } of others)
    for (const [name, limit] of Object.entries(licenseAmounts(limits)))
      if (!(name in own.total)) total[name] = Math.min(total[name] ?? Infinity, limit);
  return total;
}
