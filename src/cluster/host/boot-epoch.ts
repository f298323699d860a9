import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { greatest } from '../../core/quantity/extremes.ts';
import { ownFolder } from './own-folder.ts';

/** 2020-01-01T00:00:00Z, from which Sonar counts epochs. */
const EPOCH_BASE = 1_577_836_800;

/**
 * The epoch of a boot: not zero, greater than that of every boot before it, and the same as long as the boot lasts.
 *
 * `bootedAt` is the boot time by the present clock. It moves when the clock is set, so the first value for a boot id is
 * remembered. A clock before 2020 gives 1.
 */
export function epochOf(
  bootId: string,
  bootedAt: number,
  remembered: Readonly<Record<string, number>>,
): { epoch: number; remembered: Readonly<Record<string, number>> } {
  const known = remembered[bootId];
  if (known !== undefined) return { epoch: known, remembered };
  const latest = greatest([0, ...Object.values(remembered)]);
  const epoch = Math.max(1, bootedAt - EPOCH_BASE, latest === 0 ? 0 : latest + 1);
  return { epoch, remembered: { [bootId]: epoch } };
}

/** The epoch of this boot, remembered in the folder; without a folder to write in, that of the present clock. */
export function bootEpoch(bootId: string, bootedAt: number, folder = ownFolder()): number {
  const path = folder === undefined ? undefined : join(folder, 'boot-epoch.json');
  const { epoch, remembered } = epochOf(bootId, bootedAt, path === undefined ? {} : rememberedIn(path));
  if (path !== undefined && remembered[bootId] !== undefined) keep(path, remembered);
  return epoch;
}

function rememberedIn(path: string): Readonly<Record<string, number>> {
  try {
    const found = JSON.parse(readFileSync(path, 'utf8')) as unknown;
    if (typeof found !== 'object' || found === null) return {};
    const entries = Object.entries(found as Record<string, unknown>);
    return Object.fromEntries(
      entries.filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1]) && (entry[1] as number) > 0),
    );
  } catch {
    return {};
  }
}

function keep(path: string, remembered: Readonly<Record<string, number>>): void {
  const text = JSON.stringify(remembered);
  try {
    if (readFileSync(path, 'utf8') === text) return;
  } catch {
    // It is written now.
  }
  try {
    const temporary = `${path}.${process.pid}`;
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, path);
  } catch {
    // The epoch is that of the clock; it differs by a second at most between samples of a steady clock.
  }
}
