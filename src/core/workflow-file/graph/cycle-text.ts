// Of a circle of hundreds only the ends are readable.
const MOST_NAMES = 20;

/** A circle of jobs as shown to a user, each waiting for the next: `a → b → c → a`. */
export function cycleText(cycle: readonly number[], nameAt: (job: number) => string): string {
  const first = cycle[0];
  const names = cycle.length <= MOST_NAMES ? cycle.map(nameAt) : shortened(cycle, nameAt);
  return first === undefined ? '' : [...names, nameAt(first)].join(' → ');
}

const shortened = (cycle: readonly number[], nameAt: (job: number) => string): string[] => [
  ...cycle.slice(0, MOST_NAMES - 2).map(nameAt),
  `… ${cycle.length - MOST_NAMES + 1} more …`,
  ...cycle.slice(-1).map(nameAt),
];
