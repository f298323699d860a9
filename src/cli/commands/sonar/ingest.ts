import { counted, grouped } from '../../../core/quantity/count-text.ts';
import { sizeText } from '../../../core/quantity/size-text.ts';
import type { IngestProgress } from '../../../telemetry/receive/files/ingest-files.ts';
import type { IngestCounts } from '../../../telemetry/receive/files/ingest.ts';
import { type InputFile, inputFilesOf, linkFiles } from '../../../telemetry/receive/files/paths.ts';
import { command } from '../../command/command.ts';
import { Failure } from '../../command/failure.ts';
import { fileErrorText } from '../../terminal/file-error.ts';
import type { Output } from '../../output/output.ts';
import { storeOption, withStore } from './store.ts';
import { option } from '../../command/option.ts';

const PROGRESS_MS = 500;

export const ingest = command('sonar ingest <path...>', {
  says: 'Store the Sonar envelopes of files and folders.',
  example: 'data/ --add-clusters',
  more:
    'A folder is read with all folders in it, as the directory sink of Sonar writes them; - is standard input. Files may be packed ' +
    'with gzip. What the store has already is not stored again, so an ingest that was interrupted is simply repeated. ' +
    'Files that end in .links, which a runner writes beside its samples, say which processes belong to which workflow job. ' +
    'Envelopes that cannot be used are kept in quarantine, and the exit code is then 1.',
  options: [
    storeOption,
    option('--cluster <name>', 'cluster of envelopes that name none (default: the folder above YYYY/MM/DD)'),
    option('--add-clusters', 'add clusters that the store does not know'),
  ],
  offline: true,
  async run({ output, configuration, exitWith }, [paths], options) {
    output.recordOnly('sonar ingest');
    const { ingestFiles } = await import('../../../telemetry/receive/files/ingest-files.ts');
    const { linksIn } = await import('../../../telemetry/receive/files/links.ts');
    const { files, linked } = filesAt(paths);
    if (files.length === 0 && linked.length === 0)
      throw new Failure(
        `no files of envelopes in ${paths.join(', ')}: expected names that end in .json, .ndjson or .jsonl`,
      );
    const progress = progressLine(output, files);
    const { counts, links } = await withStore(
      options.store,
      { umask: configuration['server.umask'] },
      async (store) => {
        const stored = await ingestFiles(store, files, {
          cluster: options.cluster,
          addsClusters: options.addClusters === true,
          now: () => Math.floor(Date.now() / 1000),
          onProgress: progress.update,
        }).finally(progress.clear);
        let added = 0;
        for (const path of linked) for await (const portion of linksIn(path)) added += await store.addLinks(portion);
        return { counts: stored, links: added };
      },
    );
    const { stored, repeated, quarantined, unknownClusters, unreadable } = counts;
    const unknown = Object.fromEntries(unknownClusters);
    const result = { files: files.length, stored, repeated, quarantined, unknown_clusters: unknown, unreadable, links };
    output.record('sonar ingest', result, resultText(files.length, counts, links));
    if (unknownClusters.size > 0) {
      const [name = ''] = unknownClusters.keys();
      output.warn(
        `the store has no cluster ${[...unknownClusters.keys()].join(', ')}; torc sonar clusters add ${name}`,
      );
    }
    for (const { path, reason } of unreadable) output.warn(`${path} cannot be read to its end: ${reason}`);
    if (quarantined > 0 || unknownClusters.size > 0 || unreadable.length > 0) exitWith(1);
  },
});

function filesAt(paths: readonly string[]): { files: InputFile[]; linked: string[] } {
  try {
    return { files: inputFilesOf(paths), linked: linkFiles(paths) };
  } catch (cause) {
    throw new Failure(fileErrorText(cause) ?? `cannot read: ${(cause as Error).message}`, { cause });
  }
}

function resultText(
  files: number,
  { stored, repeated, quarantined, unknownClusters }: IngestCounts,
  links: number,
): string {
  const unknown = [...unknownClusters.values()].reduce((sum, count) => sum + count, 0);
  return [
    `${counted(files, 'file')}: ${grouped(stored)} stored`,
    ...(repeated > 0 ? [`${grouped(repeated)} already there`] : []),
    ...(quarantined > 0 ? [`${grouped(quarantined)} in quarantine`] : []),
    ...(links > 0 ? [counted(links, 'link to a workflow job', 'links to workflow jobs')] : []),
    ...(unknown > 0 ? [`${grouped(unknown)} of unknown clusters`] : []),
  ].join(', ');
}

/** On a terminal, one line that changes. */
function progressLine(output: Output, files: readonly InputFile[]) {
  const isLive = process.stderr.isTTY === true && !output.isQuiet;
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let nextMs = 0;
  return {
    update({ bytes, records }: IngestProgress) {
      if (!isLive || Date.now() < nextMs) return;
      nextMs = Date.now() + PROGRESS_MS;
      const of = total > 0 ? ` of ${sizeText(total)}` : '';
      process.stderr.write(
        `\r\u001b[2K${output.terminalText('dim', `${sizeText(bytes)}${of} · ${grouped(records)} records`)}`,
      );
    },
    clear() {
      if (isLive && nextMs > 0) process.stderr.write('\r\u001b[2K');
    },
  };
}
