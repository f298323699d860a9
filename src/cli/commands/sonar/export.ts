import { appendFileSync, existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../../cluster/make-folder.ts';
import { unchangedCompat } from '../../../core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../../../core/contract/sonar/encode.ts';
import { formatTimestamp } from '../../../core/contract/sonar/timestamp.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import type { EnvelopeSelection, StoredEnvelope } from '../../../telemetry/store/telemetry-store.ts';
import { command } from '../../command/command.ts';
import { Failure } from '../../command/failure.ts';
import { isReaderGone, writeOut } from '../../terminal/write-out.ts';
import { requireCluster } from './known-cluster.ts';
import { readTime } from './read-time.ts';
import { storeOption, withStore } from './store.ts';
import { option } from '../../command/option.ts';

/** Bytes between writes. */
const PORTION = 262_144;

export const exportEnvelopes = command('sonar export', {
  says: 'Write the stored envelopes again, one a line.',
  example: '--node c1 --from 2h',
  more: 'They are equal to those that were stored; fields with their default value are left out.',
  options: [
    storeOption,
    option('--cluster <name>', 'only of this cluster'),
    option('--node <name>', 'only of this node; its first label is enough'),
    option('--type <type>', 'only of this type', { choices: ['sample', 'sysinfo', 'job', 'cluster', 'error'] }),
    option('--from <time>', 'from this time on, such as 2026-03-01 or 2h', { read: readTime }),
    option('--to <time>', 'before this time', { read: readTime }),
    option('--dir <folder>', 'write a tree of files as the directory sink does, into a new or empty folder'),
  ],
  offline: true,
  async run({ output }, _args, options) {
    const { cluster, node, from, to: until } = options;
    const selection: EnvelopeSelection = {
      cluster,
      node,
      from,
      until,
      types: options.type === undefined ? undefined : [options.type],
    };
    const { dir } = options;
    if (dir !== undefined && existsSync(dir) && readdirSync(dir).length > 0)
      throw new Failure(`${dir} is not empty: an export would add to its files; name a new folder`);
    await withStore(options.store, { isReadOnly: true }, async (store) => {
      await requireCluster(store.rows, cluster);
      if (dir === undefined) return print(store.envelopes(selection));
      let count = 0;
      for await (const stored of store.envelopes(selection)) {
        const path = join(dir, pathOf(stored));
        makeFolder(dirname(path));
        appendFileSync(path, `${encodeEnvelope(stored.envelope, unchangedCompat)}\n`);
        count++;
      }
      output.notice(`${counted(count, 'envelope')} written to ${dir}`);
    });
  },
});

async function print(envelopes: AsyncIterable<StoredEnvelope>): Promise<void> {
  let text = '';
  try {
    for await (const { envelope } of envelopes) {
      text += `${encodeEnvelope(envelope, unchangedCompat)}\n`;
      if (text.length < PORTION) continue;
      await writeOut(Buffer.from(text));
      text = '';
    }
    await writeOut(Buffer.from(text));
  } catch (error) {
    if (!isReaderGone(error)) throw error;
  }
}

/** Where Sonar's directory sink puts it: a folder for each day in UTC. */
function pathOf({ cluster, node, type, time }: StoredEnvelope): string {
  const day = formatTimestamp(time).slice(0, 10).replaceAll('-', '/');
  const name =
    type === 'job'
      ? '0+job-slurm.json'
      : type === 'cluster'
        ? '0+cluzter-slurm.json'
        : `0+${type}-${node ?? 'unknown'}.json`;
  return join(cluster, day, name);
}
