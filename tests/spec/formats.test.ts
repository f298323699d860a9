import { describe, expect, it } from 'vitest';
import { dryRunReport } from '../../src/core/workflow-file/read/dry-run.ts';
import { executionPlan } from '../../src/core/workflow-file/plan/execution-plan.ts';
import { each } from '../../src/core/lists/sequence.ts';
import type { SpecFormat } from '../../src/core/workflow-file/text/read-text.ts';
import { readText } from './reading.ts';

/** One sweep, written four times. */
const sweep: Readonly<Record<SpecFormat, string>> = {
  yaml: `
name: sweep
description: a grid
env: {SEED: "7"}
jobs:
  - name: prepare
    command: prepare > \${files.output.data}
    resource_requirements: small
  - name: train_lr{lr:.3f}_b{b}
    command: train {lr} {b} \${files.input.data}
    resource_requirements: small
    output_files: ["model_{lr:.3f}_{b}"]
    parameters: {lr: "[0.1,0.01]", b: "16:48:16"}
  - name: report
    command: report
    depends_on_regexes: ["^train_lr"]
    labels: [web]
files:
  - {name: data, path: data.csv}
  - {name: "model_{lr:.3f}_{b}", path: "{lr}/{b}.pt", parameters: {lr: "[0.1,0.01]", b: "16:48:16"}}
resource_requirements:
  - {name: small, num_cpus: 2, memory: 1g, runtime: PT10M}
resource_monitor: {enabled: true, granularity: time_series, sample_interval_seconds: 5}
`,
  json: `{
  "name": "sweep", "description": "a grid", "env": {"SEED": "7"},
  "jobs": [
    {"name": "prepare", "command": "prepare > \${files.output.data}", "resource_requirements": "small"},
    {"name": "train_lr{lr:.3f}_b{b}", "command": "train {lr} {b} \${files.input.data}", "resource_requirements": "small",
     "output_files": ["model_{lr:.3f}_{b}"], "parameters": {"lr": "[0.1,0.01]", "b": "16:48:16"}},
    {"name": "report", "command": "report", "depends_on_regexes": ["^train_lr"], "labels": ["web"]}
  ],
  "files": [
    {"name": "data", "path": "data.csv"},
    {"name": "model_{lr:.3f}_{b}", "path": "{lr}/{b}.pt", "parameters": {"lr": "[0.1,0.01]", "b": "16:48:16"}}
  ],
  "resource_requirements": [{"name": "small", "num_cpus": 2, "memory": "1g", "runtime": "PT10M"}],
  "resource_monitor": {"enabled": true, "granularity": "time_series", "sample_interval_seconds": 5}
}`,
  json5: `{
  name: 'sweep', description: 'a grid', env: {SEED: '7'},
  jobs: [
    {name: 'prepare', command: 'prepare > \${files.output.data}', resource_requirements: 'small'},
    // each combination
    {name: 'train_lr{lr:.3f}_b{b}', command: 'train {lr} {b} \${files.input.data}', resource_requirements: 'small',
     output_files: ['model_{lr:.3f}_{b}'], parameters: {lr: [.1, .01], b: [16, 32, +48]}},
    {name: 'report', command: 'report', depends_on_regexes: ['^train_lr'], labels: ['web']},
  ],
  files: [
    {name: 'data', path: 'data.csv'},
    {name: 'model_{lr:.3f}_{b}', path: '{lr}/{b}.pt', parameters: {lr: '[0.1,0.01]', b: '16:48:16'}},
  ],
  resource_requirements: [{name: 'small', num_cpus: 0x2, memory: '1g', runtime: 'PT10M'}],
  resource_monitor: {enabled: true, granularity: 'time_series', sample_interval_seconds: 5},
}`,
  kdl: `
name "sweep"
description "a grid"
env { SEED "7" }
job "prepare" {
    command "prepare > \${files.output.data}"
    resource_requirements "small"
}
job "train_lr{lr:.3f}_b{b}" {
    command "train {lr} {b} \${files.input.data}"
    resource_requirements "small"
    output_file "model_{lr:.3f}_{b}"
    parameters { lr "[0.1,0.01]"; b "16:48:16"; }
}
job "report" {
    command "report"
    depends_on_regexes "^train_lr"
    labels "web"
}
file "data" path="data.csv"
file "model_{lr:.3f}_{b}" {
    path "{lr}/{b}.pt"
    parameters { lr "[0.1,0.01]"; b "16:48:16"; }
}
resource_requirements "small" { num_cpus 2; memory "1g"; runtime "PT10M"; }
resource_monitor { enabled #true; granularity "time_series"; sample_interval_seconds 5; }
`,
};

const planned = (format: SpecFormat) => {
  const reading = readText(sweep[format], format);
  expect(reading.problems).toEqual([]);
  return { reading, plan: reading.plan! };
};

describe.each(['json', 'json5', 'kdl'] as const)('the same workflow in %s and in YAML', (format) => {
  const [yaml, other] = [planned('yaml'), planned(format)];

  it('a workflow in this format has the same jobs, files and settings', () => {
    expect([...each(other.plan.jobs)]).toEqual([...each(yaml.plan.jobs)]);
    expect([...each(other.plan.files)]).toEqual([...each(yaml.plan.files)]);
    expect(other.plan.resourceRequirements).toEqual(yaml.plan.resourceRequirements);
    expect(other.plan.workflow).toEqual(yaml.plan.workflow);
  });

  it('a workflow in this format has the same counts and the same plan', () => {
    expect(dryRunReport(other.reading)).toEqual(dryRunReport(yaml.reading));
    expect(executionPlan(other.plan)).toEqual(executionPlan(yaml.plan));
  });
});

it('the workflow of these files has the jobs, names and events that its text gives', () => {
  const { reading, plan } = planned('yaml');
  expect(dryRunReport(reading).summary).toMatchObject({ job_count: 8, job_count_before_expansion: 3, file_count: 7 });
  expect(plan.jobs.at(1)).toMatchObject({ name: 'train_lr0.100_b16', command: 'train 0.1 16 data.csv' });
  expect(executionPlan(plan).events.map(({ id }) => id)).toEqual(['start', 'after_prepare', 'after_train_lr0._jobs']);
});
