import { exitCodesOf } from '../attempt/judge.ts';
import type { SlurmStats } from '../contract/allocation.ts';
import type { JobDependency } from '../contract/job.ts';
import type { ComputeNode } from '../contract/node.ts';
import type { Result } from '../contract/result.ts';
import type { FailureGroup, FailureGroups, WorkflowGraph, WorkflowTimeline } from '../contract/view.ts';
import type { Workflow, WorkflowStatus } from '../contract/workflow.ts';
import { outcomeRecord } from '../lifecycle/explain/outcome.ts';
import { usualAdvice } from '../lifecycle/resources/family-advice.ts';
import { familiesJson } from '../lifecycle/resources/family-json.ts';
import type { UsedJob } from '../lifecycle/resources/used-jobs.ts';
import { fileWithoutSecrets, secretsIn, withoutSecrets } from '../text/without-secrets.ts';
import { costsOf, type Hours, type RunnerShare, runnerShares } from './costs.ts';
import { countedEnergy, ENERGY_MODEL, energyOf, type EnergyOptions } from './energy.ts';
import { mostOf, type Ranked, waitsOf } from './most.ts';

/** All that a report of a workflow is made of. */
export interface ReportFacts {
  readonly workflow: Workflow & { readonly id: number };
  readonly status: WorkflowStatus;
  /** How it stands, in a word. */
  readonly state: string;
  readonly jobs: readonly UsedJob[];
  /** Of all runs. */
  readonly attempts: readonly Result[];
  readonly dependencies: readonly JobDependency[];
  readonly runners: readonly ComputeNode[];
  readonly stats: readonly SlurmStats[];
  readonly graph: WorkflowGraph;
  readonly timeline: WorkflowTimeline;
  readonly failures: FailureGroups;
  /** The last lines of the first job of each group of failures. */
  readonly lastLines: readonly (readonly string[])[];
  /** The workflow file, where it can be read; `isCut` if it is longer. */
  readonly file: { readonly path: string; readonly text: string; readonly isCut: boolean } | undefined;
  readonly versions: { readonly torc: string; readonly server: string };
}

const [MOST_NAMED, MOST_RUNNERS, MOST_FAILURES] = [10, 50, 20];

/** The report of one workflow, for programs: times in seconds, amounts in bytes, hours of cores and GPUs, kWh, grams. */
export function workflowReport(facts: ReportFacts, energy: EnergyOptions) {
  const { workflow, status, jobs, attempts, timeline, graph } = facts;
  const codes = exitCodesOf(workflow.execution_config);
  const secrets = secretsIn(workflow.env ?? {});
  const costs = costsOf(attempts, jobs, codes);
  const shares = runnerShares(facts.runners, attempts, jobs);
  const paid = shares.reduce((sum, share) => sum + (share.paid ?? 0), 0);
  const shown = shares.toSorted((a, b) => (b.paid ?? 0) - (a.paid ?? 0)).slice(0, MOST_RUNNERS);
  return {
    workflow: {
      id: workflow.id,
      name: workflow.name,
      user: workflow.user,
      project: workflow.project ?? null,
      description: workflow.description ?? null,
      created: workflow.timestamp ?? null,
      run_id: workflow.run_id ?? null,
    },
    verdict: { state: facts.state, ...outcomeRecord(status.jobs_by_status), jobs: status.total_jobs },
    time: {
      from: timeline.run_from ?? null,
      to: timeline.run_to ?? null,
      wall_seconds: rounded(status.walltime_seconds ?? 0),
      attempts: costs.attempts,
      repeated_attempts: costs.repeated,
    },
    totals: {
      core_hours: {
        paid: rounded(paid),
        asked: rounded(costs.total.asked),
        used: rounded(costs.total.used),
        not_measured: rounded(costs.total.asked - costs.total.measured),
        of_attempts_that_did_not_complete: rounded(costs.lost.asked),
      },
      gpu_hours: rounded(costs.total.gpus),
      energy: energyRecord(costs.total, shares, energy),
    },
    graph: {
      families: graph.families.map(({ key, name, jobs: count, jobs_by_status: by }) => ({
        key,
        name,
        jobs: count,
        ...outcomeRecord(by),
      })),
      edges: graph.edges,
      families_left_out: graph.families_left_out,
      jobs_left_out: graph.jobs_left_out,
    },
    timeline,
    resources: familiesJson(usualAdvice(jobs).families),
    most: mostRecord(facts),
    failures: {
      groups: facts.failures.groups.slice(0, MOST_FAILURES).map((group, at) =>
        failureRecord(
          group,
          facts.lastLines[at]?.map((line) => withoutSecrets(line, secrets)),
        ),
      ),
      groups_left_out: facts.failures.groups_left_out + Math.max(0, facts.failures.groups.length - MOST_FAILURES),
    },
    attempts: costs.groups.map(({ why, attempts: count, hours }) => ({
      why,
      attempts: count,
      core_hours: rounded(hours.asked),
      gpu_hours: rounded(hours.gpus),
    })),
    runners: shown.map(runnerRecord),
    runners_left_out: shares.length - shown.length,
    file:
      facts.file === undefined
        ? null
        : { path: facts.file.path, text: fileWithoutSecrets(facts.file.text.trimEnd()), is_cut: facts.file.isCut },
    versions: facts.versions,
  };
}

