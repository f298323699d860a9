import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';
import type { ComputeNode } from '../../core/contract/node.ts';
import type { WorkflowAction } from '../../core/contract/scheduling.ts';
import { grouped } from '../../core/quantity/count-text.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import { timeText } from '../../core/quantity/time-text.ts';
import { connection } from '../connection.ts';
import { useLive } from '../hooks.ts';
import { usePlace } from '../place.ts';
import { PagedTable, useCursor } from '../pager.tsx';
import { CopiedCommand, PageSection, Shown, Status, Time } from '../parts.tsx';
import { type TableColumn, PageTable } from '../table.tsx';
import { WorkflowHead } from '../workflow-tabs.tsx';
import { runnerCommand, shortenedText, statusWords } from '../words.ts';

const { client } = connection;
const [PAGE, EVERY_MS] = [50, 5_000];

/** Where the jobs of a workflow run: its runners, its allocations of Slurm, and what its actions start. */
export const RunnersView = ({ id, query }: OfWorkflow & Searched) => (
  <>
    <WorkflowHead id={id} shown="runners" />
    <Runners id={id} query={query} />
    <Allocations id={id} query={query} />
    <Actions id={id} />
  </>
);

interface OfWorkflow {
  readonly id: number;
}
interface Searched {
  readonly query: URLSearchParams;
}

function Runners({ id, query: search }: OfWorkflow & Searched) {
  const cursor = useCursor('runners', search);
  const query = { workflow_id: id, limit: PAGE, before_id: cursor.at, reverse_sort: true };
  const live = useLive(`runners ${id} ${cursor.at}`, () => client.listComputeNodes({ query }), EVERY_MS);
  return (
    <PageSection title="Runners">
      <PagedTable live={live} what="runners" cursor={cursor} columns={RUNNERS}>
        <FirstRunner id={id} />
      </PagedTable>
    </PageSection>
  );
}

function FirstRunner({ id }: OfWorkflow) {
  const place = usePlace(id);
  const next = place === undefined ? undefined : runnerCommand(place);
  return (
    <>
      <p class="note">No runner has worked on this workflow. {next?.says}</p>
      {next?.command !== undefined && <CopiedCommand text={next.command} />}
    </>
  );
}

const cpus = (percent: number | null | undefined) => (typeof percent === 'number' ? (percent / 100).toFixed(1) : '–');

const RUNNERS: readonly TableColumn<ComputeNode>[] = [
  { title: 'Node', cell: ({ hostname }) => <span class="name">{shortenedText(hostname, 80)}</span> },
  { title: 'State', cell: (node) => <Status status={node.is_active === true ? 'running' : 'ended'} /> },
  {
    title: 'In',
    cell: ({ process, compute_node_type: type }) =>
      process?.slurm_job_id ? `Slurm job ${process.slurm_job_id}` : statusWords(type),
  },
  { title: 'Started', kind: 'time', cell: ({ start_time: start }) => <Time at={start} /> },
  {
    title: 'Ran',
    kind: 'number',
    cell: ({ duration_seconds: seconds }) => (typeof seconds === 'number' ? timeText(Math.round(seconds)) : '–'),
  },
  { title: 'CPUs', kind: 'number', cell: ({ num_cpus: count }) => grouped(count) },
  { title: 'CPU, mean', kind: 'number', cell: ({ avg_cpu_percent: mean }) => cpus(mean) },
  { title: 'CPU, most', kind: 'number', cell: ({ peak_cpu_percent: peak }) => cpus(peak) },
  { title: 'Memory', kind: 'number', cell: ({ memory_gb: gibibytes }) => sizeText(gibibytes * 2 ** 30) },
  {
    title: 'Memory, most',
    kind: 'number',
    cell: ({ peak_memory_bytes: bytes }) => (typeof bytes === 'number' ? sizeText(bytes) : '–'),
  },
  { title: 'GPUs', kind: 'number', cell: ({ num_gpus: count }) => grouped(count) },
];

function Allocations({ id, query: search }: OfWorkflow & Searched) {
  const cursor = useCursor('allocations', search);
  const query = { workflow_id: id, limit: PAGE, before_id: cursor.at, reverse_sort: true };
  const live = useLive(`allocations ${id} ${cursor.at}`, () => client.listScheduledComputeNodes({ query }), EVERY_MS);
  return (
    <PageSection title="Allocations of Slurm">
      <PagedTable live={live} what="allocations" cursor={cursor} columns={ALLOCATIONS}>
        <p class="note">Nothing was submitted to Slurm.</p>
      </PagedTable>
      {live.value?.items.some(({ status }) => status === 'pending') === true && (
        <>
          <p class="next">A server starts no program. On the cluster, this says what Slurm waits for:</p>
          <CopiedCommand text={`torc status ${id}`} />
        </>
      )}
    </PageSection>
  );
}

const ALLOCATIONS: readonly TableColumn<ScheduledComputeNode>[] = [
  {
    title: 'Job of Slurm',
    cell: ({ scheduler_id: job, array_job_id: array, array_task_id: task }) =>
      array ? `${array}_${task}` : job > 0 ? String(job) : 'not submitted',
  },
  { title: 'State', cell: ({ status }) => <Status status={status} /> },
  { title: 'Scheduler', kind: 'number', cell: ({ scheduler_config_id: scheduler }) => `#${scheduler}` },
  { title: 'Held back because', kind: 'wide', cell: ({ held }) => shortenedText(held ?? '', 400) },
];

function Actions({ id }: OfWorkflow) {
  const live = useLive(`actions ${id}`, () => client.listWorkflowActions({ params: { id } }), EVERY_MS);
  return (
    <PageSection title="Actions">
      <Shown live={live} what="actions">
        {(actions) =>
          actions.length === 0 ? (
            <p class="note">This workflow has no actions.</p>
          ) : (
            <PageTable label="Table of actions" rows={actions} keyOf={(action) => action.id} columns={ACTIONS} />
          )
        }
      </Shown>
    </PageSection>
  );
}

const ACTIONS: readonly TableColumn<WorkflowAction>[] = [
  { title: 'When', cell: ({ trigger_type: trigger }) => statusWords(trigger), class: () => 'line' },
  { title: 'What', cell: ({ action_type: type }) => statusWords(type), class: () => 'line' },
  { title: 'State', cell: (action) => stateOf(action) },
  { title: 'At', kind: 'time', cell: ({ executed_at: at }) => <Time at={at} /> },
  {
    title: 'With',
    kind: 'wide',
    cell: ({ action_config: config }) => <code>{shortenedText(JSON.stringify(config), 400)}</code>,
  },
];

/** An action waits for its last trigger, is carried out by a runner, and has an outcome if the runner reported one. */
function stateOf({ executed, state, trigger_count: triggers = 0, required_triggers: required }: WorkflowAction) {
  if (state === 'open') return 'a runner does it';
  if (state) return state;
  if (executed === true) return 'done';
  return required && required > 1 ? `waits, ${grouped(triggers ?? 0)} of ${grouped(required)}` : 'waits';
}
