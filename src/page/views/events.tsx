import { useState } from 'preact/hooks';
import type { Event } from '../../core/contract/event.ts';
import { connection } from '../connection.ts';
import { useLive } from '../hooks.ts';
import { Pager } from '../pager.tsx';
import { Command, Section, Shown, Time } from '../parts.tsx';
import { replaceQuery } from '../query.ts';
import { WorkflowHead } from '../workflow-tabs.tsx';
import { shownText } from '../words.ts';

const PAGE = 50;

/** What programs and users recorded about a workflow, the newest first. The category stands in the address. */
export function EventsView({ id, query }: { readonly id: number; readonly query: URLSearchParams }) {
  const category = query.get('category') ?? '';
  const [offset, setOffset] = useState(0);
  const asked = {
    workflow_id: id,
    reverse_sort: true,
    limit: PAGE,
    offset,
    category: category === '' ? undefined : category,
  };
  const live = useLive(JSON.stringify(asked), () => connection.client.listEvents({ query: asked }), 3_000);
  return (
    <>
      <WorkflowHead id={id} shown="events" />
      <Section
        title="Events"
        aside={
          <label class="filter">
            <span>Category</span>
            <input
              type="search"
              value={category}
              placeholder="all"
              onInput={({ currentTarget }) => {
                setOffset(0);
                replaceQuery(`/workflows/${id}/events`, query, 'category', currentTarget.value);
              }}
            />
          </label>
        }
      >
        <Shown live={live} what="events">
          {({ items, total_count: total }) => (
            <>
              {items.length === 0 ? (
                <p class="note">
                  {category === '' ? 'No event was recorded.' : 'No event of this category was recorded.'}
                </p>
              ) : (
                <Table items={items} />
              )}
              <Pager offset={offset} limit={PAGE} total={total} show={setOffset} />
            </>
          )}
        </Shown>
        <p class="next">Changes of jobs are events that are not kept; this prints them as they happen:</p>
        <Command text={`torc events monitor ${id}`} />
      </Section>
    </>
  );
}

const fieldsOf = ({ data }: Event) =>
  (typeof data === 'object' && data !== null && !Array.isArray(data) ? data : {}) as Record<string, unknown>;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const Table = ({ items }: { readonly items: readonly Event[] }) => (
  <div class="scroll" tabIndex={0} role="group" aria-label="Table of events">
    <table>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Level</th>
          <th scope="col">Category</th>
          <th scope="col" class="wide">
            Data
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((event) => {
          const { category, event_type: type, level, ...rest } = fieldsOf(event);
          const data = Object.keys(fieldsOf(event)).length === 0 ? event.data : rest;
          return (
            <tr key={event.id}>
              <td>
                <Time at={new Date(event.timestamp).toISOString()} />
              </td>
              <td>{shownText(textOf(level) || 'info', 20)}</td>
              <td>{shownText(textOf(type) || textOf(category), 60)}</td>
              <td>
                <code>{shownText(JSON.stringify(data), 400)}</code>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  </div>
);
