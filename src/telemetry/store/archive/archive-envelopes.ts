import type { DuckDBValue } from '@duckdb/node-api';
import { exactUint } from '../../../core/contract/sonar/extended-uint.ts';
import type { SqliteRow } from '../sqlite/database.ts';
import type { Cluster } from '../queries/selection.ts';
import { type Cell, packUints } from '../rows/numbers.ts';
import type { InArrivalOrder, RowEnvelopes } from '../sqlite/read.ts';
import type { SampleParts } from '../envelope-of-rows.ts';
import type { EnvelopeSelection, StoredEnvelope } from '../telemetry-store.ts';
import type { ArchiveRows } from './archive-rows.ts';
import type { ClosedDay } from './catalog.ts';

/** Samples that are in memory at once: with 40 processes each, some 50 MB. */
const SAMPLES = 1000;

/** The archived samples of a selection, in the order of time and arrival. */
export async function* archivedEnvelopes(
  archive: ArchiveRows,
  reader: RowEnvelopes,
  { id, name }: Cluster,
  { node, types, from = 0, until = Infinity }: EnvelopeSelection,
): AsyncGenerator<readonly InArrivalOrder<StoredEnvelope>[]> {
  if (types !== undefined && !types.includes('sample')) return;
  for (const day of archive.days(id, { from, until }))
    for (const slice of slicesOf(await archive.timesOf(day, { node, from, until })))
      yield await readSlice(archive, reader, name, day, { ...slice, node });
}

/** Times of a day in slices with so many samples. */
function slicesOf(times: readonly (readonly [time: number, samples: number])[]): { from: number; until: number }[] {
  const slices: { from: number; until: number }[] = [];
  let samples = SAMPLES;
  for (const [time, count] of times) {
    const open = slices.at(-1);
    if (open === undefined || samples + count > SAMPLES) {
      slices.push({ from: time, until: time + 1 });
      samples = count;
    } else {
      open.until = time + 1;
      samples += count;
    }
  }
  return slices;
}

async function readSlice(
  archive: ArchiveRows,
  reader: RowEnvelopes,
  cluster: string,
  day: ClosedDay,
  window: { from: number; until: number; node: string | undefined },
): Promise<InArrivalOrder<StoredEnvelope>[]> {
  const grouped = async (table: Parameters<ArchiveRows['rowsOf']>[0]) =>
    Map.groupBy((await archive.rowsOf(table, day, window)).map(asRow), ({ envelope }) => Number(envelope));
  const [samples, processes, gpus, cards, disks] = [
    await archive.rowsOf('sample', day, window),
    await grouped('process'),
    await grouped('process_gpu'),
    await grouped('card'),
    await grouped('disk'),
  ];
  return samples.map((cells) => {
    const sample = asRow(cells);
    const id = Number(sample['id']);
    const own = processes.get(id) ?? [];
    const parts: SampleParts = {
      system: cells['has_system'] === true ? sample : undefined,
      cards: cards.get(id) ?? [],
      disks: disks.get(id) ?? [],
      jobs: [...new Map(own.map((row) => [Number(row['slot']), row])).values()],
      processes: own.filter(({ ord }) => ord !== null),
      processGpus: gpus.get(id) ?? [],
    };
    return reader.archived(cluster, sample, parts);
  });
}

/** A row of the archive as one of the store: with packed lists, and a name where the number of a dictionary is. */
function asRow(cells: Readonly<Record<string, DuckDBValue>>): SqliteRow {
  const row: Record<string, Cell> = {};
  for (const [name, value] of Object.entries(cells)) row[name] = cellOf(value);
  row['gpu'] = row['uuid'] ?? null;
  return row;
}

function cellOf(value: DuckDBValue): Cell {
  if (value === null || typeof value === 'bigint' || typeof value === 'number' || typeof value === 'string')
    return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'object' && 'items' in value)
    return packUints((value.items as readonly bigint[]).map((each) => exactUint(each)));
  throw new Error(`a file of the archive has a value that no torc writes: ${String(value)}`);
}
