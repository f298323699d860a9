import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, expect, it, onTestFinished, test } from 'vitest';
import { ended, registerNode, statuses, testService, type TestService } from '../../../../tests/support/service.ts';
import type { FileRemovals } from '../../../core/contract/artifact.ts';
import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import { openDatabase } from '../../store/database.ts';
import { createDeletion } from '../deletion/deletion.ts';
import { deletionQueries } from '../deletion/queries.ts';
import { createEdges } from '../edges/edges.ts';
import { createStore } from '../store.ts';
import { madeByOthersSql, unneededFileQueries } from './removal-queries.ts';
import { createUnneededFiles } from './unneeded.ts';

let service: TestService;
beforeEach(() => void (service = testService()));

interface JobOfFiles {
  readonly name: string;
  readonly reads?: readonly string[];
  readonly makes?: readonly string[];
}

/** A workflow whose files are temporary, except those with a capital letter; initialized, with a runner. */
async function workflowOfFiles(jobs: readonly JobOfFiles[]) {
  const { client } = service;
  const { id } = (await client.createWorkflow({ body: { name: 'w', user: 'u' } })) as { id: number };
  const names = [...new Set(jobs.flatMap(({ reads = [], makes = [] }) => [...reads, ...makes]))];
  const fileIds = new Map<string, number>();
  for (const name of names) {
    const temporary = name === name.toLowerCase();
    fileIds.set(name, (await client.createFile({ body: { workflow_id: id, name, path: name, temporary } })).id);
  }
  const idsOf = (all: readonly string[] = []) => all.map((name) => fileIds.get(name) as number);
  for (const { name, reads, makes } of jobs)
    await client.createJob({
      body: { workflow_id: id, name, command: 'true', input_file_ids: idsOf(reads), output_file_ids: idsOf(makes) },
    });
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  const nameOf = new Map([...fileIds].map(([name, fileId]) => [fileId, name]));
  return { id, fileIds, nameOf, nodeId: await registerNode(service, id) };
}

const completed = (job: ClaimedJob, returnCode = 0) => ({
  ...ended(job, returnCode),
  files: returnCode === 0 ? job.output_files?.map(({ id }) => ({ id, st_mtime: 1, made_mtime: 1, made_size: 5 })) : [],
});

const take = (
  { id, nodeId }: { readonly id: number; readonly nodeId: number },
  removed: FileRemovals['removed'] = [],
  node = nodeId,
) => service.client.removeFiles({ params: { id }, body: { run_id: 1, compute_node_id: node, removed, limit: 100 } });
const turn = ({ id, nodeId }: { readonly id: number; readonly nodeId: number }, body: object) =>
  service.client.exchange({
    params: { id },
    body: { run_id: 1, compute_node_id: nodeId, deletes_files: true, ...body },
  });
const wanted = { want: { limit: 100, prefetch: 0 } };

it('a temporary file is given to one runner, when the end of its last reader is stored', async () => {
  const flow = await workflowOfFiles([
    { name: 'make', makes: ['t', 'Kept'] },
    { name: 'one', reads: ['t', 'Kept'] },
    { name: 'two', reads: ['t'] },
  ]);
  const { jobs: first } = await turn(flow, wanted);
  const { jobs } = await turn(flow, { completed: first.map((job) => completed(job)), ...wanted });
  const [one, two] = jobs as [ClaimedJob, ClaimedJob];
  expect(await turn(flow, { completed: [completed(one)] })).not.toHaveProperty('has_files_to_remove');
  expect((await take(flow)).files).toEqual([]);
  expect(await turn(flow, { completed: [completed(two)] })).toMatchObject({ has_files_to_remove: true });
  const other = await registerNode(service, flow.id);
  const fileId = flow.fileIds.get('t') as number;
  expect((await take(flow)).files).toEqual([{ id: fileId, path: 't', st_mtime: 1, st_size: 5 }]);
  expect((await take(flow, [], other)).files).toEqual([]);
  expect((await take(flow, [{ id: fileId, removal: 'deleted', removed_bytes: 5 }])).files).toEqual([]);
  expect(await service.client.getFile({ params: { id: fileId } })).toMatchObject({
    removal: 'deleted',
    removed_bytes: 5,
  });
});

