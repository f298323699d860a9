import { type Grouping, GROUPINGS } from '../../../hpc/grouping.ts';
import type { GeneratedSchedulers } from '../../../operations/submit/generate.ts';

type Hours = Pick<GeneratedSchedulers, 'nodeHours' | 'askedBy'>;

/** `Node hours: 1.53 asked for, 1.02 needed (--group-by partition: 50.4, resource-requirements: 1.88)`. */
export function nodeHoursLine({ nodeHours: { asked, needed }, askedBy }: Hours, groupBy: Grouping): string {
  const others = GROUPINGS.filter((each) => each !== groupBy).map((each) => `${each}: ${text(askedBy[each])}`);
  return `Node hours: ${text(asked)} asked for, ${text(needed)} needed (--group-by ${others.join(', ')})`;
}

export const nodeHoursJson = ({ nodeHours: { asked, needed }, askedBy }: Hours) => ({
  asked: rounded(asked),
  needed: rounded(needed),
  asked_by_grouping: Object.fromEntries(GROUPINGS.map((each) => [each, rounded(askedBy[each])])),
});

/** Three digits are enough to compare plans. */
const text = (hours: number): string =>
  hours >= 100 ? String(Math.round(hours)) : String(Number(hours.toPrecision(3)));

const rounded = (hours: number): number => Number(hours.toFixed(3));
