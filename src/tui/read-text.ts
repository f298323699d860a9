import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Client } from '../client/client.ts';
import { isUnknownRoute } from '../client/compat/unknown-route.ts';
import { Refusal } from '../core/contract/refusals.ts';
import { sizeText } from '../core/quantity/size-text.ts';
import { findOutput } from '../operations/output/job-output.ts';
import { type JobText, otherStream, type TextSource } from './model.ts';

/** The end of a file is shown, as Torc 1.0.0 shows files up to this size. */
const MOST_BYTES = 2 ** 20;
const HEX_BYTES = 4096;
const HEX_IN_LINE = 16;

export interface OpenText {
  readonly title: string;
  readonly lines: readonly string[];
  /** What was read, if it is not what was asked for. */
  readonly source?: TextSource;
  /** The lines as they are now; nothing if the file has not changed. */
  next(): Promise<readonly string[] | undefined>;
}

/** Reads what a job wrote, or a file. Throws a sentence that says why there is nothing to show. */
export async function openText(client: Client, source: TextSource, outputDir: string): Promise<OpenText> {
  if (source.from === 'file') return ofFile(source.path, source.path);
  const { jobId, stream, orOther = false } = source;
  if (orOther) return ofStreamWithText(client, source, outputDir);
  const wanted = { run: undefined, attempt: undefined };
  try {
    const { job, attempt, path } = await findOutput(client, jobId, { wanted, stream, outputDir });
    return await ofFile(path, `${stream} of job ${jobId} (${job.name}), attempt ${attempt.attempt}: ${path}`);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'OUTPUT_MISSING') throw error;
    return ofServer(client, source, error);
  }
}

/** The stream if it has something, else the other one if that has; then Tab changes from what is shown. */
async function ofStreamWithText(client: Client, { jobId, stream }: JobText, outputDir: string): Promise<OpenText> {
  const source: JobText = { from: 'job', jobId, stream };
  const first = await openText(client, source, outputDir).catch((error: unknown) => error as Error);
  if (!(first instanceof Error) && hasText(first)) return first;
  const other = otherStream(source);
  const second = await openText(client, other, outputDir).catch(() => undefined);
  if (second !== undefined && hasText(second)) return { ...second, source: other };
  if (first instanceof Error) throw first;
  return { ...first, source };
}

const EMPTY = '(empty)';
const hasText = ({ lines }: OpenText) => lines.length > 0 && !(lines.length === 1 && lines[0] === EMPTY);

/** What the server can read: the file may be on its machine. */
async function ofServer(client: Client, { jobId, stream }: JobText, missing: Refusal) {
  const read = async () => {
    const tail = await client.getOutputTail({ params: { id: jobId }, query: { stream } }).catch((error: unknown) => {
      throw isUnknownRoute(error) ? missing : error;
    });
    if (!tail.lines) throw missing;
    return tail.has_more === true ? ['… earlier lines are left out', ...tail.lines] : tail.lines;
  };
  return { title: `${stream} of job ${jobId}, read by the server`, lines: await read(), next: read };
}

async function ofFile(path: string, title: string): Promise<OpenText> {
  let seen = '';
  const read = async (): Promise<readonly string[] | undefined> => {
    // Opening a pipe would wait for its writer.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
      throw new Error(error.code === 'ENOENT' ? `${path} is not on this host, ${hostname()}` : error.message);
    });
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw new Error(`${path} is not a file`);
      const now = `${stats.size} ${stats.mtimeMs} ${stats.ino}`;
      if (now === seen) return undefined;
      seen = now;
      return await linesOf(file, stats.size);
    } finally {
      await file.close();
    }
  };
  return { title, lines: (await read()) ?? [], next: read };
}

async function linesOf(file: FileHandle, sizeBytes: number): Promise<string[]> {
  const from = Math.max(0, sizeBytes - MOST_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(sizeBytes - from), 0, sizeBytes - from, from);
  const bytes = buffer.subarray(0, bytesRead);
  // Programs and images have it near their beginning; texts have it nowhere.
  if (bytes.includes(0)) return hexLines(bytes.subarray(0, HEX_BYTES), sizeBytes, from);
  if (bytes.length === 0) return [EMPTY];
  const lines = bytes.toString('utf8').replace(/\n$/, '').split('\n').map(lastWritten);
  return from === 0 ? lines : [`… the first ${sizeText(from)} are left out`, ...lines.slice(1)];
}

/** Bars of progress are written over each other: the last one is what a terminal would show. */
const lastWritten = (line: string): string => line.replace(/\r$/, '').replace(/^[^]*\r/, '');

function hexLines(bytes: Buffer, sizeBytes: number, from: number): string[] {
  const lines = [`binary, ${sizeText(sizeBytes)}`];
  for (let at = 0; at < bytes.length; at += HEX_IN_LINE) {
    const part = bytes.subarray(at, at + HEX_IN_LINE);
    const hex = part
      .toString('hex')
      .replaceAll(/../g, '$& ')
      .padEnd(HEX_IN_LINE * 3);
    lines.push(
      `${(from + at).toString(16).padStart(8, '0')}  ${hex} ${part.toString('latin1').replaceAll(/[^ -~]/g, '.')}`,
    );
  }
  return sizeBytes > bytes.length ? [...lines, '…'] : lines;
}