it('a runner that says nothing of files hears of none, and a file of a runner that ended goes to the next one', async () => {
  const flow = await workflowOfFiles([{ name: 'make', makes: ['unread'] }]);
  const { jobs } = await turn(flow, wanted);
  expect(await turn(flow, { completed: jobs.map((job) => completed(job)), deletes_files: false })).not.toHaveProperty(
    'has_files_to_remove',
  );
  expect((await take(flow)).files).toHaveLength(1);
  const next = await registerNode(service, flow.id);
  expect((await take(flow, [], next)).files).toEqual([]);
  await service.client.updateComputeNode({ params: { id: flow.nodeId }, body: { is_active: false } });
  expect((await take(flow, [], next)).files).toHaveLength(1);
  // The first one wakes up: what it says does not count any more.
  const fileId = flow.fileIds.get('unread') as number;
  await take(flow, [{ id: fileId, removal: 'absent' }]);
  expect((await service.client.getFile({ params: { id: fileId } })).removal).toBe('deleting');
});

it('a file whose reader failed stays, and so does one that no attempt is known to have made', async () => {
  const flow = await workflowOfFiles([
    { name: 'make', makes: ['t', 'given'] },
    { name: 'read', reads: ['t'] },
  ]);
  const { jobs } = await turn(flow, wanted);
  const [make] = jobs as [ClaimedJob];
  const made = completed(make).files?.filter(({ id }) => id === flow.fileIds.get('t')) ?? [];
  const ends = { ...ended(make), files: [...made, { id: flow.fileIds.get('given') as number, st_mtime: 1 }] };
  const { jobs: next } = await turn(flow, { completed: [ends], ...wanted });
  await turn(flow, { completed: next.map((job) => completed(job, 1)) });
  expect((await take(flow)).files).toEqual([]);
});

it('a temporary file is due when the last job that was to read it is deleted, and not while another one is', async () => {
  const flow = await workflowOfFiles([
    { name: 'make', makes: ['t'] },
    { name: 'one', reads: ['t'] },
    { name: 'two', reads: ['t'] },
  ]);
  const { jobs } = await turn(flow, wanted);
  const { jobs: readers } = await turn(flow, { completed: jobs.map((job) => completed(job)), ...wanted });
  const [one, two] = readers as [ClaimedJob, ClaimedJob];
  await turn(flow, { completed: [completed(one, 1), completed(two, 1)] });
  await service.client.deleteJob({ params: { id: one.id } });
  expect((await take(flow)).files).toEqual([]);
  await service.client.deleteJob({ params: { id: two.id } });
  expect((await take(flow)).files.map(({ path }) => path)).toEqual(['t']);
});

const MANY = 300;
const many = (count: number) => Array.from({ length: count }, (_, at) => `t${at}`);

/** A workflow with many temporary files, which its first job has made; both of their readers have failed. */
async function failedReaders(first: readonly string[], second: readonly string[]) {
  const flow = await workflowOfFiles([
    { name: 'make', makes: many(MANY) },
    { name: 'one', reads: first },
    { name: 'two', reads: second },
  ]);
  const { jobs } = await turn(flow, wanted);
  const { jobs: readers } = await turn(flow, { completed: jobs.map((job) => completed(job)), ...wanted });
  await turn(flow, { completed: readers.map((job) => completed(job, 1)) });
  return { ...flow, one: readers.find(({ name }) => name === 'one')?.id as number };
}

it('the deletion of a job looks at the temporary files of this job, and at no other of the workflow', async () => {
  const flow = await failedReaders(['t0', 't1'], many(MANY).slice(1));
  const { store } = service;
  const queries = unneededFileQueries(store.db);
  const seen = new Set<number>();
  const openUser = {
    get(of: { fileId: number; from: number; except: number }) {
      seen.add(of.fileId);
      return queries.openUser.get(of);
    },
  } as typeof queries.openUser;
  const deletion = createDeletion(
    store,
    deletionQueries(store.db),
    createEdges(store.db, store.windows),
    createUnneededFiles({ ...queries, openUser }),
  );
  await store.works.carryOut(deletion.one(flow.id, 'job', flow.one, () => 'deleted'));
  expect([...seen].map((id) => flow.nameOf.get(id))).toEqual(['t0', 't1']);
  expect((await take(flow)).files.map(({ path }) => path)).toEqual(['t0']);
  expect(store.db.plan(madeByOthersSql).filter((step) => step.includes('SCAN') || step.includes('TEMP'))).toEqual([
    'SCAN touched',
  ]);
});

