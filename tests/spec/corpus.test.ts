import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../../src/client/create-workflow.ts';
import { dryRunReport } from '../../src/core/workflow-file/read/dry-run.ts';
import { executionPlan } from '../../src/core/workflow-file/plan/execution-plan.ts';
import { readSpec, type SpecReading } from '../../src/core/workflow-file/read/read.ts';
import { each } from '../../src/core/lists/sequence.ts';
import { testService } from '../support/service.ts';

// Torc's own example files are not ours to keep; where they are beside the repository, this runs as well.
const CORPUS = join(import.meta.dirname, '../../../shared/corpus/torc-examples');

/**
 * What Torc 1.0.0 makes of each file: jobs, files, user data, resource requirements, schedulers, actions (`*` where one
 * schedules nodes), dependencies (named in words / with those through files and user data) and the execution plan
 * (events / jobs ready at the start / last events).
 */
const TABLE = `
yaml/chained_allocations.yaml                    4        0      0 1 1 1*  3/3        4/1/1
yaml/data_pipeline_parameterized.yaml            5→36     3→20   0 3 0 0   40/40      25/4/4
json/data_pipeline_parameterized.json5           5→36     3→20   0 3 0 0   40/40      25/4/4
yaml/diamond_workflow.yaml                       4        6      0 0 0 0   0/4        3/1/1
json/diamond_workflow.json5                      4        6      0 0 0 0   0/4        3/1/1
kdl/diamond_workflow.kdl                         4        6      0 0 0 0   0/4        3/1/1
yaml/direct_mode_checkpointing.yaml              3→5      3→5    0 2 0 0   3/6        3/1/1
yaml/dynamic_orchestrator_local.yaml             2        0      0 3 0 0   0/0        1/2/1
yaml/failure_handler_demo.yaml                   4        0      0 0 0 0   4/4        3/1/1
yaml/failure_handler_simulation.yaml             2→18     0      0 0 0 0   9/9        10/9/9
json/failure_handler_simulation.json             2→18     0      0 0 0 0   9/9        10/9/9
kdl/failure_handler_simulation.kdl               2→18     0      0 0 0 0   9/9        10/9/9
yaml/hundred_jobs_parameterized.yaml             1→100    0      0 1 0 0   0/0        1/100/1
json/hundred_jobs_parameterized.json5            1→100    0      0 1 0 0   0/0        1/100/1
kdl/hundred_jobs_parameterized.kdl               2→101    0      0 2 0 0   100/100    2/100/1
json/hundred_jobs_workflow.json5                 100      0      0 1 0 0   0/0        1/100/1
yaml/hyperparameter_sweep.yaml                   4→38     4→38   0 3 0 0   54/54      20/2/18
json/hyperparameter_sweep.json5                  4→38     4→38   0 3 0 0   54/54      20/2/18
kdl/hyperparameter_sweep.kdl                     4→38     4→38   0 3 0 0   54!18/54   20/2/18
yaml/hyperparameter_sweep_shared_params.yaml     4→38     4→38   0 3 0 0   54/54      20/2/18
json/hyperparameter_sweep_shared_params.json5    4→38     4→38   0 3 0 0   54/54      20/2/18
kdl/hyperparameter_sweep_shared_params.kdl       4→38     4→38   0 3 0 0   54!18/54   20/2/18
yaml/labeled_jobs.yaml                           3→6      0      0 1 0 0   5/5        3/4/1
kdl/mixed_workload.kdl                           3→121    0      0 3 0 0   100/100    2/120/1
yaml/multi_stage_barrier_pattern.yaml            7→2104   0      0 3 0 0   3201/3201  7/1000/1
json/multi_stage_barrier_pattern.json5           7→2104   0      0 3 0 0   3201/3201  7/1000/1
yaml/parameterized_from_csv.yaml                 1→4      1→4    0 1 0 0   0/0        1/4/1
yaml/parameterized_from_json.yaml                1→4      0      0 1 0 0   0/0        1/4/1
yaml/parameterized_user_data.yaml                1→3      0      3 1 0 0   0/0        1/3/1
yaml/priority_workflow.yaml                      5        0      0 2 0 0   6/6        3/1/1
yaml/resource_monitoring_demo.yaml               3        0      0 3 0 0   0/0        1/3/1
kdl/resource_monitoring_demo.kdl                 3        0      0 3 0 0   0/0        1/3/1
json/resource_monitoring_demo.json5              3        0      0 1 0 0   0/0        1/3/1
yaml/sample_workflow.yaml                        3        5      3 2 2 0   2/2        3/1/1
json/sample_workflow.json                        3        5      3 2 2 0   2/2        3/1/1
json/sample_workflow.json5                       3        5      3 2 2 0   2/2        3/1/1
kdl/sample_workflow.kdl                          3        5      3 2 2 0   2!0/2      3/1/1
yaml/simple_retry.yaml                           2        0      0 0 0 0   1/1        2/1/1
kdl/simple_slurm.kdl                             3        0      0 2 0 0   2!0/2!0    3/1/1!1/3/1
yaml/simulation_sweep.yaml                       4→49     4→49   0 3 0 0   48/48      34/1/16
json/simulation_sweep.json5                      4→49     4→49   0 3 0 0   48/48      34/1/16
yaml/slurm_staged_pipeline.yaml                  12       21     0 3 3 0   20/20      3/1/1
json/slurm_staged_pipeline.json5                 12       21     0 3 3 0   20/20      3/1/1
kdl/slurm_staged_pipeline.kdl                    5        7      0 3 3 0   6!0/6      3/1/1
yaml/stdio_configuration.yaml                    4        0      0 1 0 0   3/3        4/1/1
yaml/variables_demo.yaml                         3→6      1      0 2 2 0   8/8        3/1/1
json/variables_demo.json                         3→6      1      0 2 2 0   8/8        3/1/1
yaml/workflow_actions_data_pipeline.yaml         5→14     0      0 3 0 5   13/13      11/4/1
json/workflow_actions_data_pipeline.json5        5→14     0      0 3 0 5   13/13      11/4/1
kdl/workflow_actions_data_pipeline.kdl           3        0      0 1 1 2*  2!0/2!0    3/1/1!1/3/1
yaml/workflow_actions_ml_training.yaml           3→10     0      0 3 1 4*  16/16      3/1/1
json/workflow_actions_ml_training.json5          3→10     0      0 3 1 4*  16/16      3/1/1
kdl/workflow_actions_ml_training.kdl             5        0      0 3 1 4*  6!0/6!0    3/1/1!1/5/1
yaml/workflow_actions_simple.yaml                3        0      0 0 0 2   2/2        3/1/1
json/workflow_actions_simple.json5               3        0      0 0 0 2   2/2        3/1/1
kdl/workflow_actions_simple.kdl                  3        0      0 0 0 2   2!0/2!0    3/1/1!1/3/1
yaml/workflow_actions_simple_slurm.yaml          5        0      0 2 3 3*  6/6        3/1/1
json/workflow_actions_simple_slurm.json5         3        0      0 2 3 3*  2/2        3/1/1
kdl/workflow_actions_simple_slurm.kdl            3        0      0 2 3 3*  2!0/2!0    3/1/1!1/3/1
yaml/zip_parameter_mode.yaml                     4→8      2→6    0 0 0 0   9/9        6/1/1
json/zip_parameter_mode.json5                    2→6      1→3    0 0 0 0   3/3        4/3/3
kdl/zip_parameter_mode.kdl                       2→6      1→3    0 0 0 0   3!0/3!0    4/3/3!1/6/1
subgraphs/subgraphs_workflow.yaml                7→15     9→17   0 5 6 6*  0/22       6/2/1
subgraphs/subgraphs_workflow.json5               7→15     9→17   0 5 6 6*  0/22       6/2/1
subgraphs/subgraphs_workflow.kdl                 7→15     9→17   0 5 6 6*  0/22       6/2/1
subgraphs/subgraphs_workflow_no_slurm.yaml       7→15     9→17   0 5 0 0   0/22       6/2/1
subgraphs/subgraphs_workflow_no_slurm.json5      7→15     9→17   0 5 0 0   0/22       6/2/1
subgraphs/subgraphs_workflow_no_slurm.kdl        7→15     9→17   0 5 0 0   0/22       6/2/1
tests-workflows/multi_node_mpi_step_test.yaml    1        0      0 1 1 1*  0/0        1/1/1
tests-workflows/oom_auto_recovery_test.yaml      1→10     0      0 1 1 1*  0/0        1/10/1
tests-workflows/resource_regroup_test.yaml       6        0      0 2 0 0   0/0        1/6/1
slurm-tests/cancel_workflow.yaml                 3        0      0 1 1 1*  0/0        1/3/1
slurm-tests/in_memory_exec.yaml                  1        0      0 1 1 1*  0/0        1/1/1
slurm-tests/job_parallelism.yaml                 1→4      0      0 0 1 1*  0/0        1/4/1
slurm-tests/multi_node_mpi_step.yaml             1        0      0 1 1 1*  0/0        1/1/1
slurm-tests/multi_node_parallel.yaml             1→40     0      0 1 1 1*  0/0        1/40/1
slurm-tests/no_srun_basic.yaml                   2        0      0 1 1 1*  0/0        1/2/1
slurm-tests/oom_detection.yaml                   2        0      0 2 1 1*  0/0        1/2/1
slurm-tests/resource_monitoring.yaml             2        0      0 1 1 1*  0/0        1/2/1
slurm-tests/single_node_basic.yaml               3        0      0 1 1 1*  2/2        3/1/1
slurm-tests/sync_status.yaml                     3        0      0 1 1 1*  0/0        1/3/1
slurm-tests/timeout_detection.yaml               2        0      0 2 1 1*  0/0        1/2/1
slurm-tests/watch_recover_oom.yaml               2        0      0 2 1 1*  0/0        1/2/1
docs/duplicate_after_expansion.yaml              2→10     0      0 0 0 0   -          2/5/1
docs/dynamic_jobs.yaml                           1        0      0 2 0 0   0/0        1/1/1
docs/invocation_script.yaml                      3        0      0 0 0 0   2/2        3/1/1
docs/jobs_null.yaml                              0        0      0 0 0 0   -          -
docs/metadata_string_block.yaml                  0        0      0 0 0 0   -          -
docs/multi_node_parallel.yaml                    1→100    0      0 1 1 1*  0/0        1/100/1
docs/shared_table.yaml                           3→9      0      0 0 0 0   8/8        6/4/1
docs/workflow_formats.yaml                       2        2      0 1 0 1   1/1        2/1/1
`;

