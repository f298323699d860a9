import { type Chunk, chunksIn, parsePbsBytes } from '../../core/allocation/chunks.ts';
import { formatMemory } from '../../core/quantity/bytes.ts';
import { counted, someOf } from '../../core/quantity/count-text.ts';
import type { Tested } from '../batch/allocation-script.ts';
import { parsePbsSeconds } from './dsv.ts';
import { kindsOfNodes, type PbsNodeKind } from './partitions.ts';
import {
  type PbsJobLimits,
  leadsAway,
  jobLimitsOf,
  nodesBehind,
  type PbsCluster,
  queueRefusal,
  wholeIn,
} from './queues.ts';
import { pbsClock, directivesIn } from './submission-script.ts';

interface Size extends Chunk {
  readonly memoryBytes: number;
}

/**
 * What PBS would do with a script, as far as its queues and nodes say: qsub refuses it, or takes it and it never starts.
 *
 * qsub has no such question. Undefined where nothing is known against the script: when it starts is not known either.
 */
export function testedByPbs(text: string, found: PbsCluster): Tested | undefined {
  const options = directivesIn(text);
  const cluster = { ...found, user: { ...found.user, group: groupIn(options) ?? found.user.group } };
  const name = valuesOf(options, '-q')[0] ?? cluster.server.fields.get('default_queue') ?? '';
  const queue = cluster.queues.find(({ id }) => id === name);
  if (queue === undefined) {
    // One of another server.
    if (name === '' || name.includes('@')) return undefined;
    const others = someOf(cluster.queues.map(({ id }) => id));
    return { kind: 'refused', isFinal: true, words: `there is no queue ${name}; the queues here: ${others}` };
  }
  const refused = (words: string, isFinal: boolean): Tested => ({
    kind: 'refused',
    isFinal,
    words: `queue ${name} ${words}`,
  });
  const refusal = queueRefusal(queue, cluster);
  if (refusal !== undefined) return refused(refusal.words, refusal.byQsub);
  const asked = requestsIn(options);
  const sizes = sizesIn(asked);
  const above = aboveLimit(sizes, parsePbsSeconds(asked.get('walltime')) ?? 0, jobLimitsOf(queue, cluster));
  if (above !== undefined) return refused(above, true);
  if (leadsAway(queue, cluster)) return undefined;
  const isScattered = /scatter/.test(asked.get('place') ?? '');
  const words = neverStarts(sizes, kindsOfNodes(nodesBehind(queue, cluster)), isScattered);
  // Its administrators may add a node.
  return words === undefined ? undefined : refused(words, false);
}

/** Why qsub refuses a job of such a size. Limits hold for all of its chunks together. */
function aboveLimit(chunks: readonly Size[], seconds: number, limits: PbsJobLimits): string | undefined {
  if (seconds > limits.walltimeSeconds) return `has a limit of ${pbsClock(limits.walltimeSeconds)}`;
  const sum = (of: (chunk: Size) => number) => chunks.reduce((total, each) => total + each.count * of(each), 0);
  const things: readonly [number, number, (amount: number) => string][] = [
    [sum(({ cpus }) => cpus), limits.cpus, (amount) => counted(amount, 'CPU')],
    [sum(({ memoryBytes }) => memoryBytes), limits.memoryBytes, formatMemory],
    [sum(({ gpus }) => gpus), limits.gpus, (amount) => counted(amount, 'GPU')],
    [sum(() => 1), limits.nodes, (amount) => counted(amount, 'node')],
  ];
  for (const [amount, limit, words] of things)
    if (amount > limit)
      return `gives a job ${words(limit)} at most, and ${askedFor(words(amount).split(' ')[0], amount)}`;
  const nodes = sum(() => 1);
  return nodes < limits.leastNodes
    ? `gives a job ${counted(limits.leastNodes, 'node')} at least, and ${askedFor(nodes, nodes)}`
    : undefined;
}

const askedFor = (text: string | number | undefined, amount: number) =>
  `${text} ${amount === 1 ? 'is' : 'are'} asked for`;

/** Why no nodes have what is asked for; undefined where they may. */
function neverStarts(chunks: readonly Size[], kinds: readonly PbsNodeKind[], isScattered: boolean): string | undefined {
  if (kinds.length === 0) return 'has no nodes';
  for (const chunk of chunks) {
    const fits = kinds
      .filter(
        ({ cpus, memoryBytes, gpus }) =>
          cpus >= chunk.cpus && (memoryBytes || Infinity) >= chunk.memoryBytes && gpus >= chunk.gpus,
      )
      .reduce((total, { count }) => total + count, 0);
    if (fits === 0)
      return `has no node with ${sizeText(chunk)}; its nodes have ${kinds.slice(0, 3).map(sizeText).join('; ')}`;
    if (isScattered && fits < chunk.count)
      return `has ${counted(fits, 'node')} with ${sizeText(chunk)}, and ${askedFor(chunk.count, chunk.count)}`;
  }
  return undefined;
}

/** `4 CPUs, 4g and 2 GPUs`. */
const sizeText = ({ cpus, memoryBytes, gpus }: Omit<Size, 'count'>): string =>
  [
    counted(cpus, 'CPU'),
    ...(memoryBytes > 0 ? [formatMemory(memoryBytes)] : []),
    ...(gpus > 0 ? [counted(gpus, 'GPU')] : []),
  ]
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1');

const valuesOf = (options: readonly string[], name: string): string[] =>
  options.flatMap((option, at) => (option === name ? (options[at + 1] ?? []) : []));

/** The group that a job says it belongs to: `-W group_list=climate@pbs`. */
const groupIn = (options: readonly string[]): string | undefined =>
  valuesOf(options, '-W')
    .flatMap((list) => /(?:^|,)group_list=([^,@]+)/.exec(list)?.[1] ?? [])
    .at(-1);

/** The values behind `-l`, by their names: `walltime=…`, `select=…`, `nodes=2:ppn=4`. */
function requestsIn(options: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const each of valuesOf(options, '-l').flatMap((list) => list.split(','))) {
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
  const chunks = chunksIn(text);
  const nodes = chunks.reduce((total, { count }) => total + count, 0);
  // That of the older form is the sum of all nodes.
  return chunks.map((chunk) => ({ ...chunk, memoryBytes: chunk.memoryBytes ?? whole.memoryBytes / nodes }));
}