it('a server that is killed at any moment of the deletion of a job records it once, and no due file is missed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'torc-deletion-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tiny = { turnMs: 0, sliceMs: 0, page: 2, atLeast: 1, firstWindow: 2, largestWindow: 2 };
  const serverOn = (path: string) =>
    testService({ store: createStore(openDatabase(path), { now: () => 7, onBroken: () => {}, limits: tiny }) });
  const given = join(folder, 'given.db');
  service = serverOn(given);
  const { id, one } = await failedReaders(many(MANY), many(MANY).slice(MANY / 2));
  await service.store.turns.idle();
  service.store.db.close();

  const answers = new Set<string>();
  for (let turns = 0; answers.size < 2 || turns < 12; turns += 1) {
    const path = join(folder, `${turns}.db`);
    copyFileSync(given, path);
    const before = serverOn(path);
    const asked = before.client.deleteJob({ params: { id: one } }).then(
      () => 'answered',
      () => 'stopped',
    );
    for (let count = 0; count < turns; count += 1) await new Promise((resolve) => void setImmediate(resolve));
    before.store.works.stop();
    answers.add(await asked);
    before.store.db.close();

    const after = serverOn(path);
    // It waits until the server has finished what was left.
    await after.client.updateWorkflow({ params: { id }, body: {} });
    const rows = (sql: string) => after.store.db.prepare(sql).all({}).length;
    expect(rows("select 1 from change_log where event_type = 'jobs_deleted'"), `after ${turns}`).toBe(1);
    expect(rows("select 1 from file where removal = 'due'"), `after ${turns}`).toBe(MANY / 2);
    after.store.db.close();
  }
});

it('a job that runs again makes the maker of its deleted input run, whichever client asks for it', async () => {
  const flow = await workflowOfFiles([
    { name: 'first', makes: ['a'] },
    { name: 'second', reads: ['a'], makes: ['b'] },
    { name: 'third', reads: ['b'] },
    { name: 'other', reads: ['a'] },
    { name: 'apart', makes: ['Apart'] },
  ]);
  for (let left = 5; left > 0;) {
    const { jobs } = await turn(flow, wanted);
    left -= jobs.length;
    await turn(flow, { completed: jobs.map((job) => completed(job)) });
  }
  const { files } = await take(flow);
  await take(
    flow,
    files.map(({ id }) => ({ id, removal: 'deleted', removed_bytes: 5 })),
  );
  const { items } = await service.client.listJobs({ query: { workflow_id: flow.id, name: 'third' } });
  await service.client.updatePlan({
    params: { id: flow.id },
    query: {},
    body: { jobs: { change: [{ id: items[0]?.id as number, runs_again: true }] } },
  });
  expect(await statuses(service, flow.id)).toEqual({
    first: 'ready',
    second: 'blocked',
    third: 'blocked',
    other: 'blocked',
    apart: 'completed',
  });
});

it('a job that a runner claimed ahead waits again under another number, and counts as a first attempt', async () => {
  const flow = await workflowOfFiles([
    { name: 'make', makes: ['t'] },
    { name: 'read', reads: ['t'], makes: ['A'] },
    { name: 'other', makes: ['B'] },
    { name: 'both', reads: ['A', 'B'] },
  ]);
  const { jobs } = await turn(flow, wanted);
  const [make, other] = jobs as [ClaimedJob, ClaimedJob];
  await turn(flow, { completed: [completed(make)] });
  const { jobs: readers } = await turn(flow, wanted);
  await turn(flow, { completed: readers.map((job) => completed(job)) });
  const { files } = await take(flow);
  await take(
    flow,
    files.map(({ id }) => ({ id, removal: 'deleted', removed_bytes: 5 })),
  );
  const { ahead } = await turn(flow, { want: { ...wanted.want, ahead: { limit: 9, after: [other.id] } } });
  expect(ahead?.jobs.map(({ name }) => name)).toEqual(['both']);

  // The file is gone, so its maker runs for the new reader, and everything behind it again.
  const late = { name: 'late', command: 'true', input_file_ids: [flow.fileIds.get('t') as number] };
  await service.client.updatePlan({ params: { id: flow.id }, query: {}, body: { jobs: { add: [late] } } });
  expect(await statuses(service, flow.id)).toMatchObject({ make: 'ready', read: 'blocked', both: 'blocked' });
  const { items } = await service.client.listJobs({ query: { workflow_id: flow.id, name: 'both' } });
  expect(items).toMatchObject([{ attempt_id: 2, refunded_attempts: 1 }]);
});