export type WorkflowReport = ReturnType<typeof workflowReport>;

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

/** CPUs that were not measured count as busy: a model that took them for idle would flatter. */
function energyRecord(total: Hours, shares: readonly RunnerShare[], options: EnergyOptions) {
  const counted = countedEnergy(total, shares);
  const { kwh, grams } = energyOf(counted.rest, options, counted.kwh);
  const { cores, gigabytes, gpus } = counted.rest;
  // What is left by rounding is no part.
  const isModelled = counted.kwh === 0 || cores + gigabytes + gpus > 1e-9;
  return {
    kwh: Number(kwh.toPrecision(6)),
    /** Of these, what counters of the machines say, without the overhead of the site. */
    counted_kwh: Number(counted.kwh.toPrecision(6)),
    grams_co2: grams === undefined ? null : Number(grams.toPrecision(6)),
    source:
      counted.kwh === 0 ? ('model' as const) : isModelled ? ('counters and model' as const) : ('counters' as const),
    model: {
      watts_per_core: ENERGY_MODEL.wattsPerCore,
      watts_per_gigabyte: ENERGY_MODEL.wattsPerGigabyte,
      watts_per_gpu: ENERGY_MODEL.wattsPerGpu,
      overhead: options.overhead,
      grams_per_kwh: options.gramsPerKwh ?? null,
    },
  };
}

function mostRecord({ jobs, dependencies, stats }: ReportFacts) {
  const waits = waitsOf(jobs, dependencies);
  const bytes = new Map<number, number>();
  for (const { job_id: id, max_disk_read_bytes: read, max_disk_write_bytes: written } of stats)
    bytes.set(id, Math.max(bytes.get(id) ?? 0, (read ?? 0) + (written ?? 0)));
  const ranked = (amountOf: (job: UsedJob) => number | undefined) =>
    mostOf(jobs, amountOf, MOST_NAMED).map(({ job, amount }: Ranked) => ({
      job_id: job.id,
      job_name: job.name,
      amount: rounded(amount),
    }));
  return {
    memory_bytes: ranked(({ use }) => use?.peakMemoryBytes),
    seconds: ranked(({ use }) => use?.seconds),
    io_bytes: ranked(({ id }) => bytes.get(id)),
    /** From the end of what it depends on to its start. */
    waiting_seconds: ranked(({ id }) => waits.get(id)),
  };
}

const failureRecord = (
  { status, return_code: code, cause, cause_code: causeCode, jobs, first }: FailureGroup,
  lines: readonly string[] = [],
) => ({
  status,
  return_code: code,
  cause: cause ?? null,
  cause_code: causeCode ?? null,
  jobs,
  first: first.map(({ job_id: id, job_name: name }) => ({ job_id: id, job_name: name })),
  last_lines: lines,
});

function runnerRecord({ runner, paid, attempts, hours }: RunnerShare) {
  const scheduler = runner.scheduler as { readonly slurm_job_id?: string } | null | undefined;
  return {
    id: runner.id,
    hostname: runner.hostname,
    allocation: scheduler?.slurm_job_id ?? null,
    cpus: runner.num_cpus,
    memory_gb: runner.memory_gb,
    gpus: runner.num_gpus,
    nodes: runner.num_nodes,
    attempts,
    core_hours: {
      paid: paid === undefined ? null : rounded(paid),
      asked: rounded(hours.asked),
      used: rounded(hours.used),
    },
  };
}
