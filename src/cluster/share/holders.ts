import { readFileSync } from 'node:fs';
import { proofOfEnd } from '../host/facts.ts';
import { parseStat } from '../host/proc.ts';
import { thisMachine } from '../host/machine.ts';
import type { ComputeNode } from '../../core/contract/node.ts';
import { withAdded } from '../../core/lifecycle/share/amounts.ts';
import type { SharingRun } from '../../core/lifecycle/share/sharing-run.ts';
import { waitingWords } from '../../core/lifecycle/share/waiting-words.ts';
import { readShareFile } from './share-file.ts';

/** Which runs have what this one waits for; undefined if it does not wait, or for its own jobs alone. */
export function waitingWordsOf(self: SharingRun, all: readonly SharingRun[]): string | undefined {
  if (self.waits === undefined) return undefined;
  const others = all.filter(({ of, id }) => of === self.of && id !== self.id);
  const holders = others.map((each) => ({ ...each, isSuspended: isSuspended(each.pid) }));
  return waitingWords({ need: self.waits.need, inUse: self.holds, holders, ...withLimits(self, others) });
}

/** Limits that others were given count for a run without one of that name. */
const withLimits = (self: SharingRun, others: readonly SharingRun[]) => ({
  database: self.database,
  total: others.reduce((total, { total: other }) => ({ ...other, ...total }), withAdded({}, self.total)),
});

/** Why runs of a workflow on this machine wait for runs of others, by the marks of its runners. */
export function waitsHere(
  environment: Readonly<Record<string, string | undefined>>,
  marks: readonly string[],
): readonly string[] {
  const all = readShareFile(environment);
  if (all.length === 0) return [];
  const { boot_id, pid_namespace } = thisMachine();
  return all.flatMap((self) => {
    const { pid, startTicks: start_ticks, mark } = self;
    if (!marks.includes(mark) || proofOfEnd({ boot_id, pid_namespace, pid, start_ticks }) === 'gone') return [];
    return waitingWordsOf(self, all) ?? [];
  });
}

/** What runners are known by in the file. */
export const marksOfRunners = (runners: readonly Pick<ComputeNode, 'process'>[]): string[] =>
  runners.flatMap(({ process: found }) => found?.mark ?? []);

/** Whether a process is stopped by a signal, as by Ctrl-Z. */
function isSuspended(pid: number): boolean {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`))?.state === 'T';
  } catch {
    return false;
  }
}
