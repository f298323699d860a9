import type { Client } from '../../client/client.ts';
import { JobCompletion } from '../../core/contract/result.ts';
import { readJournal } from '../../runner/journal/file.ts';

/** What became of one journal. */
export interface Replayed {
  readonly path: string;
  completions: number;
  accepted: number;
  /** Why the file, or a part of it, could not be read. */
  readonly faults: string[];
}

/** A reason for which entries were refused, as the server said it of the first. */
export interface Rejection {
  readonly message: string;
  count: number;
}

export interface Replay {
  readonly files: readonly Replayed[];
  readonly rejections: readonly Rejection[];
}

/** Entries of one call: as many as the original sends, so that no server is held up for long. */
const BATCH = 500;

interface Entry {
  readonly completion: JobCompletion;
  readonly file: Replayed;
}

/**
 * Tells the server what journals hold, in batches that go across files, and counts what it took.
 *
 * It may be done again at any time: the server refuses what it knows. A file that cannot be read whole gives what can be
 * read of it.
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

/** The entries of a journal that are what they should be; the others are noted as faults. */
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

/** The entry, or why it is none. */
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
  // The server goes by the order: of two entries of a job the first is the one that it took.
  for (const { completion, file } of batch) if (accepted.delete(completion.job_id)) file.accepted += 1;
  for (const { message } of errors) {
    const kind = message.replaceAll(/\d+/g, '#');
    const known = rejections.get(kind);
    if (known === undefined) rejections.set(kind, { message, count: 1 });
    else known.count += 1;
  }
}
