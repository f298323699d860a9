import { type JobStatus, jobStatuses } from '../../core/job/job-statuses.ts';
import type { FamilyJobs } from '../../core/contract/view.ts';
import { grouped } from '../../core/quantity/count-text.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import { timeText } from '../../core/quantity/time-text.ts';
import { connection } from '../connection.ts';
import { useLive } from '../hooks.ts';
import { usePages } from '../paging.ts';
import { Bar, Choices, JobLink, PageSection, SearchField, Shown, Status, WayBack } from '../parts.tsx';
import { replaceQuery } from '../query.ts';
import { type TableColumn, LongTable, PageTable } from '../table.tsx';
import { statusWords, shortenedText } from '../words.ts';

const { client } = connection;
const PAGE = 200;
/** From so many jobs on the list scrolls within itself. */
const MOST_SHOWN = 60;

/** The jobs of a family. It reads only the jobs in view. Status, name and order stand in the address. */
export function FamilyView({
  id,
  family,
  query,
}: {
  readonly id: number;
  readonly family: string;
  readonly query: URLSearchParams;
}) {
  const name = query.get('name') ?? '';
  const sort = SORTS.find(({ title }) => title === query.get('sort'));
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
      <PageSection
        title="Jobs"
        aside={
          <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
            <SearchField
              label="Name"
              value={name}
              placeholder="any part"
              set={(value) => replaceQuery({ name: value })}
            />
            <label>
              <span>Sort by</span>
              <select
                value={sort?.title ?? ''}
                onChange={({ currentTarget }) => replaceQuery({ sort: currentTarget.value })}
              >
                <option value="">number</option>
                {SORTS.map(({ title }) => (
                  <option key={title}>{title}</option>
                ))}
              </select>
            </label>
          </form>
        }
      >
        {sort === undefined ? (
          <Jobs key={`${status} ${name}`} {...{ id, family, status, name }} total={name === '' ? total : undefined} />
        ) : (
          <SortedJobs {...{ id, family, status, name, sort }} />
        )}
      </PageSection>
    </>
  );
}

type FamilyJob = FamilyJobs['items'][number];

interface JobsProps {
  readonly id: number;
  readonly family: string;
  readonly status: JobStatus | undefined;
  /** A part of the name. */
  readonly name: string;
}

const filtersOf = ({ status, name }: JobsProps) => ({ status, name: name === '' ? undefined : name });
const LABEL = 'Table of the jobs of the family';
const None = ({ name }: Pick<JobsProps, 'name'>) => (
  <p class="note">No job of this family has this {name === '' ? 'status' : 'status and name'}.</p>
);

function Jobs({
  total,
  ...asked
}: JobsProps & {
  /** How many there are, if the graph has the family. */
  readonly total: number | undefined;
}) {
  const { id, family, status, name } = asked;
  const pages = usePages({
    key: JSON.stringify(asked),
    size: PAGE,
    load: (start) =>
      client.listFamilyJobs({ params: { id, family }, query: { ...filtersOf(asked), ...start, limit: PAGE } }),
    idOf: (job) => job.id,
    canSkip: status === undefined && name === '',
    everyMs: 3_000,
  });
  const length = total ?? pages.known;
  return (
    <Shown live={{ value: pages.isLoaded ? pages : undefined, error: pages.error, again: () => {} }} what="jobs">
      {({ rowAt, show }) => {
        if (length === 0) return <None name={name} />;
        if (length > MOST_SHOWN)
          return <LongTable label={LABEL} columns={COLUMNS} length={length} rowAt={rowAt} show={show} />;
        const rows = Array.from({ length }, (_, index) => rowAt(index)).filter((job) => job !== undefined);
        return <PageTable label={LABEL} columns={COLUMNS} rows={rows} keyOf={(job) => job.id} />;
      }}
    </Shown>
  );
}

/** Jobs that are sorted at most: the server lists them by their ids, and of a million the greatest would take it seconds. */
const MOST_SORTED = 1_000;

function SortedJobs({ sort, ...asked }: JobsProps & { readonly sort: (typeof SORTS)[number] }) {
  const { id, family } = asked;
  const query = { ...filtersOf(asked), limit: MOST_SORTED };
  const live = useLive(
    `sorted ${JSON.stringify(asked)}`,
    () => client.listFamilyJobs({ params: { id, family }, query }),
    5_000,
  );
  return (
    <Shown live={live} what="jobs">
      {({ items, has_more: hasMore }) =>
        items.length === 0 ? (
          <None name={asked.name} />
        ) : (
          <PageTable label={LABEL} columns={COLUMNS} rows={items.toSorted(sort.by)} keyOf={(job) => job.id}>
            {hasMore && (
              <p class="note">
                Sorted are the first {grouped(MOST_SORTED)} jobs alone: choose a status or a part of the name.
              </p>
            )}
          </PageTable>
        )
      }
    </Shown>
  );
}

const greatest = (valueOf: (job: FamilyJob) => number | null | undefined) => (one: FamilyJob, other: FamilyJob) =>
  (valueOf(other) ?? -1) - (valueOf(one) ?? -1);
const SORTS = [
  { title: 'name', by: (one: FamilyJob, other: FamilyJob) => BY_NAME.compare(one.name, other.name) },
  { title: 'time', by: greatest(({ seconds }) => seconds) },
  { title: 'memory', by: greatest(({ peak_memory_bytes: bytes }) => bytes) },
  { title: 'exit code', by: greatest(({ return_code: code }) => code) },
];
const BY_NAME = new Intl.Collator(undefined, { numeric: true });

const COLUMNS: readonly TableColumn<FamilyJob>[] = [
  { title: 'Job', kind: 'wide', cell: ({ id, name }) => <JobLink id={id} name={name} most={120} /> },
  { title: 'Attempt', kind: 'number', cell: ({ attempt_id: attempt }) => attempt },
  { title: 'Status', cell: ({ status }) => <Status status={status} /> },
  { title: 'Exit code', kind: 'number', cell: ({ return_code: code }) => code ?? NONE },
  { title: 'Took', kind: 'number', cell: ({ seconds }) => (typeof seconds === 'number' ? timeText(seconds) : NONE) },
  {
    title: 'Memory',
    kind: 'number',
    cell: ({ peak_memory_bytes: bytes }) => (typeof bytes === 'number' ? sizeText(bytes) : NONE),
  },
];
const NONE = '–';
