import { type JobStatus, jobStatuses } from '../../core/job/job-statuses.ts';
import type { FamilyJobs } from '../../core/contract/view.ts';
import { grouped } from '../../core/quantity/count-text.ts';
import { connection } from '../connection.ts';
import { useLive } from '../hooks.ts';
import { usePages } from '../pages.ts';
import { Bar, Shown, Status } from '../parts.tsx';
import { replaceQuery } from '../query.ts';
import { type TableColumn, LongTable, PageTable } from '../table.tsx';
import { statusWords, shortenedText } from '../words.ts';

const { client } = connection;
const PAGE = 200;
/** From so many jobs on the list scrolls within itself. */
const MOST_SHOWN = 60;

/** The jobs of a family, of which those in view are read. The status stands in the address. */
export function FamilyView({
  id,
  family,
  query,
}: {
  readonly id: number;
  readonly family: string;
  readonly query: URLSearchParams;
}) {
  const status = jobStatuses.find((each) => each === query.get('status'));
  const graph = useLive(`graph ${id}`, () => client.getWorkflowGraph({ params: { id } }), 5_000);
  const known = graph.value?.families.find(({ key }) => key === family);
  const choose = (chosen: JobStatus | undefined) => replaceQuery({ status: chosen ?? '' });
  const total = status === undefined ? known?.jobs : known?.jobs_by_status[status];
  return (
    <>
      <nav aria-label="Path" class="path">
        <a href="#/">Workflows</a> <a href={`#/workflows/${id}`}>Workflow {id}</a>
      </nav>
      <h1 class="name">{known === undefined ? 'Jobs' : shortenedText(known.name)}</h1>
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
        <Jobs key={`${status}`} id={id} family={family} status={status} total={total} />
      </section>
    </>
  );
}

interface JobsProps {
  readonly id: number;
  readonly family: string;
  readonly status: JobStatus | undefined;
  /** How many there are, if the graph has the family. */
  readonly total: number | undefined;
}

function Jobs({ id, family, status, total }: JobsProps) {
  const pages = usePages({
    key: JSON.stringify([id, family, status]),
    size: PAGE,
    load: (start) => client.listFamilyJobs({ params: { id, family }, query: { status, ...start, limit: PAGE } }),
    idOf: (job) => job.id,
    canSkip: status === undefined,
    everyMs: 3_000,
  });
  const length = total ?? pages.known;
  return (
    <Shown live={{ value: pages.isLoaded ? pages : undefined, error: pages.error, again: () => {} }} what="jobs">
      {({ rowAt, show }) => {
        if (length === 0) return <p class="note">No job of this family has this status.</p>;
        const label = 'Table of the jobs of the family';
        if (length > MOST_SHOWN)
          return <LongTable label={label} columns={COLUMNS} length={length} rowAt={rowAt} show={show} />;
        const rows = Array.from({ length }, (_, index) => rowAt(index)).filter((job) => job !== undefined);
        return <PageTable label={label} columns={COLUMNS} rows={rows} keyOf={(job) => job.id} />;
      }}
    </Shown>
  );
}

const COLUMNS: readonly TableColumn<FamilyJobs['items'][number]>[] = [
  {
    title: 'Job',
    kind: 'wide',
    cell: ({ id, name }) => (
      <a href={`#/jobs/${id}`} class="name">
        {shortenedText(name, 120)}
      </a>
    ),
  },
  { title: 'Attempt', kind: 'number', cell: ({ attempt_id: attempt }) => attempt },
  { title: 'Status', cell: ({ status }) => <Status status={status} /> },
];
