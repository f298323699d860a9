import { scriptOf } from '../../src/runner/step/request.ts';
import { failsForStale } from '../../src/core/attempt/judge.ts';
import { stdioOf } from '../../src/core/contract/files/job.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../../src/client/create-workflow.ts';
import { parseMemory } from '../../src/core/quantity/bytes.ts';
import { readCauseRules } from '../../src/core/lifecycle/retry/cause-rules.ts';
import { formatDuration, parseDuration } from '../../src/core/quantity/duration.ts';
import { parseWalltime } from '../../src/core/quantity/slurm-time.ts';
import { formatProblem } from '../../src/core/workflow-file/problems/problems.ts';
import { readSpec } from '../../src/core/workflow-file/read/read.ts';
import { each } from '../../src/core/lists/sequence.ts';
import { checkShape } from '../../src/core/workflow-file/shape/check.ts';
import { specJsonSchema } from '../../src/core/workflow-file/shape/json-schema.ts';
import { sectionsOf } from '../../src/core/workflow-file/shape/unknown-field.ts';
import type { Field } from '../../src/core/workflow-file/shape/shape.ts';
import { workflow } from '../../src/core/workflow-file/shape/workflow.ts';
import type { SpecFormat } from '../../src/core/workflow-file/text/read-text.ts';
import { limitsCpus, monitorPlanOf, writesSonar } from '../../src/runner/observe/plan.ts';
import { hidesGpus } from '../../src/runner/step/request.ts';
import { readRetryRules } from '../../src/runner/attempt/retry/exit-code-rules.ts';
import { comparesContents, standardExecution, terminationOf } from '../../src/core/attempt/execution.ts';
import { STANDARD_MAX_ITERATIONS } from '../../src/core/contract/standard-settings.ts';
import { plannedActionOf } from '../../src/runner/actions/choose.ts';
import { read, planned } from '../spec/reading.ts';
import { testService } from '../support/service.ts';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/reference/workflow-files.md'), 'utf8');
const sections = sectionsOf(workflow);
const fields = sections.flatMap(({ title, shape }) =>
  Object.entries(shape.fields ?? {}).map(([name, field]) => ({ at: `${title}.${name}`, name, field })),
);

