import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { ended, registerNode, statuses, testService } from '../../../tests/support/service.ts';
import type { Client } from '../../client/client.ts';
import { rerunsOf } from '../../core/lifecycle/rerun/rerun.ts';
import { reinitialize } from '../run/initialize.ts';
import { lookAtInputs } from '../../runner/attempt/attempt.ts';
import { gatherPlanFacts } from './plan-facts.ts';

/** A job that writes the file of its number, and reads given files and those of earlier jobs. */
interface Sketch {
  readonly reads: readonly number[];
  readonly given: readonly number[];
  readonly fails: boolean;
  readonly cancels: boolean;
}

/** What each job read of each file in its last attempt. */
type Reads = Map<number, ReadonlyMap<string, string>>;

const GIVEN = 3;
const AT_REST = 1_700_000_000;

/** A workflow whose jobs have run as far as they could; `touched` gets a later time, `removed` is deleted. */
async function ranWorkflow(jobs: readonly Sketch[], turns: number) {
  const folder = temporaryFolder();
  const service = testService();
  const { client } = service;
  const { id } = (await client.createWorkflow({ body: { name: 'files', user: 'tester' } })) as { id: number };
  const files = new Map<string, number>();
  const write = async (name: string, seconds: number) => {
    const path = join(folder, name);
    writeFileSync(path, '');
    utimesSync(path, seconds, seconds);
    const body = { workflow_id: id, name, path, st_mtime: seconds };
    await client.updateFile({ params: { id: files.get(name) as number }, body });
  };
  const names = [...Array(GIVEN).keys()].map((at) => `given${at}`).concat(jobs.map((_, at) => `out${at}`));
  for (const name of names) {
    const file = await client.createFile({ body: { workflow_id: id, name, path: join(folder, name) } });
    files.set(name, file.id);
  }
  for (const name of names.slice(0, GIVEN)) await write(name, AT_REST);
  for (const [at, { reads, given, cancels }] of jobs.entries()) {
    const inputs = [...given.map((each) => `given${each}`), ...reads.map((each) => `out${each}`)];
    await client.createJob({
      body: {
        workflow_id: id,
        name: `job${at}`,
        command: 'true',
        cancel_on_blocking_job_failure: cancels,
        input_file_ids: inputs.map((name) => files.get(name) as number),
        output_file_ids: [files.get(`out${at}`) as number],
      },
    });
  }
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  const nodeId = await registerNode(service, id);
  const read: Reads = new Map();
  /** Claims one job after the other, and returns their names. */
  const run = async (runId: number, atMost: number, isFailed: (at: number) => boolean) => {
    const about = { run_id: runId, compute_node_id: nodeId };
    const names: string[] = [];
    for (let turn = 0; turn < atMost; turn += 1) {
      const { jobs: claimed } = await client.exchange({
        params: { id },
        body: { ...about, want: { limit: 1, prefetch: 0 } },
      });
      const [job] = claimed;
      if (job === undefined) break;
      names.push(job.name);
      const at = Number(job.name.slice(3));
      const inputs = (await lookAtInputs(job)) ?? [];
      const there = (job.input_files ?? []).filter(({ path }) => existsSync(path));
      const texts = there.map(({ path }) => [basename(path), readFileSync(path, 'utf8')] as const);
      read.set(at, new Map(texts));
      if (!isFailed(at)) await write(`out${at}`, AT_REST);
      const completed = [{ ...ended(job, isFailed(at) ? 1 : 0), inputs }];
      await client.exchange({ params: { id }, body: { ...about, completed } });
    }
    return names;
  };
  await run(1, turns, (at) => jobs[at]?.fails === true);
  return { service, id, run, read, path: (name: string) => join(folder, name) };
}

