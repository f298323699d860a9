import { hostname } from 'node:os';
import { linkSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFound } from '../../cluster/found-file.ts';
import { WorkerState } from '../../core/remote/remote-host.ts';
import { type ProcessIdentity, type ProofOfEnd, proofOfEnd } from '../../cluster/host/facts.ts';
import { thisMachine } from '../../cluster/host/machine.ts';

/**
 * The file that a detached runner keeps about itself: `torc_worker_wf3_host_1f3a9c2b.json`.
 *
 * The output folder may be on a file system that all hosts share, and two hosts may have one name: so the name of the
 * file contains the host name and the beginning of the machine id.
 */
export const workerFile = (outputDir: string, workflowId: number): string =>
  join(outputDir, `torc_worker_wf${workflowId}_${ownName()}.json`);

function ownName(): string {
  const machine = machineOrNone()?.machine_id?.slice(0, 8);
  return [hostname().replaceAll(/[^\w.-]/g, '_'), ...(machine === undefined ? [] : [machine])].join('_');
}

function machineOrNone() {
  try {
    return thisMachine();
  } catch {
    return undefined;
  }
}

/** What is in a file; undefined if there is none, or if another user may have written it. */
function textIn(path: string): string | undefined {
  const found = readFound(path, { groupMayWrite: true });
  return found.kind === 'text' ? found.text : undefined;
}

/** The state in a file; undefined if there is none. A damaged file counts as none: it proves nothing. */
export function readState(path: string): WorkerState | undefined {
  try {
    return WorkerState.safeParse(JSON.parse(textIn(path) ?? '')).data;
  } catch {
    return undefined;
  }
}

/** Replaces the file as a whole: a full disk or a crash leaves the state before. */
export function writeState(path: string, state: WorkerState): void {
  const fresh = `${path}.${process.pid}.new`;
  try {
    writeFileSync(fresh, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** The states of a workflow in a folder, of all hosts. */
export function statesIn(outputDir: string, workflowId: number): WorkerState[] {
  const name = new RegExp(`^torc_worker_wf${workflowId}_.*\\.json$`);
  let names: string[];
  try {
    names = readdirSync(outputDir);
  } catch {
    return [];
  }
  return names.flatMap((each) => (name.test(each) ? (readState(join(outputDir, each)) ?? []) : []));
}

/** Whether the process of a state lives: see `proofOfEnd`. */
export function endProofOf(state: WorkerState): ProofOfEnd {
  const identity = identityOf(state);
  return identity === undefined ? 'unknown' : proofOfEnd(identity, Date.parse(state.started_at));
}

/** Whether the process of a state is proven not to live any more. */
export function isProvenGone(state: WorkerState): boolean {
  const proof = endProofOf(state);
  return proof === 'gone' || proof === 'rebooted';
}

function identityOf(state: WorkerState): ProcessIdentity | undefined {
  const { pid, boot_id, pid_namespace, start_ticks, machine_id, hardware_ids } = state;
  if (typeof boot_id !== 'string' || typeof pid_namespace !== 'string' || typeof start_ticks !== 'number')
    return undefined;
  return { pid, boot_id, pid_namespace, start_ticks, machine_id, hardware_ids };
}

/** Who holds a lock: enough to prove that it is gone. */
type Holder = Pick<WorkerState, 'pid' | 'boot_id' | 'pid_namespace' | 'start_ticks' | 'machine_id' | 'started_at'>;

/**
 * Takes the lock of a state file, so that of several starts at once only one starts a runner.
 *
 * A lock is a file that comes into being with its content, by `link`, which is atomic on network file systems, too. The
 * lock of a process that is proven gone is removed; it is first moved away, and put back if it turns out to be another
 * one, because two processes may find the same old lock. Returns what releases it; undefined if another start holds it.
 */
export function takeStateLock(path: string, holder: Holder): (() => void) | undefined {
  const lock = `${path}.lock`;
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, JSON.stringify(holder), { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      if (linked(own, lock)) return () => rmSync(lock, { force: true });
      const held = textIn(lock);
      if (held === undefined) continue;
      if (!isGone(held)) return undefined;
      moveAway(lock, held);
    }
    return undefined;
  } finally {
    rmSync(own, { force: true });
  }
}

function moveAway(lock: string, expected: string): void {
  const aside = `${lock}.${process.pid}.old`;
  try {
    renameSync(lock, aside);
  } catch {
    return;
  }
  if (textIn(aside) !== expected) linked(aside, lock);
  rmSync(aside, { force: true });
}

function isGone(held: string): boolean {
  try {
    const found = WorkerState.partial().safeParse(JSON.parse(held)).data;
    return found !== undefined && isProvenGone(found as WorkerState);
  } catch {
    return false;
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
