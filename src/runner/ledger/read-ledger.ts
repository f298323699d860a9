import { closeSync, constants, existsSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { openRegular } from '../../cluster/open-regular.ts';
import type { Completion, Retried } from '../../core/contract/exchange.ts';
import { isOneOf, REPORTED } from '../../core/job/statuses.ts';
import { ledgerBehind, type LedgerHead, MAGIC } from './ledger.ts';

/** The facts in a ledger about its runner. */
export interface LedgerFacts {
  readonly run_id: number;
  readonly compute_node_id: number;
  /** Absent if the ledger is incomplete: then any job may have started. */
  readonly started?: { job_id: number; attempt_id: number }[];
  readonly completed: Completion[];
  readonly retried: Retried[];
  /** Actions whose commands began, as far as is known, without those that ended. */
  readonly actionsBegun: number[];
  readonly actionsEnded: number[];
  /** Lines that could not be read. */
  readonly damagedLines: number;
}

/**
 * The facts in a ledger; undefined if there is none, or if its first line does not name its runner.
 *
 * A damaged line (cut, not JSON, NULs where a disk lost a page, fields that no runner writes) is skipped and counted.
 * Its content is unknown, so such a ledger does not prove that anything never started. Throws the error of the file
 * system for a file that exists and cannot be read.
 */
export function readLedger(path: string): LedgerFacts | undefined {
  if (existsSync(path)) return readWhole(path);
  if (!existsSync(ledgerBehind(path))) return undefined;
  return readWhole(ledgerBehind(path), { isBehind: true });
}

function readWhole(path: string, { isBehind = false } = {}): LedgerFacts | undefined {
  const started = new Map<string, { job_id: number; attempt_id: number }>();
  const completed: Completion[] = [];
  const retried: Retried[] = [];
  const begun = new Set<number>();
  const ended = new Set<number>();
  let whose: Pick<LedgerHead, 'run_id' | 'compute_node_id'> | undefined;
  let damagedLines = 0;
  for (const line of linesOf(path)) {
    if (whose === undefined) {
      whose = headIn(line);
      if (whose === undefined) return undefined;
      continue;
    }
    const fact = factIn(line);
    if (fact === undefined) damagedLines += 1;
    else if (fact.kind === 'start') started.set(line, { job_id: fact.job, attempt_id: fact.attempt });
    else if (fact.kind === 'end') completed.push(fact.completion);
    else if (fact.kind === 'retry') retried.push(fact.retried);
    else (fact.isBegin ? begun : ended).add(fact.action);
  }
  if (whose === undefined) return undefined;
  return {
    ...whose,
    ...(isBehind || damagedLines > 0 ? {} : { started: [...started.values()] }),
    completed,
    retried,
    actionsBegun: [...begun].filter((id) => !ended.has(id)),
    actionsEnded: [...ended],
    damagedLines,
  };
}

type Fact =
  | { readonly kind: 'start'; readonly job: number; readonly attempt: number }
  | { readonly kind: 'end'; readonly completion: Completion }
  | { readonly kind: 'retry'; readonly retried: Retried }
  | { readonly kind: 'action'; readonly action: number; readonly isBegin: boolean };

/** The fact in a line; undefined if it is damaged. */
function factIn(line: string): Fact | undefined {
  const start = /^S (\d+) (\d+)$/.exec(line);
  if (start !== null) return { kind: 'start', job: Number(start[1]), attempt: Number(start[2]) };
  const action = /^A (\d+) (begin|end)$/.exec(line);
  if (action !== null) return { kind: 'action', action: Number(action[1]), isBegin: action[2] === 'begin' };
  const value = jsonIn(line.slice(2));
  if (line.startsWith('E ')) {
    return isCompletion(value) ? { kind: 'end', completion: value } : undefined;
  }
  if (!line.startsWith('R ')) return undefined;
  return isRetried(value) ? { kind: 'retry', retried: value } : undefined;
}

/** Checked by hand, not by the schema of the contract: a runner does not load the schema library. */
function isCompletion(value: unknown): value is Completion {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  return (
    ['job_id', 'attempt_id', 'return_code'].every((name) => Number.isSafeInteger(fields[name])) &&
    ['status', 'completion_time'].every((name) => typeof fields[name] === 'string') &&
    isOneOf(REPORTED, fields['status'] as string) &&
    Number.isFinite(fields['exec_time_minutes']) &&
    BYTES.every((name) => fields[name] === undefined || Number.isSafeInteger(fields[name])) &&
    REALS.every((name) => fields[name] === undefined || Number.isFinite(fields[name])) &&
    (fields['cause'] === undefined || typeof fields['cause'] === 'string') &&
    (fields['files'] === undefined || (Array.isArray(fields['files']) && fields['files'].every(hasTime))) &&
    (fields['inputs'] === undefined || (Array.isArray(fields['inputs']) && fields['inputs'].every(isInputStamp)))
  );
}

const BYTES = ['peak_memory_bytes', 'avg_memory_bytes', 'peak_gpu_memory_bytes', 'gpu_memory_bytes'];
const REALS = ['peak_cpu_percent', 'avg_cpu_percent', 'avg_gpu_watts'];

function hasTime(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { id, st_mtime: mtime, made_mtime: made = 0, made_size: size = 0 } = value as Readonly<Record<string, unknown>>;
  return [id, size].every(Number.isSafeInteger) && [mtime, made].every(Number.isFinite);
}

function isInputStamp(value: unknown): boolean {
  if (!hasTime(value)) return false;
  const { st_size: size, hash } = value as { readonly st_size?: unknown; readonly hash?: unknown };
  return Number.isSafeInteger(size) && (hash === undefined || typeof hash === 'string');
}

function isRetried(value: unknown): value is Retried {
  if (!isCompletion(value)) return false;
  const { max_retries: most, raise, is_refunded: isRefunded } = value as Partial<Retried>;
  return (
    Number.isSafeInteger(most) &&
    (isRefunded === undefined || typeof isRefunded === 'boolean') &&
    (raise === undefined || (typeof raise === 'object' && raise !== null && Object.values(raise).every(isAmount)))
  );
}

const isAmount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;

function headIn(line: string): Pick<LedgerHead, 'run_id' | 'compute_node_id'> | undefined {
  if (!line.startsWith(`${MAGIC} `)) return undefined;
  const head = jsonIn(line.slice(MAGIC.length + 1)) as Partial<LedgerHead> | null | undefined;
  const { run_id: runId, compute_node_id: nodeId } = head ?? {};
  return typeof runId === 'number' && typeof nodeId === 'number'
    ? { run_id: runId, compute_node_id: nodeId }
    : undefined;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The ends in a ledger, one at a time: there may be more than fit into memory. */
export function* endsIn(path: string): Generator<Completion> {
  const there = [path, ledgerBehind(path)].find((each) => existsSync(each));
  if (there === undefined) return;
  for (const line of linesOf(there)) {
    const fact = factIn(line);
    if (fact?.kind === 'end') yield fact.completion;
  }
}

const PART_BYTES = 64 * 1024;

/**
 * None of our lines is longer: an end with its files has a few KiB. A run of zeros from a damaged disk may be as long
 * as the disk.
 */
const LONGEST_LINE = 4 * 2 ** 20;

/** Replaces a line that is cut, or longer than any of ours: no fact begins like this. */
const DAMAGED = '\0';

/** The lines of a file. */
function* linesOf(path: string): Generator<string> {
  const fd = openRegular(path, constants.O_NOFOLLOW);
  try {
    const part = Buffer.alloc(PART_BYTES);
    const decoder = new StringDecoder('utf8');
    let rest = '';
    for (let length = readSync(fd, part); length > 0; length = readSync(fd, part)) {
      const lines = (rest + decoder.write(part.subarray(0, length))).split('\n');
      rest = lines.pop() as string;
      if (rest.length > LONGEST_LINE) rest = DAMAGED;
      yield* lines;
    }
    if (rest !== '') yield DAMAGED;
  } finally {
    closeSync(fd);
  }
}