test('no file is given before all that read or make it have completed, none is missing at a start, none is left', async () => {
  const graph = fc.array(fc.record({ reads: fc.array(fc.nat(5), { maxLength: 3 }), isKept: fc.boolean() }), {
    minLength: 1,
    maxLength: 6,
  });
  const steps = fc.array(
    fc.record({ kind: fc.constantFrom('run', 'run', 'fail', 'take', 'lose', 'again'), at: fc.nat(9) }),
    {
      maxLength: 25,
    },
  );
  await fc.assert(
    fc.asyncProperty(graph, steps, async (sketches, plan) => {
      service = testService();
      const { client } = service;
      const outputOf = (index: number) => `${sketches[index]?.isKept === true ? 'K' : 't'}${index}`;
      const flow = await workflowOfFiles(
        sketches.map(({ reads }, index) => ({
          name: `j${index}`,
          reads: [...new Set(reads.filter((other) => other < index).map(outputOf))],
          makes: [outputOf(index)],
        })),
      );
      const { id } = flow;
      const of = { params: { id } };
      let nodeId = flow.nodeId;
      let held: ClaimedJob[] = [];
      /** What is on the disk, by the id of the file. */
      const disk = new Set<number>();
      let taken: { readonly id: number }[] = [];
      const relations = (await client.listJobFileRelationships({ ...of, query: {} })).items;

      const claim = async () => {
        const { jobs } = await turn({ id, nodeId }, wanted);
        for (const job of jobs)
          for (const file of job.input_files ?? []) expect(disk, `an input of ${job.name}`).toContain(file.id);
        held.push(...jobs);
      };
      const give = async () => {
        const removed = taken.map((file) => ({ id: file.id, removal: 'deleted' as const, removed_bytes: 5 }));
        const { files } = await take({ id, nodeId }, removed);
        const byName = await statuses(service, id);
        for (const file of files)
          for (const { file_id: fileId, consumer_job_name: reader, producer_job_name: maker } of relations)
            if (fileId === file.id)
              for (const name of [reader, maker])
                if (name) expect(byName[name], `${name} of ${file.path}`).toBe('completed');
        taken = files;
        for (const file of files) disk.delete(file.id);
      };
      const end = async (job: ClaimedJob, code: number) => {
        held = held.filter((each) => each !== job);
        if (code === 0) for (const file of job.output_files ?? []) disk.add(file.id);
        await turn({ id, nodeId }, { completed: [completed(job, code)] });
      };
      const again = async (name: string) => {
        const { items } = await client.listJobs({ query: { workflow_id: id, name } });
        const change = items.map((job) => ({ id: job.id, runs_again: true }));
        await client.updatePlan({ ...of, query: {}, body: { jobs: { change } } });
      };
      const act = async (kind: (typeof plan)[number]['kind'], at: number) => {
        if (kind === 'again') return again(`j${at % sketches.length}`);
        if (kind === 'take') return give();
        if (kind === 'lose') {
          await client.reportLostRunner({
            params: { id, compute_node_id: nodeId },
            body: { run_id: 1, reason: 'gone' },
          });
          // What it had deleted is not reported.
          [held, taken] = [[], []];
          nodeId = await registerNode(service, id);
          return undefined;
        }
        await claim();
        const job = held[at % Math.max(1, held.length)];
        return job === undefined ? undefined : end(job, kind === 'fail' ? 1 : 0);
      };
      for (const { kind, at } of plan) await act(kind, at);

      for (let round = 0; round < 50; round += 1) {
        await claim();
        for (const job of held) await end(job, 0);
        const byName = Object.entries(await statuses(service, id));
        const left = byName.filter(([, status]) => status === 'failed' || status === 'canceled');
        for (const [name] of left) await again(name);
        if (byName.every(([, status]) => status === 'completed')) break;
      }
      for (let round = 0; round < 3; round += 1) await give();
      expect(Object.values(await statuses(service, id)).every((status) => status === 'completed')).toBe(true);
      const { items } = await client.listFiles({ query: { workflow_id: id } });
      expect(items.filter((file) => file.temporary === true && disk.has(file.id))).toEqual([]);
      expect(items.filter((file) => file.temporary !== true && !disk.has(file.id))).toEqual([]);
      expect(service.errors).toEqual([]);
    }),
    { numRuns: 40 },
  );
}, 60_000);
