import { runHelper } from '../../../cluster/exec.ts';
import { outsideAllocation, slurmProgram } from '../../../cluster/slurm/programs.ts';
import type { ClusterAttributes } from '../../../core/contract/sonar/cluster.ts';
import { dataMessage, errorMessage, type ProducedMessage, type Origin } from '../../format/envelope.ts';
import { timestampOf } from '../../format/timestamp.ts';
import { namesOf } from './slurm-text.ts';

export interface ClusterOptions {
  readonly origin: Origin;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The program to ask; undefined for the one on PATH, empty for none. */
  readonly sinfo?: string | undefined;
}

const AT_MOST_MS = 10_000;

/** Partitions and states of nodes, from sinfo. */
export async function readCluster({ origin, environment, sinfo }: ClusterOptions): Promise<ProducedMessage> {
  const program = sinfo ?? slurmProgram('sinfo', environment);
  const run = (args: readonly string[]) =>
    program === ''
      ? Promise.reject(new Error('sinfo is switched off'))
      : runHelper(program, ['-h', '-a', ...args], {
          atMostMs: AT_MOST_MS,
          environment: outsideAllocation(environment),
        });
  try {
    const [partitions, nodes] = await Promise.all([
      run(['-O', 'Partition:|,NodeList:|']),
      run(['-e', '-O', 'NodeList:|,StateComplete:|']),
    ]);
    const atMs = Date.now();
    return dataMessage('cluster', origin, atMs, {
      time: timestampOf(atMs),
      cluster: origin.cluster,
      slurm: true,
      partitions: parsePartitions(partitions),
      nodes: parseNodeStates(nodes),
    });
  } catch (error) {
    return errorMessage('cluster', origin, Date.now(), [(error as Error).message]);
  }
}

/** The two fields of each line, without blanks. A banner of the site and a line that is cut off do not look as a row does. */
const pairsIn = (text: string): (readonly [string, string])[] =>
  [...text.matchAll(/^[ \t]*([^|\s]*)[ \t]*\|[ \t]*([^|\s]*)[ \t]*\|[ \t\r]*$/gm)].map(
    ([, first = '', second = '']) => [first, second],
  );

/** `normal*|c1-[5-28]|`: the star marks the default partition. A partition may have no nodes. */
export function parsePartitions(text: string): NonNullable<ClusterAttributes['partitions']> {
  const nodesOf = new Map<string, string[]>();
  for (const [name, list] of pairsIn(text)) {
    const plain = name.replace(/\*$/, '');
    if (plain === '') continue;
    const nodes = nodesOf.get(plain) ?? [];
    for (const each of namesOf(list)) nodes.push(each);
    nodesOf.set(plain, nodes);
  }
  return [...nodesOf].map(([name, nodes]) => ({ name, nodes }));
}

/** `gpu-[4,14]|idle+drain|`: an entry for each set of states. */
export function parseNodeStates(text: string): NonNullable<ClusterAttributes['nodes']> {
  const namesBy = new Map<string, string[]>();
  for (const [list, states] of pairsIn(text)) {
    const names = namesOf(list);
    if (names.length === 0) continue;
    // Marks behind a state, such as the star of a node that does not answer, are no part of it.
    const key = states.toUpperCase().replaceAll(/[^A-Z_+]/g, '');
    const known = namesBy.get(key) ?? [];
    for (const each of names) known.push(each);
    namesBy.set(key, known);
  }
  return [...namesBy].map(([states, names]) => ({ names, states: states.split('+').filter((each) => each !== '') }));
}