const rows = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/ +/))
  .map(([file = '', ...columns]) => ({ file, columns }));

/** Lines that a dry run of Torc prints, by file; all others are valid. */
const ERRORS: Readonly<Record<string, readonly RegExp[]>> = {
  'docs/duplicate_after_expansion.yaml': [
    /^Validation error: Duplicate job name 'aggregate' after parameter expansion\. /,
    ...Array.from({ length: 4 }, () => /^Duplicate job name: 'aggregate'$/),
  ],
  'docs/jobs_null.yaml': [/^Failed to parse specification file: invalid type: null, expected a sequence$/],
  'docs/metadata_string_block.yaml': [
    /^Failed to parse specification file: invalid type: string ".*", expected a map$/,
  ],
};

// `ours!Torc's`: where KDL files write depends_on_job, which Torc drops and we read.
const ours = (column: string): string => column.replace(/!\d+(?:\/\d+\/\d+)?/g, '');

const readFile = (path: string): string => readFileSync(join(CORPUS, path.replace(/^examples\//, '')), 'utf8');
const read = (file: string): SpecReading =>
  readSpec({ text: readFileSync(join(CORPUS, file), 'utf8'), name: file }, { readFile });

const arrow = (before: number, after: number): string => (before === after ? String(after) : `${before}→${after}`);

function counted(reading: SpecReading): string[] {
  const { summary } = dryRunReport(reading);
  return [
    arrow(summary.job_count_before_expansion, summary.job_count),
    arrow(summary.file_count_before_expansion, summary.file_count),
    String(summary.user_data_count),
    String(summary.resource_requirements_count),
    String(summary.slurm_scheduler_count),
    `${summary.action_count}${summary.has_schedule_nodes_action ? '*' : ''}`,
  ];
}

function dependencies({ plan }: SpecReading): string {
  if (plan === undefined) return '-';
  const named = [...each(plan.jobs)].reduce((sum, { dependsOn }) => sum + dependsOn.length, 0);
  const all = executionPlan(plan).events.reduce((sum, { trigger, jobs_becoming_ready: ready }) => {
    return sum + ready.length * (trigger.type === 'JobsComplete' ? trigger.data.jobs.length : 0);
  }, 0);
  return `${named}/${all}`;
}

function planTriple({ plan }: SpecReading): string {
  if (plan === undefined) return '-';
  const { total_events: events, events: list, leaf_events: leaves } = executionPlan(plan);
  return `${events}/${list.find(({ id }) => id === 'start')?.jobs_becoming_ready.length}/${leaves.length}`;
}

const isThere = existsSync(CORPUS);

/** What the list beside the files says of their rows in Torc's database after initialization, where it says it of a file. */
const relations = (isThere ? readFileSync(join(CORPUS, 'LIST.md'), 'utf8').split('\n') : []).flatMap((line) => {
  const [, name = '', formats = '', , , , , , , , , related = ''] = line.split('|').map((cell) => cell.trim());
  const match = /^(\d+)(?:\+(\d+)u)?$/.exec(related);
  if (match === null) return [];
  return formats.split(' ').flatMap((format) => {
    const folder = format === 'json5' ? 'json' : format;
    const file = name.includes('/') ? `${name}.${format}` : `${folder}/${name}.${format}`;
    const dependencies = rows.find((row) => row.file === file)?.columns[6];
    if (dependencies === undefined || dependencies === '-') return [];
    return [{ file, dependencies: ours(dependencies), files: Number(match[1]), userData: Number(match[2] ?? 0) }];
  });
});

describe.skipIf(!isThere)(isThere ? "Torc's own examples" : `Torc's own examples: skipped, none at ${CORPUS}`, () => {
  it.each(rows)('$file has the counts, dependencies and plan that Torc gives it', ({ file, columns }) => {
    const reading = read(file);
    const expected = columns.map(ours);
    expect(counted(reading)).toEqual(expected.slice(0, 6));
    if (expected[6] !== '-') expect(dependencies(reading)).toBe(expected[6]);
    expect(planTriple(reading)).toBe(expected[7]);
  });

  it.each(relations)('$file has as many dependencies, files and user data of jobs in the service', async (row) => {
    const { plan } = read(row.file);
    if (plan === undefined) throw new Error(`${row.file} has no plan`);
    const { client } = testService();
    const id = await createWorkflow(client, plan, {
      user: 'u',
      submissionDirectory: '/',
      monitorsJobs: false,
      mtimeOf: async () => undefined,
    });
    const params = { id };
    const edges = async () => (await client.listJobDependencies({ params, query: {} })).total_count;
    const before = await edges();
    await client.initializeJobs({ params });
    const files = await client.listJobFileRelationships({ params, query: {} });
    const userData = await client.listJobUserDataRelationships({ params, query: {} });
    expect([`${before}/${await edges()}`, files.total_count, userData.total_count]).toEqual([
      row.dependencies,
      row.files,
      row.userData,
    ]);
  });

  it.each(rows)('$file has the errors that Torc prints, if any', ({ file }) => {
    const { valid, errors } = dryRunReport(read(file));
    const patterns = ERRORS[file] ?? [];
    expect(errors).toEqual(patterns.map((pattern) => expect.stringMatching(pattern)));
    expect(valid).toBe(patterns.length === 0);
  });
});
