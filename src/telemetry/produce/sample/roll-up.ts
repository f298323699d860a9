import type { GpuUse } from '../../../cluster/gpu/gpu.ts';
import { type ProcessRecord, roundedTo } from './records.ts';

/**
 * Adds up processes of one Slurm job with the same parent and command that have no children: of 128 ranks of a program
 * one record is left, with `rolledUp` 127.
 *
 * A process without a twin is left as it is, with its own id. `pidOf` gives the id of a record that stands for several;
 * 0 means none.
 */
export function rollUp(
  records: readonly ProcessRecord[],
  pidOf: (key: RollUpKey) => number = () => 0,
): readonly ProcessRecord[] {
  const parents = new Set(records.map(({ parentPid }) => parentPid));
  const groups = new Map<string, ProcessRecord[]>();
  const result: ProcessRecord[] = [];
  for (const record of records) {
    if (!record.isSlurm || parents.has(record.pid)) {
      result.push(record);
      continue;
    }
    // The user belongs to it as well: a job of Slurm may run processes of several.
    const key = JSON.stringify([record.job, record.parentPid, record.command, record.user]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [record]);
    else group.push(record);
  }
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined) continue;
    result.push(group.length === 1 ? first : { ...sumOf(first, group), pid: pidOf(first) });
  }
  return result;
}

export type RollUpKey = Pick<ProcessRecord, 'job' | 'parentPid' | 'command' | 'user'>;

/**
 * Gives ids above all ids of processes to records that stand for several. The id follows from job, parent and command,
 * so it is the same in every sample, and after a restart.
 */
export function createRollUpIds(pidMax: number): (key: RollUpKey) => number {
  const keys = new Map<number, string>();
  return ({ job, parentPid, command, user }) => {
    const key = JSON.stringify([job, parentPid, command, user]);
    // A few thousand keys over 2^31 ids collide rarely; then the next free id is used.
    let id = pidMax + 1 + hashOf(key);
    while (keys.has(id) && keys.get(id) !== key) id += 1;
    // Keys of ended jobs are of no use; the ids of present ones follow from them again.
    if (keys.size > MOST_KEYS) keys.clear();
    keys.set(id, key);
    return id;
  };
}

const MOST_KEYS = 100_000;

/** FNV-1a, 31 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0) & 0x7fffffff;
}

function sumOf(first: ProcessRecord, group: readonly ProcessRecord[]): ProcessRecord {
  const sum = (field: (record: ProcessRecord) => number) => group.reduce((total, each) => total + field(each), 0);
  return {
    ...first,
    threads: sum(({ threads }) => threads),
    cpuAverage: roundedTo(
      sum(({ cpuAverage }) => cpuAverage),
      10,
    ),
    cpuUtil: roundedTo(
      sum(({ cpuUtil }) => cpuUtil),
      1000,
    ),
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    privateKilobytes: sum(({ privateKilobytes }) => privateKilobytes),
    dataKilobytes: sum(({ dataKilobytes }) => dataKilobytes),
    residentBytes: sum(({ residentBytes }) => residentBytes),
    readKilobytes: sum(({ readKilobytes }) => readKilobytes),
    writtenKilobytes: sum(({ writtenKilobytes }) => writtenKilobytes),
    cancelledKilobytes: sum(({ cancelledKilobytes }) => cancelledKilobytes),
    rolledUp: group.length - 1,
    gpus: [
      ...Map.groupBy(
        group.flatMap(({ gpus }) => gpus),
        ({ uuid }) => uuid,
      ).values(),
    ].map(addedUp),
  };
}

const addedUp = (uses: readonly GpuUse[]): GpuUse =>
  uses.reduce((left, right) => ({
    ...left,
    computePercent: left.computePercent + right.computePercent,
    memoryKilobytes: left.memoryKilobytes + right.memoryKilobytes,
    memoryPercent: left.memoryPercent + right.memoryPercent,
  }));
