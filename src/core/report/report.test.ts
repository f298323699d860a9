import { describe, expect, it } from 'vitest';
import type { ComputeNode } from '../contract/node.ts';
import type { Job } from '../contract/job.ts';
import type { ResourceRequirements } from '../contract/resources.ts';
import type { Result } from '../contract/result.ts';
import { usedJobsOf } from '../lifecycle/resources/used-jobs.ts';
import { exitCodesOf } from '../attempt/judge.ts';
import { costsOf, runnerShares } from './costs.ts';
import { energyOf } from './energy.ts';
import { htmlOf } from './html.ts';
import { markdownOf } from './markdown.ts';
import { mostOf, waitsOf } from './most.ts';
import { reportDocument } from './report-document.ts';
import { type ReportFacts, workflowReport } from './workflow-report.ts';

const needs = {
  id: 5,
  workflow_id: 1,
  name: 'small',
  num_cpus: 2,
  num_gpus: 1,
  memory: '4g',
  runtime: 'PT1H',
} as ResourceRequirements;

interface Given {
  readonly name: string;
  readonly status?: string;
  readonly minutes?: number;
  readonly endedAt?: string;
  readonly cause?: string;
  readonly attempt?: number;
}

const resultOf = (id: number, { name, status = 'completed', minutes = 30, endedAt, attempt = 1 }: Given) =>
  ({
    id: id * 10 + attempt,
    job_id: id,
    job_name: name,
    workflow_id: 1,
    run_id: 1,
    attempt_id: attempt,
    compute_node_id: 7,
    return_code: status === 'completed' ? 0 : 3,
    exec_time_minutes: minutes,
    completion_time: endedAt ?? '2026-03-01T12:30:00Z',
    status,
    peak_memory_bytes: id * 2 ** 20,
    avg_cpu_percent: 100,
  }) as Result;

const jobsOf = (given: readonly Given[]) => {
  const results = given.map((each, at) => resultOf(at + 1, each));
  const jobs = given.map(
    ({ name, status = 'completed' }, at) =>
      ({ id: at + 1, name, status, resource_requirements_id: 5 }) as unknown as Job,
  );
  return { results, jobs: usedJobsOf({ jobs, results, requirements: [needs], execution: undefined }) };
};

const codes = exitCodesOf(undefined);

const runner = {
  id: 7,
  workflow_id: 1,
  hostname: 'n1',
  num_cpus: 8,
  num_gpus: 1,
  num_nodes: 1,
  memory_gb: 32,
  start_time: '2026-03-01T12:00:00Z',
  end_time: '2026-03-01T14:00:00Z',
} as ComputeNode;

/** The facts of a workflow with these jobs, and a family of its own for each name without numbers. */
function factsOf(given: readonly Given[], more: Partial<ReportFacts> = {}): ReportFacts {
  const { results, jobs } = jobsOf(given);
  const families = [...Map.groupBy(given, ({ name }) => name.replaceAll(/\d+/g, '#'))].map(([name, all], at) => ({
    key: String(at),
    name,
    first_job_id: at + 1,
    jobs: all.length,
    jobs_by_status: { completed: all.length },
  }));
  const shown = families.slice(0, 200);
  const bins = Array.from({ length: 120 }, (_, at) => at % 7);
  return {
    workflow: {
      id: 1,
      name: 'flow',
      user: 'ada',
      timestamp: '2026-03-01T11:00:00Z',
      run_id: 1,
    } as ReportFacts['workflow'],
    status: { jobs_by_status: { completed: given.length }, total_jobs: given.length } as ReportFacts['status'],
    state: 'finished',
    jobs,
    attempts: results,
    dependencies: [],
    runners: [runner],
    stats: [],
    graph: {
      families: shown,
      edges: shown.slice(1).map(({ key }) => ({ from: '0', to: key, dependencies: 1 })),
      families_left_out: families.length - shown.length,
      jobs_left_out: 0,
    },
    timeline: {
      bin_seconds: 1,
      running: bins,
      ended: bins,
      failed: bins,
      bands: shown.slice(0, 20).map(({ key, name }) => ({
        key,
        name,
        attempts: 1,
        retries: 0,
        running: bins,
        ended: bins,
        failed: bins,
      })),
    },
    failures: { groups: [], groups_left_out: 0 },
    lastLines: [],
    file: undefined,
    versions: { torc: '1', server: '1' },
    ...more,
  };
}

