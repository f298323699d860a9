import { type JobStatus, jobStatuses } from '../../core/job/job-statuses.ts';
import type { FamilyJobs } from '../../core/contract/view.ts';
import { grouped } from '../../core/quantity/count-text.ts';
import { connection } from '../connection.ts';
import { useLive } from '../hooks.ts';
import { usePages } from '../pages.ts';
import { Bar, Choices, JobLink, Shown, Status, WayBack } from '../parts.tsx';
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
  const total = status === undefined ? known?.jobs : known?.jobs_by_status[status];
  return (
    <>
      <WayBack workflow={id} />
      <h1 class="name">{known === undefined ? 'Jobs' : shortenedText(known.name)}</h1>
      {known !== undefined && (
        <section class="card verdict">
          <Bar counts={known.jobs_by_status} />
          <Choices
            label="Show jobs with the status"
            of={[undefined, ...(Object.keys(known.jobs_by_status) as JobStatus[])]}
            shown={status}
            choose={(chosen) => replaceQuery({ status: chosen ?? '' })}
            words={(each) =>
              each === undefined ? (
                `all ${grouped(known.jobs)}`
              ) : (
                <>
                  <span class={`dot is-${each}`} aria-hidden="true" /> {statusWords(each)}{' '}
                  {grouped(known.jobs_by_status[each] ?? 0)}
                </>
              )
            }
          />
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
  { title: 'Job', kind: 'wide', cell: ({ id, name }) => <JobLink id={id} name={name} most={120} /> },
  { title: 'Attempt', kind: 'number', cell: ({ attempt_id: attempt }) => attempt },
  { title: 'Status', cell: ({ status }) => <Status status={status} /> },
];
