import type { JobFamily, WorkflowGraph } from '../../core/contract/view.ts';
import { countOf, STOPPED } from '../../core/job/statuses.ts';
import { grouped } from '../../core/quantity/count-text.ts';
import { Bar, NameLink } from '../parts.tsx';
import { PageTable } from '../table.tsx';
import { failedIn, shortenedText } from '../words.ts';

export const familyAddressOf = (id: number, { key }: JobFamily) =>
  `#/workflows/${id}/families/${encodeURIComponent(key)}`;

/** Families on which one depends that are named. */
const MOST_NAMED = 3;

/** What the drawing of the families says. */
export function FamilyTable({ id, graph }: { readonly id: number; readonly graph: WorkflowGraph }) {
  const nameOf = new Map(graph.families.map(({ key, name }) => [key, shortenedText(name, 40)]));
  const before = Map.groupBy(
    graph.edges.filter(({ from, to }) => from !== to),
    ({ to }) => to,
  );
  /** `a × 48, b × 1 and 3 more` */
  const dependenciesOf = ({ key }: JobFamily): string => {
    const edges = before.get(key) ?? [];
    const named = edges
      .slice(0, MOST_NAMED)
      .map(({ from, dependencies }) => `${nameOf.get(from)} × ${grouped(dependencies)}`);
    const left = edges.length - named.length;
    return `${named.join(', ')}${left > 0 ? ` and ${grouped(left)} more` : ''}`;
  };
  return (
    <PageTable
      label="Table of the families of jobs"
      rows={graph.families}
      keyOf={({ key }) => key}
      columns={[
        { title: 'Family', cell: (family) => <NameLink href={familyAddressOf(id, family)} name={family.name} /> },
        { title: 'Jobs', kind: 'number', cell: ({ jobs }) => grouped(jobs) },
        { title: 'Progress', kind: 'wide', cell: ({ jobs_by_status: counts }) => <Bar counts={counts} /> },
        { title: 'Depends on', cell: dependenciesOf },
        {
          title: 'Failed',
          kind: 'number',
          cell: ({ jobs_by_status: counts }) => grouped(failedIn(counts)),
          class: ({ jobs_by_status: counts }) => (failedIn(counts) > 0 ? 'is-bad' : ''),
        },
        { title: 'Stopped', kind: 'number', cell: ({ jobs_by_status: counts }) => grouped(countOf(counts, STOPPED)) },
      ]}
    >
      {graph.families_left_out > 0 && (
        <p class="note">
          {grouped(graph.families_left_out)} more families with {grouped(graph.jobs_left_out)} jobs are not shown: the
          largest are.
        </p>
      )}
    </PageTable>
  );
}
