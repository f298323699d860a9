import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../cluster/make-folder.ts';
import { OPEN_FLAGS } from '../../cluster/trust.ts';
import type { Completion, Retried } from '../../core/contract/exchange.ts';
import type { ProcessIdentity } from '../../cluster/host/facts.ts';

/**
 * A runner's file of starts and ends, beside its other output.
 *
 * The server learns of a start up to 50 ms later, so a job that is pending there may have run. This file says which
 * jobs did: each start is appended before the launch, each end when it is known. A crash of the machine may lose it, a
 * crash of the runner does not; the program that proves the runner lost on its host reads it and reports the rest to
 * the server. It is removed when everything in it has been acknowledged.
 *
 * The first line names the runner; each other line is one fact: `S job attempt`, `E {completion}`, `R {retried}` for a
 * retried job, and for actions `A action begin` before their commands and `A action end` after them.
 *
 * A full or missing disk stops no job. Entries that could not be written are kept and written as soon as possible;
 * until then the file is incomplete and has another name, so that a job which it does not contain is not assumed to
 * have never started.
 */
export interface Ledger {
  readonly path: string;
  /** Called before the launch: afterwards the job counts as started. */
  start(jobId: number, attemptId: number): void;
  end(completion: Completion): void;
  retry(retried: Retried): void;
  /** `begin` before the commands of an action, `end` when they have ended with any result. Written at once. */
  action(id: number, moment: 'begin' | 'end'): void;
  /** Writes the entries that `end` and `retry` have buffered. */
  flush(): void;
  close(options: { readonly remove: boolean }): void;
}

export interface LedgerHead {
  readonly workflow_id: number;
  readonly run_id: number;
  readonly compute_node_id: number;
  readonly process: ProcessIdentity | undefined;
}

export const MAGIC = 'torc-ledger-1';

/** The name of an incomplete ledger. */
export const ledgerBehind = (path: string) => `${path}.behind`;

/**
 * The buffer for a disk that accepts nothing: 40,000 ends. Further entries are not written; they are still reported to
 * the server.
 */
const MOST_KEPT = 8 * 2 ** 20;

/** `say` is called once when the file becomes incomplete, and once when it is complete again. */
export function openLedger(path: string, head: LedgerHead, say: (words: string) => void = () => {}): Ledger {
  makeFolder(dirname(path));
  const fd = openSync(path, OPEN_FLAGS.append);
  let gathered = `${MAGIC} ${JSON.stringify(head)}\n`;
  let unwritten: Buffer | undefined;
  let isWhole = true;

  const flush = () => {
    if (gathered === '' && unwritten === undefined) return;
    if (unwritten === undefined) {
      unwritten = Buffer.from(gathered);
    } else if (unwritten.length < MOST_KEPT) {
      unwritten = Buffer.concat([unwritten, Buffer.from(gathered)]);
    } else {
      isWhole = false;
    }
    gathered = '';
    write(unwritten);
  };

  const write = (text: Buffer) => {
    const wasBehind = isBehind;
    let at = 0;
    try {
      // A disk that fills up writes a part and reports the error only for the next write.
      while (at < text.length) at += writeSync(fd, text, at);
      unwritten = undefined;
    } catch (error) {
      unwritten = text.subarray(at);
      if (!wasBehind) fellBehind((error as Error).message);
      return;
    }
    if (wasBehind && isWhole) caughtUp();
  };

  let isBehind = false;
  const fellBehind = (reason: string) => {
    isBehind = true;
    try {
      renameSync(path, ledgerBehind(path));
    } catch {
      // Without a ledger everything that the runner held counts as started, which is safe.
      removeIfThere(path);
    }
    say(
      `the runner's ledger ${path} cannot be written (${reason}): jobs continue and are reported to the server; if the runner is killed now, the jobs that it holds run again`,
    );
  };
  const caughtUp = () => {
    try {
      renameSync(ledgerBehind(path), path);
      isBehind = false;
      say(`the runner's ledger ${path} is written again`);
    } catch {
      // Missing, or cannot be renamed: it stays incomplete.
    }
  };

  flush();
  return {
    path,
    start(jobId, attemptId) {
      gathered += `S ${jobId} ${attemptId}\n`;
      flush();
    },
    end(completion) {
      gathered += `E ${JSON.stringify(completion)}\n`;
    },
    retry(retried) {
      gathered += `R ${JSON.stringify(retried)}\n`;
    },
    action(id, moment) {
      gathered += `A ${id} ${moment}\n`;
      flush();
    },
    flush,
    close({ remove }) {
      flush();
      closeSync(fd);
      if (remove) for (const each of [path, ledgerBehind(path)]) removeIfThere(each);
    },
  };
}

function removeIfThere(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Its folder was replaced by something else.
  }
}
