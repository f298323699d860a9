/** A part of a request for nodes, such as `2:ncpus=4:mem=8gb:ngpus=1`: so often so much of one node. */
export interface Chunk {
  readonly count: number;
  /** 1 where it says none. */
  readonly cpus: number;
  readonly memoryBytes: number | undefined;
  readonly gpus: number;
}

/** The chunks of `2:ncpus=4+1:ncpus=8`, or of the older `2:ppn=4`. One without a number is one. Source: pbs_resources(7B). */
export const chunksIn = (select: string): Chunk[] =>
  select.split('+').map((part) => {
    const [first = '', ...values] = part.trim().split(':');
    const of = new Map([first, ...values].map((value) => value.split('=', 2) as [string, string]));
    const whole = (name: string) => {
      const text = of.get(name);
      return /^\d+$/.test(text ?? '') ? Number(text) : undefined;
    };
    return {
      count: /^\d+$/.test(first) ? Number(first) : 1,
      cpus: whole('ncpus') ?? whole('ppn') ?? 1,
      memoryBytes: parsePbsBytes(of.get('mem')),
      gpus: whole('ngpus') ?? whole('gpus') ?? 0,
    };
  });

const FACTORS: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40, p: 2 ** 50 };

/** Bytes in a size of PBS such as `512000kb`, `2gb`, `100` or `1kw`; undefined for another text. A word has 8 bytes. */
export function parsePbsBytes(text: string | undefined): number | undefined {
  const [, digits, unit = '', kind] = /^(\d+)([kmgtp]?)([bw]?)$/i.exec(text ?? '') ?? [];
  if (digits === undefined) return undefined;
  return Number(digits) * (FACTORS[unit.toLowerCase()] ?? 1) * (kind?.toLowerCase() === 'w' ? 8 : 1);
}