/** The fields that the table below a heading has, with the cells of each. */
function tableBelow(title: string): Map<string, string[]> {
  const from = page.search(new RegExp(`^#+ ${title.replaceAll('.', '\\.')}$`, 'm'));
  const below =
    page
      .slice(from)
      .replace(/^#.*\n/, '')
      .split(/^#/m)[0] ?? '';
  const rows = [...below.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)];
  return new Map(rows.map(([, name = '', rest = '']) => [name, rest.split(' | ')]));
}

describe('the reference of workflow files', () => {
  it.each(sections)(
    'the reference of workflow files has a table of $title with every field, its default and its example',
    ({ title, shape }) => {
      const table = tableBelow(title);
      expect([...table.keys()].slice(0, Object.keys(shape.fields ?? {}).length)).toEqual(
        Object.keys(shape.fields ?? {}),
      );
      for (const [name, { isNeeded, unless, standard, says }] of Object.entries(shape.fields ?? {})) {
        const [, initial, , meaning] = table.get(name) ?? [];
        const required = `**required**${unless === undefined ? '' : `, or \`${unless}\``}`;
        expect(initial).toBe(isNeeded ? required : standard === undefined ? '–' : `\`${standard}\``);
        expect(meaning).toContain(says);
      }
    },
  );

  it.each([...page.matchAll(/^```(yaml|json5|kdl)\n(.*?)^```$/gms)].map(([, format, text]) => [format, text]))(
    'has an example in %s that Torc reads without a problem, number %$',
    (format, text) => {
      const { plan, problems } = readSpec(
        { name: 'example', text: text as string, format: format as SpecFormat },
        {
          readFile: (path) => readFileSync(join(root, path), 'utf8'),
          // A folder of the reader.
          listFolder: (path) => (path.startsWith('raw') ? ['a_b.fastq'] : readdirSync(join(root, path))),
          fileExists: () => true,
        },
      );
      expect(problems.map(formatProblem)).toEqual([]);
      expect(plan?.jobs.length).toBeGreaterThan(0);
    },
  );

  it('the reference of workflow files shows one workflow in all formats', () => {
    const names = [...page.matchAll(/^```(yaml|json5|kdl)\n(.*?)^```$/gms)]
      .filter(([, , text = '']) => /name:? ['"]?greet['"]?,?$/m.test(text))
      .map(([, format, text = '']) => {
        const { plan } = readSpec({ name: 'example', text, format: format as SpecFormat }, { readFile: () => '' });
        return [...each(plan?.jobs ?? { length: 0, at: () => ({ name: '' }) })].map(({ name }) => name);
      });
    expect(names).toEqual(Array.from({ length: 3 }, () => ['greet_Ada', 'greet_Grace', 'bye']));
  });

  it('the reference of workflow files says truly what each way to write a parameter stands for', () => {
    const rows = [...page.matchAll(/^\| `"([^`]*:[^`]*)"` +\| ([^:|]+?)(?:: [^|]*)? +\|$/gm)];
    expect(rows.length).toBeGreaterThan(3);
    for (const [, range = '', values = ''] of rows) {
      const { jobs } = planned({ jobs: [{ name: '{i}', command: 'x', parameters: { i: range } }] });
      expect([...each(jobs)].map(({ name }) => name).join(', ')).toBe(values);
    }
  });
});

describe('the definition of workflow files', () => {
  it('the definition of workflow files has an example for every field that is no object, and the example is a value of the field', () => {
    const bare = fields.filter(({ field }) => field.example === undefined).map(({ at }) => at);
    const objects = fields.filter(
      ({ field: { shape } }) => shape.fields !== undefined || shape.of?.fields !== undefined,
    );
    expect(bare).toEqual(objects.map(({ at }) => at).filter((at) => bare.includes(at)));
    for (const { at, field } of fields) {
      if (field.example === undefined) continue;
      const problems: string[] = [];
      checkShape(field.shape, field.example, ({ message }) => problems.push(`${at}: ${message}`));
      expect(problems).toEqual([]);
    }
  });

  it('the definition of workflow files has units whose examples and defaults Torc reads', () => {
    const readers: Readonly<Record<string, (text: string) => number>> = {
      'bytes, or k, m, g, t': parseMemory,
      'ISO 8601 duration': parseDuration,
      'D-HH:MM:SS': parseWalltime,
    };
    const texts = fields.filter(({ field: { unit = '' } }) => unit in readers);
    expect(texts.map(({ name }) => name)).toEqual(['memory', 'runtime', 'walltime', 'mem', 'mem']);
    for (const { field } of texts) {
      for (const text of [field.example, field.standard]) {
        if (typeof text === 'string') expect(readers[field.unit ?? '']?.(text)).toBeGreaterThan(0);
      }
    }
  });

  it('the definition of workflow files names the unit of every number whose name ends in one', () => {
    const timed = fields.filter(({ name }) => /_(?:seconds|minutes)$/.test(name));
    expect(timed.length).toBeGreaterThan(6);
    for (const { name, field } of timed) expect(name).toContain(`_${field.unit}`);
  });

  it('the definition of workflow files shows what a field means and an example of it in the schema for editors', () => {
    const { properties } = specJsonSchema() as { properties: Record<string, object> };
    expect(properties['compute_node_wait_for_new_jobs_seconds']).toMatchObject({
      description: expect.stringMatching(/^Time that a runner without work waits for new jobs\. With the default,/),
      default: 90,
      examples: [300],
    });
  });
});

/** What Torc does where a file leaves fields out: the records that it creates, and what a runner makes of them. */
async function applied(): Promise<Record<string, unknown>> {
  const inContainer = planned({ jobs: [{ name: 'a', command: 'x', container: { image: 'i' } }] });
  const contained = inContainer.jobs.at(0).invocationScript ?? '';
  const { client } = testService();
  const id = await createWorkflow(
    client,
    planned({
      jobs: [{ name: 'a', command: 'x' }],
      user_data: [{ name: 'u', data: 1 }],
      resource_requirements: [{ name: 'r', num_cpus: 1, memory: '1g' }],
      slurm_schedulers: [{ name: 's', account: 'a' }],
      pbs_schedulers: [{ name: 'p' }],
      actions: [
        { trigger_type: 'on_workflow_start', action_type: 'schedule_nodes', scheduler: 's', scheduler_type: 'slurm' },
      ],
    }),
    { user: 'u', submissionDirectory: '/', monitorsJobs: false, mtimeOf: async () => undefined },
  );
  const query = { workflow_id: id };
  const [made] = (await client.listJobs({ query })).items;
  const [value] = (await client.listUserData({ query })).items;
  const requirements = (await client.listResourceRequirements({ query })).items.find(({ name }) => name === 'r');
  const { items: schedulers } = await client.listSlurmSchedulers({ query });
  const scheduler = schedulers.find((each) => each.name === 's');
  const ofPbs = schedulers.find((each) => each.name === 'p');
  const [action] = await client.listWorkflowActions({ params: { id } });
  const deed = plannedActionOf(action as NonNullable<typeof action>, true);
  const request = deed?.kind === 'schedule_nodes' ? deed.request : undefined;
  const created = await client.getWorkflow({ params: { id } });
  const [rule] = readRetryRules('[{}]');
  const causes = readCauseRules({ backoff: { initial: 'PT1S' } }, () => {});
  const monitored = monitorPlanOf({
    resource_monitor_config: { jobs: { enabled: true }, compute_node: { enabled: true } },
  });
  const unmonitored = monitorPlanOf({ resource_monitor_config: {} });
  const { leadSeconds, headroomSeconds } = terminationOf({});
  const { fate } = planned({ jobs: [{ name: 'a', command: 'x', outputs: ['o'] }] }).files.at(0);
  const fatesWithout = { temporary: fate.temporary === true, protected: fate.protected === true };
  const refused = (config: object) =>
    read({ execution_config: config }).problems.some(({ code }) => code === 'EXECUTION_REFUSED');
  return {
    ...under('jobs', { ...made, ...expansion('jobs') }),
    ...under('jobs.stdio', stdioOf({}, 'a')),
    ...under('jobs.container', {
      runtime: /(\w+) exec/.exec(contained)?.[1],
      keep_entrypoint: contained.includes(' run --no-eval '),
    }),
    ...under('jobs.outputs', fatesWithout),
    ...under('files', { ...expansion('files'), ...fatesWithout }),
    ...under('user_data', { ...value, ...expansion('user_data') }),
    ...under('resource_requirements', requirements ?? {}),
    ...under('slurm_schedulers', scheduler ?? {}),
    ...under('pbs_schedulers', ofPbs ?? {}),
    ...under('actions', {
      persistent: action?.persistent,
      num_allocations: request?.allocations,
      start_one_worker_per_node: request?.startOneWorkerPerNode,
    }),
    ...under('workflow', created),
    ...under('dynamic_jobs', { max_iterations: STANDARD_MAX_ITERATIONS }),
    ...under('failure_handlers.rules', { match_all_exit_codes: rule?.matchesAll, max_retries: rule?.maxRetries }),
    ...under('failure_handlers', { on_node_fail: causes.retriesNodeFailure ? 'retry' : 'fail' }),
    ...under('failure_handlers.backoff', {
      factor: causes.backoff?.factor,
      max: formatDuration(causes.backoff?.maxSeconds ?? 0),
    }),
    ...under('execution_config', {
      ...standardExecution,
      sigterm_lead_seconds: leadSeconds,
      sigkill_headroom_seconds: headroomSeconds,
      // A setting of the other mode is refused, and repeating the default is not.
      mode: refused({ srun_termination_signal: 'TERM@1' }) ? 'direct' : 'slurm',
      enable_cpu_bind: !refused({ enable_cpu_bind: true }),
      step_batching: !refused({ step_batching: true }),
      limit_cpus: limitsCpus({}),
      hide_gpus: hidesGpus({}),
      stale_outputs: failsForStale({}) ? 'fail' : 'warn',
      rerun: comparesContents({}) ? 'content' : 'time',
      pipefail: scriptOf({ command: 'a | b', invocation_script: undefined }, {}) !== 'a | b',
      limit_resources: monitored.limitsMemory,
    }),
    ...under('resource_monitor', {
      sample_interval_seconds: unmonitored.sampleSeconds,
      flush_interval_seconds: unmonitored.flushSeconds,
      generate_plots: unmonitored.generatePlots,
      sonar: writesSonar({}),
    }),
    ...under('resource_monitor.jobs', {
      enabled: unmonitored.jobs !== undefined,
      granularity: monitored.jobs?.isTimeSeries === true ? 'time_series' : 'summary',
    }),
    ...under('resource_monitor.compute_node', {
      enabled: unmonitored.node !== undefined,
      granularity: monitored.node?.isTimeSeries === true ? 'time_series' : 'summary',
      cpu: monitored.node?.cpu,
      memory: monitored.node?.memory,
    }),
  };
}

const under = (title: string, values: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${title}.${name}`, value]));

/** How a list of records expands that says nothing of how: two parameters of two values, beside a table of one row. */
function expansion(list: 'jobs' | 'files' | 'user_data'): object {
  const record = { name: '{a}{b}', command: 'x', path: 'p', parameters: { a: '1:2', b: '1:2' } };
  const { command: _command, path: _path, ...bare } = record;
  const both = list === 'jobs' ? { ...bare, command: 'x' } : list === 'files' ? { ...bare, path: 'p' } : bare;
  const { parameters: _given, ...without } = both;
  const count = (spec: object, files: Record<string, string> = {}) => {
    const { jobs, files: made, userData } = planned(spec, files);
    return { jobs, files: made, user_data: userData }[list].length;
  };
  return {
    parameter_mode: { 2: 'zip', 4: 'product' }[count({ [list]: [both] })],
    use_parameters_file: count({ [list]: [without], parameters_file: 't.csv' }, { 't.csv': 'a,b\n1,2\n3,4\n' }) === 2,
  };
}

describe('every default that the reference states is what Torc does', async () => {
  const done = await applied();
  const stated = fields.filter(({ field }: { field: Field<unknown, boolean> }) => field.standard !== undefined);

  it('every default that the reference states is what Torc does for more than thirty fields', () =>
    expect(stated.length).toBeGreaterThan(30));

  it.each(stated.map(({ at, field }) => [at, field.standard]))('%s: %s', (at, standard) => {
    expect(done[at as string]).toBe(standard);
  });
});
