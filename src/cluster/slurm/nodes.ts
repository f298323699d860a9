/**
 * The CPUs of the allocation, node by node, from `SLURM_JOB_CPUS_PER_NODE` such as `72(x2),36`; undefined if the text is
 * none of this shape.
 */
export function cpusPerNode(text: string | undefined): number[] | undefined {
  const cpus: number[] = [];
  for (const part of (text ?? '').split(',')) {
    const match = /^(\d+)(?:\(x(\d+)\))?$/.exec(part.trim());
    if (match === null) return undefined;
    const times = Number(match[2] ?? 1);
    if (times > MOST_NODES) return undefined;
    for (let node = 0; node < times; node += 1) cpus.push(Number(match[1]));
  }
  return cpus;
}

/** No allocation has more. A larger number is an error, which must not become a list of billions. */
const MOST_NODES = 100_000;
