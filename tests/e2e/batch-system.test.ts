import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { batchSystems, openBatch } from '../../src/cluster/open-batch.ts';
import { cleanOrphans } from '../../src/operations/orphans/clean.ts';
import { cancelAllocations, openAllocations } from '../../src/operations/submit/cancel-allocations.ts';
import { queuedAllocations } from '../../src/operations/submit/queued-allocations.ts';
import { replaceLost } from '../../src/operations/submit/replace-lost.ts';
import { submitAllocations, submitUnfinished } from '../../src/operations/submit/submit-allocations.ts';
import { type LocalBatch, openLocalBatch } from '../fakes/local-batch.ts';
import { type RunningServer, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

/**
 * A batch system that is not Slurm carries a workflow: all parts of the program that submit, run and recover get it at the door
 * (`cluster/open-batch.ts`), and know it by its interface alone.
 */
const PROGRAM = resolve(import.meta.dirname, '../fakes/local-runner.ts');

const flow = (folder: string) => `
name: seam
slurm_schedulers: [{name: s, account: a, nodes: 1, walltime: "01:00:00"}]
jobs:
  - {name: quick, command: 'echo quick >> ${folder}/ran'}
  - {name: long, command: 'echo long >> ${folder}/ran; until [ -e ${folder}/go ]; do sleep 0.05; done', depends_on: [quick]}
  - {name: last, command: 'echo last >> ${folder}/ran', depends_on: [long]}
`;

let folder: string;
let server: RunningServer;
let batch: LocalBatch;

beforeEach(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  writeFileSync(join(folder, 'flow.yaml'), flow(folder));
  for (const words of [
    ['create', 'flow.yaml'],
    ['workflows', 'init', '1'],
  ]) {
    const { code, stderr } = await torc(['--url', server.url, ...words], { cwd: folder });
    expect([code, stderr]).toEqual([0, expect.anything()]);
  }
  const jobs = join(folder, 'batch');
  const program = join(folder, 'torc-slurm-job-runner');
  writeFileSync(
    program,
    `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' '${jobs}' "$@" 2>> '${folder}/runner.err'\n`,
  );
  chmodSync(program, 0o755);
  batch = openLocal(1);
  const known = { isHere: (variables: Variables) => variables[HERE] === folder, open: () => batch };
  batchSystems.unshift(known);
  onTestFinished(() => void batchSystems.splice(batchSystems.indexOf(known), 1));
});

type Variables = Readonly<Record<string, string | undefined>>;

/** By this variable a process knows that it is here. */
const HERE = 'LOCAL_BATCH_FOLDER';
const here = () => ({ [HERE]: folder });

function openLocal(slots: number): LocalBatch {
  const environment = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  const opened = openLocalBatch({ folder: join(folder, 'batch'), slots, environment });
  onTestFinished(async () => {
    for (const jobId of [1, 2, 3]) if (existsSync(join(folder, 'batch', String(jobId)))) opened.fail(jobId);
  });
  return opened;
}

const tools = () => ({
  client: server.client,
  slurm: openBatch(here()),
  settings: {
    url: server.url,
    outputDir: join(folder, 'out'),
    pollIntervalSeconds: 1,
    claimBackoffMaxSeconds: undefined,
    tlsCaCert: undefined,
    tlsInsecure: false,
    keepsScripts: false,
  },
  onSubmitted: () => {},
  onWarning: () => {},
});
const submit = (allocations: number) =>
  submitAllocations(tools(), {
    workflowId: 1,
    schedulerId: 1,
    allocations,
    startOneWorkerPerNode: false,
    maxParallelJobs: undefined,
  });
const ran = () => (existsSync(join(folder, 'ran')) ? readFileSync(join(folder, 'ran'), 'utf8').trim().split('\n') : []);
const longRuns = (times: number) =>
  until(
    () => ran().filter((name) => name === 'long').length,
    (count) => count === times,
    'the long job to run',
  );
const wordOf = async (jobId: number) => (await batch.statesOf([jobId])).get(jobId)?.word;
const ends = (jobId: number, word: string) =>
  until(
    () => wordOf(jobId),
    (now) => now === word,
    `job ${jobId} to be ${word}`,
  );
const go = () => writeFileSync(join(folder, 'go'), '');
const statuses = async () =>
  (await server.client.listScheduledComputeNodes({ query: { workflow_id: 1 } })).items.map(({ status }) => status);
const jobStatuses = async () =>
  Object.fromEntries(
    (await server.client.listJobs({ query: { workflow_id: 1 } })).items.map(({ name, status }) => [name, status]),
  );

describe('a workflow in a batch system that is not Slurm', () => {
  it('a submitted allocation runs the jobs of a workflow, and its record follows it', async () => {
    expect(await submit(1)).toEqual([1]);
    await longRuns(1);
    expect(await statuses()).toEqual(['active']);
    go();
    await ends(1, 'COMPLETED');
    expect(ran()).toEqual(['quick', 'long', 'last']);
    expect([await jobStatuses(), await statuses()]).toEqual([
      { quick: 'completed', long: 'completed', last: 'completed' },
      ['complete'],
    ]);
  });

  it('the next allocation recovers the job of one whose node failed, and runs what had ended no second time', async () => {
    expect(await submit(2)).toEqual([1, 2]);
    await longRuns(1);
    expect([await wordOf(2), (await batch.waitingReasons([1, 2])).get(2)]).toEqual(['WAITING', 'all slots are taken']);
    batch.fail(1);
    await longRuns(2);
    go();
    await ends(2, 'COMPLETED');
    expect(ran()).toEqual(['quick', 'long', 'long', 'last']);
    expect(await jobStatuses()).toEqual({ quick: 'completed', long: 'completed', last: 'completed' });
    expect(await statuses()).toEqual(['complete', 'complete']);
  });

  it('a lost allocation is found and replaced, and one that runs is left as it is', async () => {
    await submit(1);
    await longRuns(1);
    const clean = () =>
      cleanOrphans(server.client, 1, {
        slurm: openBatch(here()),
        outputDir: join(folder, 'out'),
        isDryRun: false,
        nowMs: Date.now,
      });
    expect(await clean()).toMatchObject({ lost: [], failed: [], activeAllocationsEnded: 0 });
    batch.fail(1);
    const { lost, failed } = await clean();
    expect(lost).toMatchObject([{ slurmJobId: 1 }]);
    expect(failed).toMatchObject([{ job_name: 'long', reason: 'allocation 1 ended NODE_FAIL' }]);
    expect(
      await replaceLost(
        server.client,
        1,
        lost.map(({ recordId }) => recordId),
      ),
    ).toBe(1);
    expect(await submitUnfinished(tools(), 1)).toEqual([2]);
  });

  it('canceled allocations end, those that wait and the one that runs, with its jobs', async () => {
    await submit(2);
    await longRuns(1);
    const records = await openAllocations(server.client, 1);
    expect(await queuedAllocations(records, here())).toEqual([
      { slurmJobId: 2, system: 'the batch system of this machine', reason: 'all slots are taken', hasEnded: false },
    ]);
    const canceled = await cancelAllocations(server.client, openBatch(here()), 1, records);
    expect(canceled).toEqual({ jobIds: [1, 2], errors: [] });
    await until(
      () => batch.processesOf(1),
      (pids) => pids.length === 0,
      'the processes of the allocation to end',
    );
    expect([await wordOf(1), await wordOf(2), await statuses()]).toEqual([
      'CANCELLED',
      'CANCELLED',
      ['canceled', 'canceled'],
    ]);
    expect(ran()).toEqual(['quick', 'long']);
  });
});