const energy = { overhead: 1, gramsPerKwh: undefined };
const html = (facts: ReportFacts) => htmlOf(reportDocument([workflowReport(facts, energy)], 0));

describe('what attempts cost', () => {
  it('all attempts count with the CPUs that they asked for, and those that did not complete also by themselves', () => {
    const { jobs, results } = jobsOf([{ name: 'a' }, { name: 'b', status: 'failed' }]);
    const again = resultOf(2, { name: 'b', attempt: 2, minutes: 60 });
    const costs = costsOf([...results, again], jobs, codes);
    expect(costs).toMatchObject({
      attempts: 3,
      repeated: 1,
      total: { asked: 4, used: 2, gpus: 2, gigabytes: 8 },
      lost: { asked: 1 },
      groups: [
        { why: 'completed', attempts: 2 },
        { why: 'exit code 3', attempts: 1 },
      ],
    });
  });

  it('a runner paid for its CPUs over its whole life, whatever its jobs used of them', () => {
    const { jobs, results } = jobsOf([{ name: 'a' }, { name: 'b' }]);
    const idle = { ...runner, id: 8, end_time: undefined } as ComputeNode;
    expect(runnerShares([runner, idle], results, jobs)).toMatchObject([
      { paid: 16, attempts: 2, hours: { asked: 2, used: 1 } },
      { paid: undefined, attempts: 0, hours: { asked: 0 } },
    ]);
  });

  it('energy is that of busy cores, memory and GPUs; CO₂ is given for a factor only', () => {
    const used = { cores: 1000, gigabytes: 1000, gpus: 10 };
    expect(energyOf(used, { overhead: 1, gramsPerKwh: undefined })).toEqual({ kwh: 14.3725, grams: undefined });
    expect(energyOf(used, { overhead: 2, gramsPerKwh: 100 })).toEqual({ kwh: 28.745, grams: 2874.5 });
  });
});

describe('energy that machines counted', () => {
  const counting = { ...runner, energy_joules: 7.2e6, machine_cpu_seconds: 7200 };
  const energyOfRunners = (runners: ComputeNode[]) =>
    workflowReport(factsOf([{ name: 'a' }, { name: 'b' }], { runners }), { overhead: 1, gramsPerKwh: 100 }).totals
      .energy;

  it('energy that machines counted is shared out by CPU time: two jobs with an hour of the two that all processes had get half of it', () => {
    // The GPU is left to the model: an hour of 200 W.
    expect(energyOfRunners([counting])).toMatchObject({
      counted_kwh: 1,
      kwh: 1.2,
      grams_co2: 120,
      source: 'counters and model',
    });
  });

  it('energy of GPUs is their mean power over the time of an attempt, and the model has those that were not measured', () => {
    const facts = factsOf([{ name: 'a' }, { name: 'b' }]);
    const [first, ...others] = facts.attempts;
    const energyWith = (watts: number | null) => {
      const attempts = [{ ...(first as Result), avg_gpu_watts: watts }, ...others];
      return workflowReport({ ...facts, attempts }, { overhead: 1, gramsPerKwh: undefined }).totals.energy;
    };
    const [none, some] = [energyWith(null), energyWith(700)];
    expect([none.counted_kwh, none.source]).toEqual([0, 'model']);
    const hours = (first as Result).exec_time_minutes / 60;
    expect(some.counted_kwh).toBeCloseTo(0.7 * hours);
    // The GPU of this attempt is no longer that of the model.
    const { gpus } = { gpus: none.kwh - some.kwh + some.counted_kwh };
    expect(gpus).toBeCloseTo(0.2 * hours * (facts.jobs[0]?.requirements.num_gpus ?? 0));
    expect(some.source).toBe('counters and model');
  });

  it('energy of jobs is never more than the machine had, and without counters there is the model alone', () => {
    expect(energyOfRunners([{ ...counting, machine_cpu_seconds: 60 }])).toMatchObject({ counted_kwh: 2 });
    for (const none of [undefined, null, 0])
      expect(energyOfRunners([{ ...counting, energy_joules: none }])).toMatchObject({
        counted_kwh: 0,
        source: 'model',
      });
    expect(energyOfRunners([{ ...counting, machine_cpu_seconds: 0 }])).toMatchObject({ source: 'model' });
  });
});

