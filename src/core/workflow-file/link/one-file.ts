import type { Draft, Links } from './draft.ts';
import { IntList, itemsOf, type Lists } from '../../lists/int-list.ts';
import { eachMember } from './members.ts';

/** A file with several entries that one job writes and others read. */
export interface SharedFile {
  /** Those that are written or read. */
  readonly entries: readonly number[];
  readonly writer: number;
}

/**
 * The files for which it is certain what their entries mean: one job writes the file, and does not read it.
 *
 * Where several jobs write it, or one changes it, the entries are its states before and after, and the names that jobs use
 * say which one they mean.
 */
export function sharedFiles({ jobs, files }: Draft, links: Links, groups: readonly number[][]): SharedFile[] {
  if (groups.length === 0) return [];
  const groupOf = new Map(groups.flatMap((group, number) => group.map((file) => [file, number] as const)));
  const writers = groups.map(() => new Set<number>());
  const readers = groups.map(() => new Set<number>());
  const used = new Set<number>();
  for (let job = 0; job < jobs.length; job += 1) {
    for (const [lists, users] of [
      [links.outputFiles, writers],
      [links.inputFiles, readers],
    ] as const)
      eachMember(lists, job, files, (file) => {
        const number = groupOf.get(file);
        if (number === undefined) return;
        users[number]?.add(job);
        used.add(file);
      });
  }
  return groups.flatMap((group, number) => {
    const [writer, ...others] = writers[number] ?? [];
    if (writer === undefined || others.length > 0 || readers[number]?.has(writer) === true) return [];
    return [{ entries: group.filter((file) => used.has(file)), writer }];
  });
}

/** The outputs of jobs, where a job that writes a file writes it under each of its names. */
export function withEachName({ jobs, files }: Draft, outputs: Lists, shared: readonly SharedFile[]): Lists {
  if (shared.length === 0) return outputs;
  const ofWriter = Map.groupBy(shared, ({ writer }) => writer);
  const starts = new Int32Array(jobs.length + 1);
  const items = new IntList(Math.max(16, outputs.items.length));
  for (let job = 0; job < jobs.length; job += 1) {
    for (const item of itemsOf(outputs, job)) items.push(item);
    const own = ofWriter.get(job);
    if (own !== undefined) {
      const named = new Set<number>();
      eachMember(outputs, job, files, (file) => named.add(file));
      for (const { entries } of own) for (const file of entries) if (!named.has(file)) items.push(file);
    }
    starts[job + 1] = items.length;
  }
  return { starts, items: items.view() };
}
