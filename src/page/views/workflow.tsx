import { useRef } from 'preact/hooks';
import type { FailureGroup, WorkflowGraph, WorkflowTimeline } from '../../core/contract/view.ts';
import type { Workflow, WorkflowStatus } from '../../core/contract/workflow.ts';
import { countOf, ENDED_BADLY, FAILED, HELD } from '../../core/job/statuses.ts';
import { counted, grouped } from '../../core/quantity/count-text.ts';
import { timeText } from '../../core/quantity/time-text.ts';
import { connection } from '../connection.ts';
import { FamilyGraph } from '../graph/graph.tsx';
import { type Live, type ReadingPace, useLive, useNow, useStatus } from '../hooks.ts';
import { usePace } from '../pace.ts';
import { Bar, CountList, JobLink, jobsWords, PageSection, Shown, WayBack } from '../parts.tsx';
import { PageTable } from '../table.tsx';
import { Tail } from '../tail.tsx';
import { Timeline } from '../timeline/timeline.tsx';
import { timesIn } from '../query.ts';
import { parametersOf } from '../timeline/window.ts';
import { WhatWaits } from '../waiting.tsx';
import { WorkflowActions } from '../workflow-actions.tsx';
import { WorkflowTabs } from '../workflow-tabs.tsx';
import { ageText, causeWords, workflowWordOf, statusWords, verdictOf, shortenedText } from '../words.ts';

const { client } = connection;
/**
 * The counts come four times a second. What costs more to make is read again after a change, not more often than this: of many jobs
 * rarely, as the end of some is not seen in a bar of all, and the server uses a reply of theirs for up to 20 s.
 */
const paceOf = (status: WorkflowStatus | undefined) => () => ((status?.total_jobs ?? 0) > 10_000 ? 15_000 : 5_000);

/** One workflow: what is the matter first, then what runs, then the whole. */
export function WorkflowView({ id, query }: { readonly id: number; readonly query: URLSearchParams }) {
  const params = { id };
  const workflow = useLive(`workflow ${id}`, () => client.getWorkflow({ params }), 30_000);
  const status = useStatus(id);
  const moved = JSON.stringify(status.value?.jobs_by_status) ?? '';
  const pace = paceOf(status.value);
  // Asked for beside the status, not after it is drawn: on a slow machine that is half a second later.
  const graph = useLive(`graph ${id}`, () => client.getWorkflowGraph({ params }), pace, moved);
  const timeline = useTimeline(id, query, pace, moved);
  return (
    <>
      <WayBack />
      <Shown live={workflow} what={`workflow ${id}`}>
        {(found) => (
          <Shown live={status} what="its status">
            {(now) => (
              <Whole
                workflow={found}
                status={now}
                pace={pace}
                moved={moved}
                graph={graph}
                timeline={timeline}
                query={query}
                again={() => {
                  status.again();
                  workflow.again();
                }}
              />
            )}
          </Shown>
        )}
      </Shown>
    </>
  );
}

/** Attempts that are drawn one by one; more are bands, and of bands more than these are one. */
const [MOST_BARS, MOST_BANDS] = [300, 200];

/** The part of the run that the address shows. While another one is on its way, the one before stays. */
function useTimeline(id: number, query: URLSearchParams, pace: () => number, moved: string): Live<WorkflowTimeline> {
  const span = timesIn(query);
  const asked = {
    by: query.get('by') === 'runner' ? ('runner' as const) : ('family' as const),
    attempts: MOST_BARS,
    bands: MOST_BANDS,
    ...(span === undefined ? {} : parametersOf(span)),
  };
  const before = useRef<WorkflowTimeline>(undefined);
  const live = useLive(
    `timeline ${id} ${JSON.stringify(asked)}`,
    () => client.getWorkflowTimeline({ params: { id }, query: asked }),
    () => 2 * pace(),
    moved,
  );
  before.current = live.value ?? (live.error === undefined ? before.current : undefined);
  return { ...live, value: before.current };
}

interface Facts {
  readonly workflow: Workflow;
  readonly status: WorkflowStatus;
  readonly again: () => void;
}

interface WholeProps extends Facts, Omit<Followed, 'id'> {
  readonly graph: Live<WorkflowGraph>;
  readonly timeline: Live<WorkflowTimeline>;
  readonly query: URLSearchParams;
}

function Whole({ workflow, status, pace, moved, graph, timeline, query, again }: WholeProps) {
  const { id } = workflow;
  const { jobs_by_status: counts, is_canceled: isCanceled } = status;
  return (
    <>
      <div class="heading">
        <div>
          <h1 class="name">{shortenedText(workflow.name, 200)}</h1>
          <Facts workflow={workflow} status={status} />
        </div>
        <WorkflowActions workflow={workflow} status={status} again={again} />
      </div>
      <WorkflowTabs id={id} shown="" />
      <section class="card verdict">
        <p class={`sentence is-${workflowWordOf(counts, isCanceled).replace(' ', '-')}`} aria-live="polite">
          {verdictOf(counts, isCanceled, status.active_compute_nodes)}
        </p>
        <Bar counts={counts} />
        <CountList counts={counts} />
        {countOf(counts, HELD) > 0 && <PaceLine status={status} />}
      </section>
      {countOf(counts, ENDED_BADLY) > 0 && (
        <Failed
          title={countOf(counts, FAILED) > 0 ? 'What failed' : 'What was stopped'}
          id={id}
          pace={pace}
          moved={moved}
        />
      )}
      <WhatWaits status={status} pace={pace} moved={moved} />
      {status.total_jobs > 0 && <Parts id={id} graph={graph} timeline={timeline} query={query} />}
      {counts.running > 0 && <Running id={id} jobs={counts.running} pace={pace} moved={moved} />}
    </>
  );
}

