import { type Chunk, chunksIn } from '../../core/allocation/chunks.ts';
import { formatMemory } from '../../core/quantity/bytes.ts';
import { formatWalltime } from '../../core/quantity/slurm-time.ts';
import type { Tested } from '../batch/allocation-script.ts';
import { parsePbsBytes, parsePbsSeconds, type PbsRecord } from './dsv.ts';
import { nodesOfQueue, type PbsCluster, pbsPartitions, queueRefusal, wholeIn } from './partitions.ts';
import { directivesIn } from './submission-script.ts';

interface Size extends Chunk {
  readonly memoryBytes: number;
}

/**
 * What PBS would do with a script, as far as its queues and nodes say: qsub refuses it, or takes it and it never starts.
 *
 * qsub has no such question. Undefined where nothing is known against the script: when it starts is not known either.
 */
export function testedByPbs(text: string, cluster: PbsCluster): Tested | undefined {
  const options = directivesIn(text);
  const at = options.indexOf('-q');
  const name = (at < 0 ? cluster.server.fields.get('default_queue') : options[at + 1]) ?? '';
  const queue = cluster.queues.find(({ id }) => id === name);
  const partition = pbsPartitions(cluster).find((each) => each.name === name);
  if (queue === undefined || partition === undefined) {
    // One of another server.
    if (name === '' || name.includes('@')) return undefined;
    const others = cluster.queues.map(({ id }) => id).join(', ');
    return { kind: 'refused', isFinal: true, words: `there is no queue ${name}; the queues here: ${others}` };
  }
  const refusal = queueRefusal(queue, cluster);
  if (refusal !== undefined)
    return { kind: 'refused', isFinal: refusal.byQsub, words: `queue ${name} ${refusal.words}` };
  const asked = requestsIn(options);
  const seconds = parsePbsSeconds(asked.get('walltime'));
  if (seconds !== undefined && seconds > partition.max_walltime_secs) {
    const limit = formatWalltime(partition.max_walltime_secs);
    return { kind: 'refused', isFinal: true, words: `queue ${name} has a limit of ${limit}` };
  }
  const nodes = nodesOfQueue(queue, cluster.nodes);
  const words = neverStarts(sizesIn(asked), nodes, /scatter/.test(asked.get('place') ?? ''));
  // Its administrators may add a node.
  return words === undefined ? undefined : { kind: 'refused', isFinal: false, words: `queue ${name} ${words}` };
}

/** Why no nodes have what is asked for; undefined where they may. */
function neverStarts(chunks: readonly Size[], nodes: readonly PbsRecord[], isScattered: boolean): string | undefined {
  const sizes = nodes.map(({ fields }) => ({
    cpus: wholeIn(fields.get('resources_available.ncpus')) ?? 0,
    memoryBytes: parsePbsBytes(fields.get('resources_available.mem')) ?? Infinity,
    gpus: wholeIn(fields.get('resources_available.ngpus')) ?? 0,
  }));
  if (sizes.length === 0) return 'has no nodes';
  for (const chunk of chunks) {
    const fits = sizes.filter(
      (size) => size.cpus >= chunk.cpus && size.memoryBytes >= chunk.memoryBytes && size.gpus >= chunk.gpus,
    );
    if (fits.length === 0)
      return `has no node with ${sizeText(chunk)}; it has nodes with ${[...new Set(sizes.map(sizeText))].slice(0, 3).join(', ')}`;
    if (isScattered && fits.length < chunk.count)
      return `has ${fits.length} nodes with ${sizeText(chunk)}, and ${chunk.count} are asked for`;
  }
  return undefined;
}

const sizeText = ({ cpus, memoryBytes, gpus }: Omit<Size, 'count'>): string =>
  [
    `${cpus} CPUs`,
    ...(memoryBytes > 0 && Number.isFinite(memoryBytes) ? [formatMemory(memoryBytes)] : []),
    ...(gpus > 0 ? [`${gpus} GPUs`] : []),
  ].join(' and ');

/** The values behind `-l`, by their names: `walltime=…`, `select=…`, `nodes=2:ppn=4`. */
function requestsIn(options: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const [at, option] of options.entries())
    if (option === '-l')
      for (const each of (options[at + 1] ?? '').split(',')) {
        const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(each) ?? [];
        found.set(name, value);
      }
  return found;
}

function sizesIn(asked: ReadonlyMap<string, string>): Size[] {
  const text = asked.get('select') ?? asked.get('nodes');
  const whole = {
    cpus: wholeIn(asked.get('ncpus')) ?? 1,
    memoryBytes: asked.has('select') ? 0 : (parsePbsBytes(asked.get('mem')) ?? 0),
    gpus: wholeIn(asked.get('ngpus')) ?? 0,
  };
  if (text === undefined) return [{ count: 1, ...whole }];
  return chunksIn(text).map((chunk) => ({
    ...chunk,
    // That of the older form is the sum of all nodes.
    memoryBytes: chunk.memoryBytes ?? whole.memoryBytes / chunk.count,
  }));
}
