/** Trackable resources of Slurm: what jobs have. Memory is in KiB. */
export interface Tres {
  readonly cpu: number;
  readonly memory: number;
  readonly gpu: number;
  readonly node: number;
  readonly billing: number;
}

const KIB: Readonly<Record<string, number>> = { K: 1, M: 1024, G: 1024 ** 2, T: 1024 ** 3, P: 1024 ** 4 };

/** An even share of amounts such as `cpu=4,mem=16G,node=2,gres/gpu=2,billing=4`; without a unit, memory is in MiB. */
export function amountsOf(words: string, nodes: number): Tres {
  const amounts = new Map(
    words.split(',').map((word): [string, string] => {
      const [name = '', amount = ''] = word.trim().split('=', 2);
      return [name, amount];
    }),
  );
  const number = (name: string) => (Number(amounts.get(name) ?? 0) || 0) / nodes;
  const [, size = '0', unit = 'M'] = /^([\d.]+)([KMGTP])?$/.exec(amounts.get('mem') ?? '') ?? [];
  return {
    cpu: Math.round(number('cpu')),
    memory: Math.round((Number(size) * (KIB[unit] ?? 1)) / nodes),
    gpu: Math.round(number('gres/gpu') || typedCards(amounts) / nodes),
    node: 1,
    billing: number('billing'),
  };
}

/** Sites that account for kinds of cards alone have `gres/gpu:volta=2` without the plain entry, which is the sum of all kinds. */
const typedCards = (amounts: ReadonlyMap<string, string>): number =>
  [...amounts].reduce((sum, [name, amount]) => sum + (name.startsWith('gres/gpu:') ? Number(amount) || 0 : 0), 0);

export const addAmounts = (one: Tres | undefined, other: Tres): Tres => ({
  cpu: (one?.cpu ?? 0) + other.cpu,
  memory: (one?.memory ?? 0) + other.memory,
  gpu: (one?.gpu ?? 0) + other.gpu,
  node: 1,
  billing: (one?.billing ?? 0) + other.billing,
});
