import { exactPartText, outcomeParts } from '../../core/lifecycle/explain/outcome.ts';
import { layersOf, neighbours } from '../../core/lifecycle/families/family-layers.ts';
import { railsOf } from '../../core/lifecycle/families/rails.ts';
import type { Counts } from '../../core/job/statuses.ts';
import { counted, grouped, someOf } from '../../core/quantity/count-text.ts';
import { greatest } from '../../core/quantity/extremes.ts';
import { printableLine } from '../../core/text/printable.ts';
import { shortened, textWidth } from '../../core/text/text-width.ts';

/** Families of jobs and what depends on what; the families of a file have no statuses. */
export interface FamilyPicture {
  readonly families: readonly {
    readonly key: string;
    readonly name: string;
    readonly jobs: number;
    readonly jobs_by_status?: Counts;
  }[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  readonly families_left_out: number;
  readonly jobs_left_out: number;
}

type ShownFamily = FamilyPicture['families'][number];

/** Rails side by side: more are a tangle. */
const MOST_RAILS = 20;
/** Layers that are indented where there are more rails than that. */
const MOST_INDENTED = 8;
/** Least room for a name on a narrow terminal. */
const LEAST_NAME = 12;

/** `82 jobs in 4 families`. */
export const familyCounts = ({ families, families_left_out: left, jobs_left_out: jobsLeft }: FamilyPicture): string =>
  `${counted(
    families.reduce((sum, { jobs }) => sum + jobs, jobsLeft),
    'job',
  )} in ${counted(families.length + left, 'family', 'families')}`;

/** The graph as rails beside a list of families, or as an indented list where too many stand side by side. */
export function familyGraphLines(graph: FamilyPicture, width: number): string[] {
  const { families, edges } = graph;
  const byKey = new Map(families.map((family) => [family.key, family]));
  const keys = [...byKey.keys()];
  const selves = new Set(edges.flatMap(({ from, to }) => (from === to ? [from] : [])));
  const nameOf = ({ key, name }: ShownFamily) => printableLine(selves.has(key) ? `${name} ↻` : name);
  const rails = railsOf(keys, edges, Math.min(MOST_RAILS, Math.floor(width / 4)));
  const rows =
    rails === undefined
      ? listed(graph, keys)
      : rails.lines.map(({ key, text }) => ({ lead: text, family: byKey.get(key ?? ''), tail: '' }));
  const leadWidth = greatest(
    rows.map(({ lead }) => textWidth(lead)),
    0,
  );
  const jobsWidth = greatest(
    families.map(({ jobs }) => grouped(jobs).length),
    0,
  );
  const names = families.map((family) => textWidth(nameOf(family)));
  const nameWidth = Math.min(greatest(names, 0), Math.max(LEAST_NAME, Math.floor((width - leadWidth) / 2)));
  const lines = rows.map(({ lead, family, tail }) => {
    if (family === undefined) return lead;
    const name = shortened(nameOf(family), nameWidth, 'middle');
    const text = [
      `${padded(lead, leadWidth)} ${padded(name, nameWidth)}`,
      grouped(family.jobs).padStart(jobsWidth),
      stateText(family),
    ]
      .join('  ')
      .trimEnd();
    return shortened(tail === '' ? text : `${text}  ${tail}`, width);
  });
  return [...lines, ...notes(graph, byKey, rails?.back ?? [], selves.size > 0)];
}

/** Each family below what it depends on, which stands beside it. */
function listed({ families, edges }: FamilyPicture, keys: readonly string[]) {
  const { above } = neighbours(keys, edges);
  const layers = layersOf(keys, above);
  const layerOf = ({ key }: ShownFamily) => layers.get(key) ?? 0;
  const names = new Map(families.map(({ key, name }) => [key, name]));
  return families
    .toSorted((one, other) => layerOf(one) - layerOf(other))
    .map((family) => {
      const before = [...new Set(above.get(family.key))].map((key) => names.get(key) as string);
      return {
        lead: `${'  '.repeat(Math.min(MOST_INDENTED, layerOf(family)))}●`,
        family,
        tail: before.length === 0 ? '' : `← ${printableLine(someOf(before))}`,
      };
    });
}

const stateText = ({ jobs_by_status: counts }: ShownFamily): string =>
  counts === undefined ? '' : outcomeParts(counts).map(exactPartText).join(', ');

/** What the picture cannot show. */
function notes(
  { families_left_out: left, jobs_left_out: jobsLeft }: FamilyPicture,
  byKey: ReadonlyMap<string, ShownFamily>,
  back: readonly { readonly from: string; readonly to: string }[],
  hasSelves: boolean,
): string[] {
  const nameOf = (key: string) => printableLine(byKey.get(key)?.name ?? key);
  const lines = [
    ...(hasSelves ? ['↻ some of these jobs wait for others of their family'] : []),
    ...back.map(({ from, to }) => `Some jobs of ${nameOf(to)} wait for ${nameOf(from)} as well.`),
    ...(left > 0
      ? [`Not shown: the ${counted(left, 'smallest family', 'smallest families')} with ${counted(jobsLeft, 'job')}`]
      : []),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

const padded = (text: string, to: number): string => text + ' '.repeat(Math.max(0, to - textWidth(text)));
