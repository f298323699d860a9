import { useState } from 'preact/hooks';
import type { RecoveryPlan } from '../core/contract/recovery.ts';
import type { WorkflowStatus } from '../core/contract/workflow.ts';
import { countOf, FAILED, STOPPED } from '../core/job/statuses.ts';
import { counted, grouped } from '../core/quantity/count-text.ts';
import { Confirm } from './confirm.tsx';
import { connection } from './connection.ts';
import { type Live, useLive } from './hooks.ts';
import { CopiedCommand, jobsWords, Shown } from './parts.tsx';
import { PageTable } from './table.tsx';
import { memoryWords, runtimeWords, shortenedText } from './words.ts';

const { client } = connection;

/** A plan does not change under the hand of its reader: the server refuses one that is not the current one. */
const SELDOM_MS = 600_000;

interface Factors {
  readonly memory: number;
  readonly runtime: number;
}

interface RecoverProps {
  readonly id: number;
  readonly status: WorkflowStatus;
  readonly unlessFor: string | undefined;
  readonly again: () => void;
}

/** Recovers a workflow: first the plan, as what was and what will be, then the decision. The plan is that of the server. */
export function Recover({ id, status, unlessFor, again }: RecoverProps) {
  const [plan, setPlan] = useState<RecoveryPlan>();
  const [retriesUnknown, setRetriesUnknown] = useState(false);
  const [factors, setFactors] = useState<Factors>({ memory: 1.5, runtime: 1.5 });
  const { jobs_by_status: counts } = status;
  const bad = countOf(counts, FAILED, STOPPED);
  const policy = {
    retry_unknown: retriesUnknown,
    memory_multiplier: factors.memory,
    runtime_multiplier: factors.runtime,
  };
  const jobs = plan?.jobs_again ?? 0;
  const command = plan?.needs_command ?? undefined;
  return (
    <Confirm
      label="Recover …"
      title={`Recover workflow ${id}?`}
      says="Nothing has changed yet, and no file was looked at, which torc run does. This is what a recovery would do:"
      does={jobs === 0 ? 'Recover' : `Recover ${jobsWords(jobs)}`}
      unlessFor={unlessFor ?? whyNot(status, bad)}
      isReady={jobs > 0 && command === undefined}
      act={async () => {
        await client.recoverWorkflow({ params: { id }, body: { ...policy, jobs_again: jobs } });
        again();
      }}
    >
      <Plan id={id} policy={policy} onPlan={setPlan} />
      <fieldset class="fields">
        <legend>Change the plan</legend>
        <Factor label="Memory and CPUs ×" of={factors} field="memory" change={setFactors} />
        <Factor label="Time ×" of={factors} field="runtime" change={setFactors} />
        <label class="check">
          <input
            type="checkbox"
            checked={retriesUnknown}
            onChange={(event) => setRetriesUnknown(event.currentTarget.checked)}
          />
          <span>also jobs that failed for a reason that may come back</span>
        </label>
      </fieldset>
    </Confirm>
  );
}

function whyNot(status: WorkflowStatus, bad: number): string | undefined {
  if (bad === 0) return 'No job failed or was canceled';
  if (status.is_canceled) return 'It is canceled; Run again starts it again';
  if (status.active_compute_nodes > 0) return 'A runner is active';
  if (status.pending_scheduled_nodes + status.active_scheduled_nodes > 0) return 'An allocation waits or runs';
  return undefined;
}

function Factor({
  label,
  of,
  field,
  change,
}: {
  readonly label: string;
  readonly of: Factors;
  readonly field: keyof Factors;
  readonly change: (factors: Factors) => void;
}) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="number"
        min="1"
        max="100"
        step="0.1"
        value={of[field]}
        onChange={(event) => {
          const value = event.currentTarget.valueAsNumber;
          if (value > 0 && value <= 100) change({ ...of, [field]: value });
        }}
      />
    </label>
  );
}

interface PlanProps {
  readonly id: number;
  readonly policy: { retry_unknown: boolean; memory_multiplier: number; runtime_multiplier: number };
  readonly onPlan: (plan: RecoveryPlan | undefined) => void;
}

function Plan({ id, policy, onPlan }: PlanProps) {
  const read = async () => {
    onPlan(undefined);
    const plan = await client.getRecoveryPlan({ params: { id }, query: policy });
    onPlan(plan);
    return plan;
  };
  const live: Live<RecoveryPlan> = useLive(`plan ${id} ${JSON.stringify(policy)}`, read, SELDOM_MS);
  return (
    <div class="plan" aria-live="polite">
      <Shown live={live} what="the plan">
        {(plan) => <PlanText plan={plan} />}
      </Shown>
    </div>
  );
}

function PlanText({ plan }: { readonly plan: RecoveryPlan }) {
  const { causes, changes, jobs_again: again, jobs_left: left, needs_command: needsCommand, next, command } = plan;
  return (
    <>
      <ul class="causes">
        {causes.map(({ cause, words, jobs, runs_again: runsAgain, first }) => (
          <li key={cause} class={runsAgain ? 'is-added' : ''}>
            <b>{jobsWords(jobs)}</b> {words}: {runsAgain ? 'runs again' : 'stays as it is'}
            <ul>
              {first.map(({ job_id: jobId, job_name: name, detail }) => (
                <li key={jobId}>
                  <span class="name">{shortenedText(name, 80)}</span>: {shortenedText(detail, 200)}
                </li>
              ))}
              {jobs > first.length && <li>and {grouped(jobs - first.length)} more</li>}
            </ul>
          </li>
        ))}
      </ul>
      {changes.length > 0 && (
        <PageTable
          label="Table of the requirements that change"
          rows={changes.flatMap(changeRows)}
          keyOf={({ key }) => key}
          columns={[
            { title: 'Requirements', cell: ({ what }) => shortenedText(what, 120) },
            { title: 'Now', kind: 'number', cell: ({ before }) => <del>{before}</del> },
            { title: 'After', kind: 'number', cell: ({ after }) => <ins>{after}</ins> },
          ]}
        />
      )}
      <p>
        {again === 0 ? 'No job runs again' : `${jobsWords(again)} ${again === 1 ? 'runs' : 'run'} again in a new run`}
        {left > 0 && `, and ${jobsWords(left)} ${left === 1 ? 'stays as it is' : 'stay as they are'}`}. What completed
        stays.
      </p>
      {needsCommand ? (
        <>
          <p class="note">The page cannot do it: {needsCommand}.</p>
          <CopiedCommand text={command} />
        </>
      ) : (
        next && again > 0 && <p class="note">A runner must be active, or be started with: {next}</p>
      )}
    </>
  );
}

interface ChangeRow {
  readonly key: string;
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

function changeRows(change: RecoveryPlan['changes'][number]): ChangeRow[] {
  const { resource_requirements_id: id, name, jobs, memory, num_cpus: cpus, runtime } = change;
  return [
    ...row(`${id} memory`, `${name}: memory, for ${counted(jobs, 'job')} that lacked it`, memory, memoryWords),
    ...row(`${id} cpus`, `${name}: CPUs`, cpus, String),
    ...row(`${id} runtime`, `${name}: time`, runtime, runtimeWords),
  ];
}

const row = <T,>(
  key: string,
  what: string,
  change: { readonly before: T; readonly after: T } | null | undefined,
  textOf: (value: T) => string,
): ChangeRow[] => (change ? [{ key, what, before: textOf(change.before), after: textOf(change.after) }] : []);
