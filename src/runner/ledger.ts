import { closeSync, existsSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { Completion, Retried } from '../core/contract/exchange.ts';
import type { ProcessIdentity } from '../cluster/host/facts.ts';

/**
 * A runner's file of starts and ends, beside its other output.
 *
 * The server learns of a start up to 50 ms after the fact, so a job that is pending there may have run. This file says
 * which: each start is appended before the launch, each end when it is known. It is lost to a crash of the machine but
 * not to one of the runner; whoever finds the runner gone on its host reads it and tells the server the rest. It is
 * removed when everything in it has been acknowledged.
 *
 * The first line names the runner; then a line a fact: `S job attempt`, `E {completion}` or, where the job is to run again,
 * `R {retried}`. A last line that is cut short was never finished and does not count.
 */
export interface Ledger {
  readonly path: string;
  /** Before the launch: afterwards the job counts as started. */
  start(jobId: number, attemptId: number): void;
  end(completion: Completion): void;
  retry(retried: Retried): void;
  /** Writes what `end` and `retry` have gathered. */
  flush(): void;
  close(options: { readonly remove: boolean }): void;
}

export interface LedgerHead {
  readonly workflow_id: number;
  readonly run_id: number;
  readonly compute_node_id: number;
  readonly process: ProcessIdentity | undefined;
}

const MAGIC = 'torc-ledger-1';

export function openLedger(path: string, head: LedgerHead): Ledger {
  mkdirSync(dirname(path), { recursive: true });
  const fd = openSync(path, 'a', 0o644);
  writeSync(fd, `${MAGIC} ${JSON.stringify(head)}\n`);
  let gathered = '';
  const flush = () => {
    if (gathered === '') return;
    writeSync(fd, gathered);
    gathered = '';
  };
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
    flush,
    close({ remove }) {
      flush();
      closeSync(fd);
      if (remove) rmSync(path, { force: true });
    },
  };
}

export interface LedgerFacts {
  readonly started: { job_id: number; attempt_id: number }[];
  readonly completed: Completion[];
  readonly retried: Retried[];
}

/** What a ledger says; undefined when there is none or it is not one of ours. */
export function readLedger(path: string): LedgerFacts | undefined {
  if (!existsSync(path)) return undefined;
  const started = new Map<string, { job_id: number; attempt_id: number }>();
  const completed: Completion[] = [];
  const retried: Retried[] = [];
  let isOurs = false;
  for (const line of linesOf(path)) {
    if (!isOurs) {
      if (!line.startsWith(`${MAGIC} `)) return undefined;
      isOurs = true;
    } else if (line.startsWith('S ')) {
      const [, job = '', attempt = ''] = line.split(' ');
      started.set(line, { job_id: Number(job), attempt_id: Number(attempt) });
    } else if (line.startsWith('E ')) {
      completed.push(JSON.parse(line.slice(2)) as Completion);
    } else if (line.startsWith('R ')) {
      retried.push(JSON.parse(line.slice(2)) as Retried);
    }
  }
  return isOurs ? { started: [...started.values()], completed, retried } : undefined;
}

/** The ends in a ledger, one at a time: there may be more than a runner could hold. */
export function* endsIn(path: string): Generator<Completion> {
  for (const line of linesOf(path)) if (line.startsWith('E ')) yield JSON.parse(line.slice(2)) as Completion;
}

const PART_BYTES = 64 * 1024;

/** The lines of a file that are whole. */
function* linesOf(path: string): Generator<string> {
  const fd = openSync(path, 'r');
  try {
    const part = Buffer.alloc(PART_BYTES);
    const decoder = new StringDecoder('utf8');
    let rest = '';
    for (let length = readSync(fd, part); length > 0; length = readSync(fd, part)) {
      const lines = (rest + decoder.write(part.subarray(0, length))).split('\n');
      rest = lines.pop() as string;
      yield* lines;
    }
  } finally {
    closeSync(fd);
  }
}
