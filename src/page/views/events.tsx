import type { Event } from '../../core/contract/event.ts';
import { eventWords } from '../../core/lifecycle/explain/event-words.ts';
import { connection } from '../connection.ts';
import { useLive } from '../hooks.ts';
import { PagedTable, useCursor } from '../pager.tsx';
import { CopiedCommand, PageSection, SearchField, Time } from '../parts.tsx';
import { replaceQuery } from '../query.ts';
import type { TableColumn } from '../table.tsx';
import { WorkflowHead } from '../workflow-tabs.tsx';
import { shortenedText } from '../words.ts';

const PAGE = 50;

/** What programs and users recorded about a workflow, the newest first. The category stands in the address. */
export function EventsView({ id, query }: { readonly id: number; readonly query: URLSearchParams }) {
  const category = query.get('category') ?? '';
  const cursor = useCursor('before', query);
  const asked = {
    workflow_id: id,
    reverse_sort: true,
    limit: PAGE,
    before_id: cursor.at,
    category: category === '' ? undefined : category,
  };
  const live = useLive(JSON.stringify(asked), () => connection.client.listEvents({ query: asked }), 3_000);
  return (
    <>
      <WorkflowHead id={id} shown="events" />
      <PageSection
        title="Events"
        aside={
          <SearchField
            label="Category"
            value={category}
            placeholder="all"
            set={(value) => replaceQuery({ category: value, before: '' })}
          />
        }
      >
        <PagedTable live={live} what="events" cursor={cursor} columns={COLUMNS}>
          <p class="note">{category === '' ? 'No event was recorded.' : 'No event of this category was recorded.'}</p>
        </PagedTable>
        <p class="next">Changes of jobs are events that are not kept; this prints them as they happen:</p>
        <CopiedCommand text={`torc events monitor ${id}`} />
      </PageSection>
    </>
  );
}

const fieldsOf = ({ data }: Event) =>
  (typeof data === 'object' && data !== null && !Array.isArray(data) ? data : {}) as Record<string, unknown>;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const COLUMNS: readonly TableColumn<Event>[] = [
  { title: 'Time', kind: 'time', cell: ({ timestamp }) => <Time at={new Date(timestamp).toISOString()} /> },
  { title: 'Level', cell: (event) => shortenedText(textOf(fieldsOf(event)['level']) || 'info', 20) },
  {
    title: 'Category',
    cell: (event) => {
      const { category, event_type: type } = fieldsOf(event);
      return shortenedText(textOf(type) || textOf(category), 60);
    },
  },
  { title: 'What happened', kind: 'wide', cell: ({ data }) => <Words data={data} /> },
];

/** The sentence of an event; its data are read with a pointer, or with `torc events list`. */
const Words = ({ data }: Pick<Event, 'data'>) => (
  <span class="name" title={shortenedText(JSON.stringify(data), 2_000)}>
    {shortenedText(eventWords(data), 600)}
  </span>
);
