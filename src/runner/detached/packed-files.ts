import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readFound } from '../../cluster/found-file.ts';
import { replaceFile } from '../../cluster/replace-file.ts';
import { directoryEntries, logFiles } from './log-files.ts';

/**
 * The files that are in a pack, as they were before they were packed: beside the pack, until the pack has arrived where it was asked for.
 *
 * As long as the list is there, a collection has begun and did not end, and `delete-logs` refuses. What is deleted behind a
 * collection is what is in the list and did not change: no clock is compared, because the times of files may be those of another machine.
 */
const Listing = z.array(z.tuple([z.string(), z.number(), z.number()]));

/** The whole archive of a workflow for a host, with the checksum that its asker knows afterwards. */
export const packOf = (outputDir: string, workflowId: number, host: string): string =>
  join(outputDir, `.torc_logs_${workflowId}_${host.replaceAll(/[^\w-]/g, '_')}.tar.gz`);

const listingOf = (pack: string): string => `${pack}.files.json`;

export function writeListing(pack: string, outputDir: string, files: readonly string[]): void {
  const rows = files.flatMap((file) => {
    const stats = statSync(join(outputDir, file), { throwIfNoEntry: false });
    return stats === undefined ? [] : [[file, stats.size, stats.mtimeMs]];
  });
  replaceFile(listingOf(pack), JSON.stringify(rows), 0o600);
}

export const removeListing = (pack: string): void => rmSync(listingOf(pack), { force: true });

/** A million files, each with a path of 250 bytes. */
const MOST_BYTES = 2 ** 28;

/** The files of a workflow that are in a pack and did not change since; none if its list is not there, or is not ours. */
export function unchangedFiles(outputDir: string, workflowId: number, host: string): string[] {
  const found = readFound(listingOf(packOf(outputDir, workflowId, host)), { groupMayWrite: false }, MOST_BYTES);
  if (found.kind !== 'text') return [];
  const packed = new Map(
    Listing.parse(JSON.parse(found.text)).map(([file, size, mtimeMs]) => [file, { size, mtimeMs }]),
  );
  return logFiles(outputDir, workflowId).filter((file) => {
    const then = packed.get(file);
    const now = statSync(join(outputDir, file), { throwIfNoEntry: false });
    return then !== undefined && now?.size === then.size && now.mtimeMs === then.mtimeMs;
  });
}

/** Whether a collection of the logs of a workflow began and did not end, from any host that shares the folder. */
export const isBeingCollected = (outputDir: string, workflowId: number): boolean =>
  packs(outputDir, workflowId).length > 0;

/** Removes the packs of a workflow and their lists: its logs were deleted although they were collected in part. */
export function removePacks(outputDir: string, workflowId: number): void {
  for (const name of packs(outputDir, workflowId)) rmSync(join(outputDir, name), { force: true });
}

const packs = (outputDir: string, workflowId: number): string[] =>
  directoryEntries(outputDir).flatMap(({ name }) => (name.startsWith(`.torc_logs_${workflowId}_`) ? [name] : []));
