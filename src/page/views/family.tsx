import { useState } from 'preact/hooks';
import type { JobStatus } from '../../core/contract/job-statuses.ts';
import { grouped } from '../../core/quantity/count-text.ts';
import { connection } from '../connection.ts';
import { useLive } from '../hooks.ts';
import { Bar, Shown, Status } from '../parts.tsx';
import { statusWords, shownText } from '../words.ts';

const { client } = connection;
const PAGE = 50;

/** The jobs of a family, a page at a time. */
export function FamilyView({ id, family }: { readonly id: number; readonly family: string }) {
  const [status, setStatus] = useState<JobStatus>();
  /** The last job of each page before the one that is shown. */
  const [pages, setPages] = useState<readonly number[]>([]);
  const graph = useLive(`graph ${id}`, () => client.getWorkflowGraph({ params: { id } }), 5_000);
  const query = { status, after: pages.at(-1), limit: PAGE };
  const jobs = useLive(
    JSON.stringify([id, family, query]),
    () => client.listFamilyJobs({ params: { id, family }, query }),
    3_000,
  );
  const known = graph.value?.families.find(({ key }) => key === family);
  const choose = (chosen: JobStatus | undefined) => {
    setStatus(chosen);
    setPages([]);
  };
  return (
    <>
      <nav aria-label="Path" class="path">
        <a href="#/">Workflows</a> <a href={`#/workflows/${id}`}>Workflow {id}</a>
      </nav>
      <h1 class="name">{known === undefined ? 'Jobs' : shownText(known.name)}</h1>
      {known !== undefined && (
        <section class="card verdict">
          <Bar counts={known.jobs_by_status} />
          <div class="choices" role="group" aria-label="Show jobs with the status">
            <button type="button" aria-pressed={status === undefined} onClick={() => choose(undefined)}>
              all {grouped(known.jobs)}
            </button>
            {(Object.entries(known.jobs_by_status) as [JobStatus, number][]).map(([each, count]) => (
              <button key={each} type="button" aria-pressed={status === each} onClick={() => choose(each)}>
                <span class={`dot is-${each}`} aria-hidden="true" /> {statusWords(each)} {grouped(count)}
              </button>
            ))}
          </div>
        </section>
      )}
      <section class="card">
        <Shown live={jobs} what="jobs">
          {({ items, has_more: hasMore }) => (
            <>
              {items.length === 0 && <p class="note">No job of this family has this status.</p>}
              <ul class="jobs">
                {items.map((job) => (
                  <li key={job.id}>
                    <a href={`#/jobs/${job.id}`} class="name">
                      {shownText(job.name, 120)}
                    </a>
                    {job.attempt_id > 1 && <span class="note">attempt {job.attempt_id}</span>}
                    <Status status={job.status} />
                  </li>
                ))}
              </ul>
              <div class="buttons">
                {pages.length > 0 && (
                  <button type="button" onClick={() => setPages(pages.slice(0, -1))}>
                    Previous
                  </button>
                )}
                {hasMore && (
                  <button type="button" onClick={() => setPages([...pages, items.at(-1)?.id ?? 0])}>
                    Next
                  </button>
                )}
              </div>
            </>
          )}
        </Shown>
      </section>
    </>
  );
}
