import { beforeEach, describe, expect, it } from 'vitest';
import { planned, readText } from '../../../tests/spec/reading.ts';
import { testService, type TestService } from '../../../tests/support/service.ts';
import { createFromAfar } from '../../client/create-workflow.ts';
import { storedJobs } from '../../client/stored-plan.ts';
import { fieldOf, type FileName, fileNames, sortedNames } from '../../core/job/fields.ts';
import { checkedLevels } from '../transfer/check.ts';
import { readDocument } from '../transfer/document.ts';
import { exportWorkflow } from '../transfer/export.ts';
import { recreate } from '../transfer/recreate.ts';
import { updateFromPlan } from '../update/update-plan.ts';

/** Another value than the default, and the same as KDL writes it. */
const samples: Readonly<Record<string, readonly [value: unknown, kdl: string]>> = {
  text: ['one', '"one"'],
  integer: [7, '7'],
  flag: [true, '#true'],
  texts: [['gpu'], '"gpu"'],
  variables: [{ A: '1' }, '{ A "1" }'],
  amounts: [{ matlab: 2 }, '{ matlab 2 }'],
  duration: ['PT2H', '"PT2H"'],
};
const sampleOf = (name: FileName): readonly [value: unknown, kdl: string] => {
  const { kind, form = kind, standard } = fieldOf(name);
  return standard === true ? [false, '#false'] : (samples[form] as [unknown, string]);
};

const file = (fields: object) => ({ jobs: [{ name: 'j', command: 'true', ...fields }] });

let here: TestService;
beforeEach(() => {
  here = testService();
});
const created = (fields: object) => createFromAfar(here.client, planned(file(fields)), { user: 'ada' });
const jobOf = async ({ client }: TestService, id: number) => {
  const { items } = await client.listJobs({ query: { workflow_id: id } });
  return items[0] as Record<string, unknown>;
};

/** Whatever stands in the table of fields: a new field is tried without another line here. */
describe.each(fileNames)('the field %s of a workflow file', (name) => {
  const [value, kdl] = sampleOf(name);
  const { isKeptFromRunners, reruns, called } = fieldOf(name);

  it('means the same in KDL as in JSON', () => {
    const others = name === 'command' || name === 'name' ? {} : { command: 'true' };
    const jobName = name === 'name' ? (value as string) : 'j';
    const json = { name: 'w', jobs: [{ command: 'true', ...others, name: jobName, [name]: value }] };
    const rest = name === 'command' ? '' : 'command "true"; ';
    const node = name === 'name' ? '' : `${name} ${kdl}`;
    const read = readText(`name "w"\njob "${jobName}" { ${rest}${node} }`, 'kdl');
    expect(read.problems).toEqual([]);
    expect(read.plan?.jobs.at(0)).toEqual(readText(JSON.stringify(json), 'json').plan?.jobs.at(0));
  });

  it('a job that has it is stored, listed, exported, imported and given to a runner', async () => {
    const id = await created({ [name]: value });
    expect(await jobOf(here, id)).toMatchObject({ [name]: value });
    expect(await storedJobs(here.client, id)).toMatchObject([{ [name]: value }]);

    let text = '';
    const options = { includesResults: false, includesEvents: false, exportedAt: '2026-03-01T12:00:00Z' };
    await exportWorkflow(here.client, id, options, (part) => {
      text += part;
    });
    const there = testService();
    const document = readDocument(text, 'w.json');
    const copy = { name: undefined, user: 'eve', includesResults: false };
    const copied = await recreate(there.client, document, checkedLevels(document, 'w.json'), copy);
    expect(await jobOf(there, copied)).toMatchObject({ [name]: value });

    await here.client.resetStatus({ params: { id } });
    await here.client.initializeJobs({ params: { id } });
    const node = { hostname: 'h', pid: 1, num_cpus: 8, memory_gb: 8, num_gpus: 0, num_nodes: 1 };
    const runner = await here.client.createComputeNode({
      body: { ...node, workflow_id: id, start_time: '2026-03-01T12:00:00Z', compute_node_type: 'local' },
    });
    const want = { limit: 1, prefetch: 0, ...(name === 'labels' ? { labels: ['gpu'] } : {}) };
    const reply = await here.client.exchange({
      params: { id },
      body: { run_id: 1, compute_node_id: runner.id, want },
    });
    const [job] = reply.jobs as readonly unknown[];
    if (isKeptFromRunners) expect(job).not.toHaveProperty(name);
    else expect(job).toMatchObject({ [name]: value });
  });

  // The name says which job it is.
  it.skipIf(name === 'name')('is what an update changes, and all that it changes', async () => {
    const id = await created({ [name]: value });
    const same = await updateFromPlan(here.client, id, planned(file({ [name]: value })), { isDryRun: false });
    expect(same.difference).toMatchObject({ jobs: [], records: [], unchanged: 1 });

    const { difference } = await updateFromPlan(here.client, id, planned(file({})), { isDryRun: false });
    expect(difference.jobs).toMatchObject([
      { kind: 'changed', reruns: reruns === true, changes: [{ field: called ?? name }] },
    ]);
    const without = await created({});
    const own = ({ id: _id, workflow_id: _of, resource_requirements_id: _needs, ...job }: Record<string, unknown>) =>
      job;
    expect(own(await jobOf(here, id))).toEqual(own(await jobOf(here, without)));
  });
});

it.each(fileNames.filter((name) => (sortedNames as readonly string[]).includes(name)))(
  'lists of jobs are sorted by %s, upwards and downwards',
  async (name) => {
    const [value] = sampleOf(name);
    const jobs = [
      { name: 'a', command: 'true', [name]: value },
      { name: 'b', command: 'true' },
    ];
    const id = await createFromAfar(here.client, planned({ jobs }), { user: 'ada' });
    const idsBy = async (query: object) =>
      (await here.client.listJobs({ query: { workflow_id: id, ...query } })).items.map((job) => job.id);
    const upwards = await idsBy({ sort_by: name });
    expect(await idsBy({ sort_by: name, reverse_sort: true })).toEqual(upwards.toReversed());
    expect(new Set(upwards).size).toBe(2);
  },
);