function PaceLine({ status }: Pick<Facts, 'status'>) {
  const texts = usePace(status);
  return texts.length === 0 ? null : (
    <p class="facts">
      {texts.map((text) => (
        <span key={text}>{text}</span>
      ))}
    </p>
  );
}

function Facts({ workflow, status }: Pick<Facts, 'workflow' | 'status'>) {
  const now = useNow();
  const { id, user, timestamp, project } = workflow;
  return (
    <p class="facts">
      <span>#{id}</span>
      <span>{shortenedText(user)}</span>
      {project ? <span>{shortenedText(project)}</span> : null}
      {(status.run_id ?? 0) > 0 && <span>run {status.run_id}</span>}
      <span>
        created <time title={timestamp ?? ''}>{ageText(timestamp, now)}</time>
      </span>
      {typeof status.walltime_seconds === 'number' && <span>elapsed {timeText(status.walltime_seconds)}</span>}
      {status.active_compute_nodes > 0 && <span>{counted(status.active_compute_nodes, 'runner')}</span>}
    </p>
  );
}

/** What is read again when the counts have `moved`. */
interface Followed {
  readonly id: number;
  readonly pace: ReadingPace;
  readonly moved: string;
}

function Failed({ title, id, pace, moved }: Followed & { readonly title: string }) {
  const live = useLive(`failures ${id}`, () => client.listFailureGroups({ params: { id } }), pace, moved);
  return (
    <PageSection id="failed" title={title}>
      <Shown live={live} what="failures">
        {({ groups, groups_left_out: leftOut }) => (
          <>
            {groups.map((group) => (
              <Group
                key={JSON.stringify([group.status, group.return_code, group.cause_code, group.cause])}
                group={group}
              />
            ))}
            {leftOut > 0 && <p class="note">{grouped(leftOut)} more causes are not shown.</p>}
          </>
        )}
      </Shown>
    </PageSection>
  );
}

function Group({ group }: { readonly group: FailureGroup }) {
  const { jobs, status, return_code: code, first } = group;
  const cause = causeWords(group);
  const [example] = first;
  return (
    <article class="failure">
      <h3>
        {jobsWords(jobs)} {statusWords(status)} with exit code {code}
      </h3>
      {cause !== undefined && <p class="cause">{shortenedText(cause, 1_000)}</p>}
      <p class="names">
        {first.map(({ job_id: jobId, job_name: name }) => (
          <JobLink key={jobId} id={jobId} name={name} />
        ))}
        {jobs > first.length && <span>and {grouped(jobs - first.length)} more</span>}
      </p>
      {example !== undefined && (
        <Tail jobId={example.job_id} runId={example.run_id} attemptId={example.attempt_id} stream="stderr" lines={8} />
      )}
    </article>
  );
}

const MOST_RUNNING = 10;

function Running({ id, jobs, pace, moved }: Followed & { readonly jobs: number }) {
  const now = useNow(1_000);
  const live = useLive(
    `running ${id}`,
    () => client.listRunningNow({ params: { id }, query: { limit: MOST_RUNNING } }),
    pace,
    moved,
  );
  return (
    <PageSection title="Running now">
      <Shown live={live} what="running jobs">
        {({ items }) => (
          <PageTable
            label="Table of running jobs"
            rows={items}
            keyOf={({ job_id: jobId }) => jobId}
            columns={[
              { title: 'Job', cell: ({ job_id: jobId, job_name: name }) => <JobLink id={jobId} name={name} /> },
              { title: 'Node', cell: ({ compute_node_name: node }) => node ?? '–' },
              { title: 'Started', kind: 'number', cell: ({ start_time: start }) => ageText(start, now) },
            ]}
          >
            {jobs > items.length && <p class="note">and {grouped(jobs - items.length)} more</p>}
          </PageTable>
        )}
      </Shown>
    </PageSection>
  );
}

function Parts({
  id,
  graph,
  timeline,
  query,
}: Pick<WholeProps, 'graph' | 'timeline' | 'query'> & { readonly id: number }) {
  return (
    <>
      <PageSection title="Families of jobs">
        <Shown live={graph} what="the graph">
          {(found) => <FamilyGraph id={id} graph={found} />}
        </Shown>
      </PageSection>
      <PageSection id="course" title="Over time">
        <Shown live={timeline} what="the timeline">
          {(found) => <Timeline id={id} timeline={found} query={query} />}
        </Shown>
      </PageSection>
    </>
  );
}
