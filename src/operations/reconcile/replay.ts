import type { Client } from '../../client/client.ts';
import { JobCompletion } from '../../core/contract/result.ts';
import { readJournal } from '../../runner/outage/journal/file.ts';

/** The result of one journal. */
export interface Replayed {
  readonly path: string;
  completions: number;
  accepted: number;
  /** Why the file, or a part of it, could not be read. */
  readonly faults: string[];
}

/** A reason for refused entries, as the server stated it for the first. */
export interface Rejection {
  readonly message: string;
  count: number;
}

interface Replay {
  readonly files: readonly Replayed[];
  readonly rejections: readonly Rejection[];
}

/** Entries in one request: as many as Torc 1.0.0 sends, so that no server is blocked for long. */
const BATCH = 500;

interface Entry {
  readonly completion: JobCompletion;
  readonly file: Replayed;
}

/**
 * Sends the content of journals to the server, in batches across files, and counts the accepted entries.
 *
 * It may be repeated at any time: the server refuses known results. Of a damaged file, the readable part is sent.
 */
export async function replayJournals(client: Client, workflowId: number, paths: readonly string[]): Promise<Replay> {
  const files: Replayed[] = [];
  const rejections = new Map<string, Rejection>();
  let batch: Entry[] = [];
  const send = async () => {
    if (batch.length > 0) await replay(client, workflowId, batch, rejections);
    batch = [];
  };
  for (const path of paths) {
    const file: Replayed = { path, completions: 0, accepted: 0, faults: [] };
    files.push(file);
    for (const completion of completionsIn(file)) {
      batch.push({ completion, file });
      if (batch.length === BATCH) await send();
    }
  }
  await send();
  return { files, rejections: [...rejections.values()] };
}

/** The valid entries of a journal; the others are recorded as faults. */
function completionsIn(file: Replayed): JobCompletion[] {
  const { payloads, fault } = readJournal(file.path);
  if (fault !== undefined) file.faults.push(fault);
  const completions = payloads.flatMap((text) => {
    const completion = completionOf(text);
    if (typeof completion !== 'string') return [completion];
    file.faults.push(completion);
    return [];
  });
  file.completions = completions.length;
  return completions;
}

/** The entry, or why it is invalid. */
function completionOf(text: string): JobCompletion | string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return `an entry is not JSON: ${shortened(text)}`;
  }
  const { data, error } = JobCompletion.safeParse(json);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  return `an entry is not a completion (${issue?.path.join('.')}: ${issue?.message}): ${shortened(text)}`;
}

const shortened = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

async function replay(
  client: Client,
  workflowId: number,
  batch: readonly Entry[],
  rejections: Map<string, Rejection>,
): Promise<void> {
  const completions = batch.map(({ completion }) => completion);
  const { completed, errors } = await client.batchCompleteJobs({ params: { id: workflowId }, body: { completions } });
  const accepted = new Set(completed);
  // The server uses the order: of two entries of a job it accepted the first.
  for (const { completion, file } of batch) if (accepted.delete(completion.job_id)) file.accepted += 1;
  for (const { message } of errors) {
    const kind = message.replaceAll(/\d+/g, '#');
    const known = rejections.get(kind);
    if (known === undefined) rejections.set(kind, { message, count: 1 });
    else known.count += 1;
  }
}
