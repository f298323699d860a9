import { Fragment } from 'preact';
import type { File as FileRecord, UserData } from '../../core/contract/artifact.ts';
import { grouped } from '../../core/quantity/count-text.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import { connection } from '../connection.ts';
import { useLive } from '../hooks.ts';
import { PagedTable, useCursor } from '../pager.tsx';
import { JobLink, PageSection, SearchField, Time } from '../parts.tsx';
import { replaceQuery } from '../query.ts';
import type { TableColumn } from '../table.tsx';
import { WorkflowHead } from '../workflow-tabs.tsx';
import { shortenedText } from '../words.ts';

const { client } = connection;
const PAGE = 50;

/** The files and the user data of a workflow. The name that is looked for stands in the address. */
export function FilesView({ id, query }: { readonly id: number; readonly query: URLSearchParams }) {
  const name = query.get('name') ?? '';
  return (
    <>
      <WorkflowHead id={id} shown="files" />
      <SearchField
        label="Name"
        value={name}
        placeholder="the whole name"
        set={(value) => replaceQuery({ name: value, files: '', data: '' })}
      />
      <Files key={`files ${name}`} id={id} name={name} query={query} />
      <AllUserData key={`data ${name}`} id={id} name={name} query={query} />
    </>
  );
}

interface FileSearch {
  readonly id: number;
  readonly name: string;
  readonly query: URLSearchParams;
}

const askedOf = ({ id, name }: FileSearch, afterId: number | undefined) => ({
  workflow_id: id,
  name: name === '' ? undefined : name,
  limit: PAGE,
  after_id: afterId,
});
const none = (things: string, name: string) =>
  name === '' ? `This workflow has no ${things}.` : `This workflow has no ${things} of this name.`;

function Files(search: FileSearch) {
  const cursor = useCursor('files', search.query);
  const query = askedOf(search, cursor.at);
  const live = useLive(
    `files ${JSON.stringify(query)}`,
    () => client.listFiles({ query: { ...query, include_uses: true } }),
    10_000,
  );
  // Files of jobs alone have their paths as names: a column of them would say nothing.
  const isNamed = live.value?.items.some(({ name, path }) => name !== path) !== false;
  return (
    <PageSection title="Files">
      <PagedTable
        live={live}
        what="files"
        cursor={cursor}
        columns={isNamed ? FILES : FILES.filter(({ title }) => title !== 'Path')}
      >
        <p class="note">{none('files', search.name)}</p>
      </PagedTable>
    </PageSection>
  );
}

function AllUserData(search: FileSearch) {
  const cursor = useCursor('data', search.query);
  const query = askedOf(search, cursor.at);
  const live = useLive(`data ${JSON.stringify(query)}`, () => client.listUserData({ query }), 10_000);
  return (
    <PageSection title="User data">
      <PagedTable live={live} what="user data" cursor={cursor} columns={USER_DATA}>
        <p class="note">{none('user data', search.name)}</p>
      </PagedTable>
    </PageSection>
  );
}

/** The first jobs of a file, and how many more there are. */
const UsingJobs = ({ jobs }: { readonly jobs: FileRecord['made_by'] }) => {
  if (jobs === undefined || jobs === null) return null;
  const more = jobs.jobs - jobs.first.length;
  return (
    <span class="names">
      {jobs.first.map(({ job_id: job, job_name: name }, index) => (
        <Fragment key={job}>
          {index > 0 && ', '}
          <JobLink id={job} name={name} most={40} />
        </Fragment>
      ))}
      {more > 0 && ` and ${grouped(more)} more`}
    </span>
  );
};

const FILES: readonly TableColumn<FileRecord>[] = [
  { title: 'Name', cell: ({ name }) => <span class="name">{shortenedText(name, 80)}</span> },
  {
    title: 'Path',
    kind: 'wide',
    // A file of a job has its path as its name.
    cell: ({ name, path }) => (name === path ? '' : <code>{shortenedText(path, 400)}</code>),
  },
  {
    title: 'Size',
    kind: 'number',
    cell: ({ size_bytes: bytes }) => (typeof bytes === 'number' ? sizeText(bytes) : ''),
  },
  { title: 'Made by', cell: ({ made_by: jobs }) => <UsingJobs jobs={jobs} /> },
  { title: 'Read by', cell: ({ read_by: jobs }) => <UsingJobs jobs={jobs} /> },
  {
    title: 'Changed',
    cell: ({ st_mtime: changed }) =>
      typeof changed === 'number' ? <Time at={new Date(changed * 1000).toISOString()} /> : 'not seen yet',
  },
];

const USER_DATA: readonly TableColumn<UserData>[] = [
  { title: 'Name', cell: ({ name }) => <span class="name">{shortenedText(name, 80)}</span> },
  {
    title: 'Data',
    kind: 'wide',
    cell: ({ data }) =>
      data === undefined || data === null ? 'no value yet' : <code>{shortenedText(JSON.stringify(data), 1_000)}</code>,
  },
  { title: 'Kept', cell: ({ is_ephemeral: isEphemeral }) => (isEphemeral === true ? 'for one run' : 'always') },
];