describe('who used most', () => {
  it('the greatest amounts stand first, and jobs without any are left out', () => {
    const { jobs } = jobsOf(Array.from({ length: 30 }, (_, at) => ({ name: `j${at}` })));
    const most = mostOf(jobs, ({ id }) => (id === 3 ? 0 : id), 3);
    expect(most.map(({ job }) => job.id)).toEqual([30, 29, 28]);
    expect(mostOf(jobs, () => undefined, 3)).toEqual([]);
  });

  it('a job waits from the end of the last job that it depends on, or from the first start of the run', () => {
    const { jobs } = jobsOf([
      { name: 'first', minutes: 10, endedAt: '2026-03-01T12:10:00Z' },
      { name: 'free', minutes: 10, endedAt: '2026-03-01T12:15:00Z' },
      { name: 'behind', minutes: 10, endedAt: '2026-03-01T12:30:00Z' },
    ]);
    const edges = [1, 2].map((upstream) => ({ job_id: 3, depends_on_job_id: upstream }));
    expect([...waitsOf(jobs, edges as never)]).toEqual([
      [1, 0],
      [2, 300],
      [3, 300],
    ]);
  });
});

describe('what users have chosen is text in a report', () => {
  const planted = '<script>alert("x")</script>';
  const facts = factsOf([{ name: planted }], {
    workflow: { id: 1, name: planted, user: planted, description: `${planted}|`, run_id: 1 } as ReportFacts['workflow'],
    failures: {
      groups: [
        {
          status: 'failed',
          return_code: 1,
          cause: planted,
          jobs: 1,
          first: [{ job_id: 1, job_name: planted, run_id: 1, attempt_id: 1 }],
        },
      ],
      groups_left_out: 0,
    },
    lastLines: [[planted, '```', '\u001b[31mred']],
    file: { path: planted, text: `name: "${planted}"`, isCut: false },
    runners: [{ ...runner, hostname: planted }],
  });

  it('no name, line or path becomes an element of the HTML', () => {
    const text = html(facts);
    expect(text).not.toContain('<script');
    expect(text).not.toContain('\u001b');
    // Title, heading, verdict, graph, timeline, tables, failures, runner and file.
    expect(text.split('&lt;script&gt;').length).toBeGreaterThan(15);
  });

  it('no name breaks a table of the Markdown, and no line of a log ends its block', () => {
    const text = markdownOf(reportDocument([workflowReport(facts, energy)], 0));
    expect(text).toContain('- Description: \\<script\\>alert("x")\\</script\\>\\|');
    expect(text).toContain('````text');
    const outside = text.replaceAll(/^(`{3,})text\n[^]*?^\1$/gm, '');
    expect(outside).not.toMatch(/(?<!\\)<script/);
  });
});

it('neither the workflow file nor the last lines of a log show the value of a variable that is named like a secret', () => {
  const facts = factsOf([{ name: 'a' }], {
    failures: {
      groups: [
        { status: 'failed', return_code: 1, jobs: 1, first: [{ job_id: 1, job_name: 'a', run_id: 1, attempt_id: 1 }] },
      ],
      groups_left_out: 0,
    },
    lastLines: [['no access with abc-very-secret']],
    file: { path: 'w.yaml', text: 'env: { SERVICE_TOKEN: abc-very-secret }', isCut: false },
  });
  const report = workflowReport(
    { ...facts, workflow: { ...facts.workflow, env: { SERVICE_TOKEN: 'abc-very-secret' } } },
    energy,
  );
  expect(JSON.stringify(report)).not.toContain('abc-very-secret');
  expect(report.file?.text).toBe('env: { SERVICE_TOKEN: *** }');
  expect(report.failures.groups[0]?.last_lines).toEqual(['no access with ***']);
});

it('the report of 100,000 jobs in 3,000 families is smaller than 5 MB, and says what it leaves out', () => {
  const letters = (at: number) => at.toString(26).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] as string);
  const jobs = Array.from({ length: 100_000 }, (_, at) => ({
    name: `${letters(at % 3_000)}_${'x'.repeat(200)}_${at}`,
  }));
  const report = workflowReport(factsOf(jobs), energy);
  const text = htmlOf(reportDocument([report], 0));
  expect(text.length).toBeLessThan(5_000_000);
  expect(JSON.stringify(report).length).toBeLessThan(5_000_000);
  expect(text).toContain('more families not shown');
  expect(text).toContain('The picture shows the first 60 families');
});
