import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
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
 *
 * A disk that is full, or gone, stops no job. What could not be written is kept and written as soon as it can be; until
 * then the file is behind the truth and has another name, so that nobody takes a job which it does not mention for one
 * that never started.
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

/** The name of a ledger that lacks something. */
const behind = (path: string) => `${path}.behind`;

/** Kept for a disk that takes nothing: 40,000 ends. What is beyond is not written; the server is told it all the same. */
const MOST_KEPT = 8 * 2 ** 20;

/** `say` is told once when the file falls behind, and once when it has caught up. */
export function openLedger(path: string, head: LedgerHead, say: (words: string) => void = () => {}): Ledger {
  mkdirSync(dirname(path), { recursive: true });
  const fd = openSync(path, 'a', 0o644);
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
      // A disk that fills up takes a part and says so only of the next.
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
      renameSync(path, behind(path));
    } catch {
      // Without any ledger everything that the runner held counts as started: that is true enough.
      removeIfThere(path);
    }
    say(
      `the runner's ledger ${path} cannot be written (${reason}): jobs go on and the server is told of them; should the runner be killed now, what it holds runs again`,
    );
  };
  const caughtUp = () => {
    try {
      renameSync(behind(path), path);
      isBehind = false;
      say(`the runner's ledger ${path} is written again`);
    } catch {
      // Gone, or not to be renamed: it stays behind.
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
    flush,
    close({ remove }) {
      flush();
      closeSync(fd);
      if (remove) for (const each of [path, behind(path)]) removeIfThere(each);
    },
  };
}

function removeIfThere(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Somebody put something else in the place of its folder.
  }
}

export interface LedgerFacts {
  /** Absent when the ledger lacks some: then anything may have started. */
  readonly started?: { job_id: number; attempt_id: number }[];
  readonly completed: Completion[];
  readonly retried: Retried[];
}

/** What a ledger says; undefined when there is none or it is not one of ours. */
export function readLedger(path: string): LedgerFacts | undefined {
  if (existsSync(path)) return readWhole(path);
  if (!existsSync(behind(path))) return undefined;
  const facts = readWhole(behind(path));
  return facts && { completed: facts.completed, retried: facts.retried };
}

function readWhole(path: string): LedgerFacts | undefined {
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
  const there = [path, behind(path)].find((each) => existsSync(each));
  if (there === undefined) return;
  for (const line of linesOf(there)) if (line.startsWith('E ')) yield JSON.parse(line.slice(2)) as Completion;
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