const sketches = fc
  .array(
    fc.record({
      reads: fc.array(fc.nat({ max: 7 }), { maxLength: 2 }),
      given: fc.array(fc.nat({ max: GIVEN - 1 }), { maxLength: 1 }),
      fails: fc.boolean(),
      cancels: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((jobs) =>
    jobs.map((job, at) => ({
      ...job,
      fails: job.fails && at % 3 === 0,
      reads: [...new Set(job.reads.filter((each) => each < at))],
    })),
  );

test('a dry run names exactly the jobs that a reinitialization makes run, and those that it cancels', async () => {
  const change = fc.record({ file: fc.nat({ max: 10 }), removes: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      sketches,
      fc.nat({ max: 10 }),
      fc.array(change, { maxLength: 3 }),
      fc.array(fc.nat({ max: 7 }), { maxLength: 2 }),
      async (jobs, turns, changes, disabled) => {
        const { service, id, run, path } = await ranWorkflow(jobs, turns);
        const { client } = service;
        for (const { file, removes } of changes) {
          const name = file < GIVEN ? `given${file}` : `out${(file - GIVEN) % jobs.length}`;
          if (!removes) writeFileSync(path(name), 'changed');
          // A given file that is missing makes a reinitialization impossible.
          else if (file >= GIVEN) rmSync(path(name), { force: true });
        }
        for (const at of disabled) service.store.db.run(`update job set status = 9 where name = 'job${at}'`);
        const before = await statuses(service, id);
        const reported = rerunsOf(await gatherPlanFacts(client, id));
        expect(await statuses(service, id)).toEqual(before);

        await reinitialize(client, id, { force: true, report: () => {} });
        const again = await run(2, 100, () => false);
        const after = await statuses(service, id);
        expect(reported.run.map(({ job_name: name }) => name).sort()).toEqual(again.sort());
        expect(reported.canceled.map(({ name }) => after[name])).toEqual(reported.canceled.map(() => 'canceled'));
        expect(reported.run.every(({ reasons }) => reasons.length > 0)).toBe(true);
        const isDisabled = (all: Record<string, string>) => Object.keys(all).filter((name) => all[name] === 'disabled');
        expect(isDisabled(after)).toEqual(isDisabled(before));
      },
    ),
    { numRuns: 15 },
  );
});

/**
 * The jobs that run, by the definition: those that read a file which differs from what they read, those whose output is gone and is
 * read by no job or by one that runs, and those that depend on one that runs.
 */
function oracle(jobs: readonly Sketch[], read: Reads, path: (name: string) => string): string[] {
  const inputsOf = ({ given, reads }: Sketch) => [
    ...given.map((each) => `given${each}`),
    ...reads.map((each) => `out${each}`),
  ];
  const isGone = (name: string) => !existsSync(path(name));
  const isStale = (at: number) =>
    inputsOf(jobs[at] as Sketch).some(
      (name) => !isGone(name) && read.get(at)?.get(name) !== readFileSync(path(name), 'utf8'),
    );
  const runs = new Set<number>();
  for (let size = -1; size < runs.size;) {
    size = runs.size;
    for (const [at, job] of jobs.entries()) {
      const readers = jobs.flatMap((other, index) => (other.reads.includes(at) ? [index] : []));
      const isLost = isGone(`out${at}`) && (readers.length === 0 || readers.some((reader) => runs.has(reader)));
      if (isStale(at) || isLost || job.reads.some((before) => runs.has(before))) runs.add(at);
    }
  }
  return [...runs].map((at) => `job${at}`);
}

test('what is out of date is what the definition says, and nothing is after it has run', async () => {
  const edit = fc.record({ file: fc.nat({ max: 10 }), removes: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(sketches, fc.array(edit, { maxLength: 4 }), async (all, edits) => {
      const jobs = all.map((job) => ({ ...job, fails: false }));
      const { service, id, run, path, read } = await ranWorkflow(jobs, 100);
      const { client } = service;
      let contents = 0;
      for (const { file, removes } of edits) {
        const name = file < GIVEN ? `given${file}` : `out${(file - GIVEN) % jobs.length}`;
        if (!removes) writeFileSync(path(name), 'x'.repeat((contents += 1)));
        else if (file >= GIVEN) rmSync(path(name), { force: true });
      }
      const find = async () =>
        rerunsOf(await gatherPlanFacts(client, id), { onlyChanges: true, sparesMakers: true }).run.map(
          ({ job_name: name }) => name,
        );
      const expected = oracle(jobs, read, path);
      expect((await find()).sort()).toEqual(expected.sort());
      await client.updatePlan({
        params: { id },
        query: {},
        body: { jobs: { change: (await changedIn(client, id)).map((each) => ({ id: each, runs_again: true })) } },
      });
      expect((await run(1, 100, () => false)).sort()).toEqual(expected);
      expect(await find()).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

const changedIn = async (client: Client, id: number) =>
  rerunsOf(await gatherPlanFacts(client, id), { onlyChanges: true, sparesMakers: true }).run.flatMap(
    ({ job_id: job, reasons }) => (reasons.some(({ kind }) => kind !== 'job') ? [job] : []),
  );

it('a dry run says which input is newer, which output is missing and which job runs before', async () => {
  const sketch = { fails: false, cancels: true };
  const { service, id, path } = await ranWorkflow(
    [
      { ...sketch, reads: [], given: [0] },
      { ...sketch, reads: [0], given: [] },
      { ...sketch, reads: [], given: [1] },
      { ...sketch, reads: [], given: [2] },
    ],
    4,
  );
  const find = async () => rerunsOf(await gatherPlanFacts(service.client, id));
  expect(await find()).toEqual({ run: [], canceled: [], failed: [] });
  writeFileSync(path('given0'), 'changed');
  rmSync(path('out2'));
  const { run } = await find();
  expect(run.map(({ job_name: name, reasons }) => [name, reasons])).toEqual([
    ['job0', [{ kind: 'input', file: path('given0'), change: 'newer' }]],
    ['job1', [{ kind: 'job', job_id: expect.any(Number), job_name: 'job0' }]],
    ['job2', [{ kind: 'output', file: path('out2'), change: 'missing' }]],
  ]);
});
