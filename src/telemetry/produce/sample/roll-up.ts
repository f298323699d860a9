import { type CardUse, FIGURES, type ProcessFigures, type ProcessRecord, roundedTo } from './records.ts';

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
  const parents = new Set(records.map(({ process }) => process.ppid));
  const isAlone = ({ isSlurm, process }: ProcessRecord) => !isSlurm || parents.has(process.pid);
  const groups = Map.groupBy(
    records.filter((record) => !isAlone(record)),
    (record) => keyOf(rollUpKeyOf(record)),
  );
  const sums = [...groups.values()].map((group) => {
    const [first] = group as [ProcessRecord, ...ProcessRecord[]];
    return group.length === 1 ? first : sumOf(first, group, pidOf(rollUpKeyOf(first)));
  });
  return [...records.filter(isAlone), ...sums];
}

export type RollUpKey = Pick<ProcessRecord, 'job' | 'user'> & Pick<ProcessRecord['process'], 'ppid' | 'cmd'>;
const rollUpKeyOf = ({ job, user, process: { ppid, cmd } }: ProcessRecord): RollUpKey => ({ job, ppid, cmd, user });

/** The user belongs to it as well: a job of Slurm may run processes of several. */
const keyOf = ({ job, ppid, cmd, user }: RollUpKey): string => JSON.stringify([job, ppid, cmd, user]);

/**
 * Gives ids above all ids of processes to records that stand for several. The id follows from job, parent and command,
 * so it is the same in every sample, and after a restart.
 */
export function createRollUpIds(pidMax: number): (key: RollUpKey) => number {
  const keys = new Map<number, string>();
  return (record) => {
    const key = keyOf(record);
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

/** Sums of integers are integers already; those of percentages are rounded. */
function sumOf(first: ProcessRecord, group: readonly ProcessRecord[], pid: number): ProcessRecord {
  const sum = (valueOf: (record: ProcessRecord) => number, steps = 1) =>
    roundedTo(
      group.reduce((total, record) => total + valueOf(record), 0),
      steps,
    );
  const figure = (name: (typeof FIGURES)[number], steps?: number) => sum(({ process }) => process[name], steps);
  const cards = Map.groupBy(
    group.flatMap(({ process }) => process.gpus),
    ({ uuid }) => uuid,
  );
  return {
    ...first,
    residentBytes: sum(({ residentBytes }) => residentBytes),
    process: {
      ...first.process,
      ...(Object.fromEntries(FIGURES.map((name) => [name, figure(name)])) as ProcessFigures),
      pid,
      ppid: first.process.ppid,
      cpu_avg: figure('cpu_avg', 10),
      cpu_util: figure('cpu_util', 1000),
      rolledup: group.length - 1,
      gpus: [...cards.values()].map(addedUp),
    },
  };
}

const addedUp = (uses: readonly CardUse[]): CardUse =>
  uses.reduce((left, right) => ({
    ...left,
    gpu_util: left.gpu_util + right.gpu_util,
    gpu_memory: left.gpu_memory + right.gpu_memory,
    gpu_memory_util: left.gpu_memory_util + right.gpu_memory_util,
  }));
