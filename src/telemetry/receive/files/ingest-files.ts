import { aboutOf } from '../../../core/contract/sonar/envelope.ts';
import { recordsOfFiles } from '../../format/files.ts';
import type { InputFile } from './paths.ts';
import type { EnvelopeRecord } from '../../format/envelope-reader.ts';
import { ingestInto, type IngestCounts, noCounts } from './ingest.ts';
import type { TelemetryStore } from '../../store/telemetry-store.ts';

/** Records of one transaction: more lock the store for longer, fewer are slower. 500 samples are 20,000 rows, 0.2 s. */
const BATCH = 500;

export interface IngestProgress {
  /** Of the files, as they are on disk. */
  readonly bytes: number;
  readonly records: number;
}

export interface FileCounts extends IngestCounts {
  /** Files that could not be read to their end; what stands before the damage is stored. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
}

export interface IngestSettings {
  /** The cluster of envelopes that name none, before that of their folder. */
  readonly cluster?: string | undefined;
  /** Adds clusters that are not known. */
  readonly addsClusters: boolean;
  /** Unix time. */
  readonly now: () => number;
  readonly onProgress: (progress: IngestProgress) => void;
}

/** Stores the envelopes of files. What was stored before an error stays; to run it again stores only the rest. */
export async function ingestFiles(
  store: TelemetryStore,
  files: readonly InputFile[],
  { cluster, addsClusters, now, onProgress }: IngestSettings,
): Promise<FileCounts> {
  const total = noCounts();
  const unreadable: { path: string; reason: string }[] = [];
  let [bytes, records] = [0, 0];
  /** Of the batch that is being stored while the next one is read. */
  let finish: () => Promise<void> = async () => {};
  for (const file of files) {
    const fallback = cluster ?? file.cluster;
    let batch: EnvelopeRecord[] = [];
    const write = async () => {
      const own = batch;
      if (own.length === 0) return;
      batch = [];
      const received = now();
      if (addsClusters) for (const name of clustersOf(own, fallback)) await store.addCluster(name, received);
      const counts = ingestInto(store, own, { received, origin: file.path, cluster: fallback });
      // Its failure is reported when it is finished.
      counts.catch(() => {});
      await finish();
      finish = async () => {
        addCounts(total, await counts);
        records += own.length;
        onProgress({ bytes, records });
      };
    };
    const portions = recordsOfFiles(file.path, { onBytes: (count) => void (bytes += count) });
    for (;;) {
      let next: IteratorResult<readonly EnvelopeRecord[]>;
      try {
        next = await portions.next();
      } catch (error) {
        // One damaged file of a tree must not hide the others.
        unreadable.push({ path: file.path, reason: (error as Error).message });
        break;
      }
      if (next.done === true) break;
      batch = batch.length === 0 ? [...next.value] : [...batch, ...next.value];
      if (batch.length >= BATCH) await write();
    }
    await write();
  }
  await finish();
  return { ...total, unreadable };
}

const clustersOf = (records: readonly EnvelopeRecord[], fallback: string | undefined): ReadonlySet<string> =>
  new Set(
    records.flatMap(({ envelope }) => {
      if (envelope === undefined) return [];
      const name = aboutOf(envelope).cluster ?? fallback;
      return name === undefined ? [] : [name];
    }),
  );

function addCounts(total: IngestCounts, more: IngestCounts): void {
  total.stored += more.stored;
  total.repeated += more.repeated;
  total.quarantined += more.quarantined;
  for (const [name, count] of more.unknownClusters)
    total.unknownClusters.set(name, (total.unknownClusters.get(name) ?? 0) + count);
}
