import { useState } from 'preact/hooks';
import type { WorkflowOverview } from '../../core/contract/view.ts';
import { outcomeOf } from '../../core/lifecycle/explain/outcome.ts';
import { grouped } from '../../core/quantity/count-text.ts';
import { connection } from '../connection.ts';
import { useLive, useNow } from '../hooks.ts';
import { Bar, Shown, Status } from '../parts.tsx';
import { replaceQuery } from '../query.ts';
import { ageText, workflowWordOf, shortenedText } from '../words.ts';

const PAGE = 50;

/** They stand in the address by their parameter of the route. */
const FILTERS = [
  { field: 'name', title: 'Name', hint: 'any part' },
  { field: 'user', title: 'Owner', hint: 'user' },
  { field: 'project', title: 'Project', hint: 'any' },
  { field: 'access_group', title: 'Group', hint: 'any' },
] as const;

/** All workflows that the reader may see, the newest first. The filters stand in the address. */
export function WorkflowsView({ query }: { readonly query: URLSearchParams }) {
  const [limit, setLimit] = useState(PAGE);
  const filters = Object.fromEntries(
    FILTERS.flatMap(({ field }) => (query.get(field) ? [[field, query.get(field) as string]] : [])),
  );
  const asked = { ...filters, limit };
  const live = useLive(JSON.stringify(asked), () => connection.client.listWorkflowOverviews({ query: asked }), 2_000);
  return (
    <>
      <div class="heading">
        <h1>Workflows</h1>
        <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
          {FILTERS.map(({ field, title, hint }) => (
            <label key={field}>
              <span>{title}</span>
              <input
                type="search"
                value={filters[field] ?? ''}
                placeholder={hint}
                onInput={(event) => replaceQuery({ [field]: event.currentTarget.value })}
              />
            </label>
          ))}
          <a class="button" href="#/new">
            New workflow
          </a>
        </form>
      </div>
      <Shown live={live} what="workflows">
        {({ items, has_more: hasMore }) => {
          if (items.length === 0)
            return Object.keys(filters).length === 0 ? (
              <Empty />
            ) : (
              <p class="note">No workflow matches these filters.</p>
            );
          return (
            <>
              <List items={items} />
              {hasMore && (
                <button type="button" onClick={() => setLimit((before) => before + PAGE)}>
                  Show more
                </button>
              )}
            </>
          );
        }}
      </Shown>
    </>
  );
}

function List({ items }: { readonly items: readonly WorkflowOverview[] }) {
  const now = useNow();
  return (
    <ul class="workflows">
      {items.map((each) => {
        const { id, name, user, project, jobs_by_status: counts, total_jobs: total } = each;
        const { completed, failed, stopped } = outcomeOf(counts);
        return (
          <li key={id} class="card">
            <div class="line">
              <a href={`#/workflows/${id}`} class="name title">
                {shortenedText(name, 200)}
              </a>
              <Status status={workflowWordOf(counts, each.is_canceled)} />
            </div>
            <Bar counts={counts} />
            <p class="facts">
              <span>
                <b>{grouped(completed)}</b> of {grouped(total)}
              </span>
              {failed > 0 && <span class="is-bad">{grouped(failed)} failed</span>}
              {stopped > 0 && <span>{grouped(stopped)} stopped</span>}
              {each.active_compute_nodes > 0 && (
                <span>
                  {each.active_compute_nodes} {each.active_compute_nodes === 1 ? 'runner' : 'runners'}
                </span>
              )}
              <span class="end">
                #{id} · {shortenedText(user)}
                {project ? ` · ${shortenedText(project)}` : ''} ·{' '}
                <time title={each.timestamp}>{ageText(each.timestamp, now)}</time>
              </span>
            </p>
          </li>
        );
      })}
    </ul>
  );
}

const Empty = () => (
  <section class="card empty">
    <h2>No workflow yet</h2>
    <p class="text">
      <a href="#/new">Paste a workflow file</a>, or run one, or a list of commands; it appears here at once:
    </p>
    <pre class="output">torc run workflow.yaml{'\n'}torc exec --input commands.txt -- bash -c</pre>
  </section>
);
