import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Kill } from '../../../tests/support/kill.ts';
import {
  expectEachOnce,
  type Lane,
  lane,
  LEASE_MS,
  recordsOf,
  scripts,
  submit,
  toolsOf,
} from '../../../tests/support/submission-lane.ts';
import { createClient } from '../../client/client.ts';
import { cancelAllocations, openAllocations } from './cancel-allocations.ts';
import { settleSubmissions } from './settle-submissions.ts';
import { submitAllocations } from './submit-allocations.ts';
import type { SubmitTools } from './submit-tools.ts';

const WAITS_FOR_FILE = 'until [ -e go ] || [ ! -e jobs ]; do sleep 0.02; done';
const go = ({ folder }: Lane) => writeFileSync(join(folder, 'go'), '');
const statuses = async (of: Lane) => (await recordsOf(of)).map(({ status }) => status);
const requestOf = ({ id: workflowId, schedulerId }: Lane, allocations: number) => ({
  workflowId,
  schedulerId,
  allocations,
  startOneWorkerPerNode: false,
  maxParallelJobs: undefined,
});

/** A command that dies while its first sbatch runs: sbatch goes on. */
async function killedDuringSbatch(of: Lane, mostTasks = 1): Promise<void> {
  const kill = new Kill(Infinity, false);
  const tools = toolsOf(of, { kill, mostTasks });
  const slurm: SubmitTools['slurm'] = {
    ...tools.slurm,
    submit(script, args) {
      void tools.slurm.submit(script, args);
      kill.now();
      return new Promise(() => {});
    },
  };
  await Promise.race([submit({ ...tools, slurm }, of), kill.died]);
  await expect.poll(() => of.played.calls('sbatch')).toHaveLength(1);
  of.service.clock.now += LEASE_MS;
}

describe('a submission that was interrupted', () => {
  it.each([
    ['plain jobs', 1],
    ['a job array', 1001],
  ])('a sbatch that outlives its command is waited for, and what it submits is taken: %s', async (_, mostTasks) => {
    const of = await lane(3);
    of.played.trouble('sbatch', { before: WAITS_FOR_FILE });
    await killedDuringSbatch(of, mostTasks);
    const tools = toolsOf(of, { mostTasks });
    const repeated = submit(tools, of);
    await expect.poll(() => tools.warnings).toEqual([expect.stringContaining('sbatch of a command that was killed')]);
    expect(of.played.jobs()).toEqual([]);
    go(of);
    await repeated;
    await expectEachOnce(of, 3, 'repeated');
    expect(of.played.calls('sbatch')).toHaveLength(mostTasks === 1 ? 3 : 1);
  });

  it('what was asked for is kept, also when the output folder is gone', async () => {
    const of = await lane(1);
    const kill = new Kill(Infinity, false);
    const tools = toolsOf(of, { kill });
    const request = { ...requestOf(of, 2), maxParallelJobs: 3, jobPrefix: 'n_', startOneWorkerPerNode: true };
    of.played.trouble('sbatch', { after: 'touch done' });
    const slurm = { ...tools.slurm, submit: () => (kill.now(), new Promise<never>(() => {})) };
    await Promise.race([submitAllocations({ ...tools, slurm }, request), kill.died]);
    of.service.clock.now += LEASE_MS;
    rmSync(join(of.folder, 'out'), { recursive: true });
    const jobIds = await settleSubmissions(toolsOf(of, { settings: { keepsScripts: true } }), of.id);
    expect([jobIds, of.played.jobs()]).toEqual([
      [101, 102],
      ['101', '102'],
    ]);
    for (const name of scripts(of)) {
      const text = readFileSync(join(of.folder, 'out', name), 'utf8');
      expect(text).toMatch(/^#SBATCH --job-name=n_wf1_/m);
      expect(text).toMatch(/^srun .*torc-slurm-job-runner .* --max-parallel-jobs 3 --startup-delay-seconds 2 /m);
    }
  });

  it('nothing is submitted while squeue cannot say which jobs exist, and everything once it can', async () => {
    const of = await lane(2);
    await killedDuringSbatch(of);
    of.played.trouble('squeue', {
      before: 'echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1',
    });
    await expect(settleSubmissions(toolsOf(of), of.id)).rejects.toThrow('Unable to contact slurm controller');
    expect([await statuses(of), of.played.calls('sbatch')]).toEqual([['submitting', 'planned'], [expect.anything()]]);
    of.played.trouble('squeue', {});
    await settleSubmissions(toolsOf(of), of.id);
    await expectEachOnce(of, 2, 'later');
  });

  it('of two commands at once one submits, and the other waits for it and submits nothing', async () => {
    const of = await lane(3);
    const other = createClient(async (request) => {
      const { method, path, body } = request;
      const headers = { 'Content-Type': 'application/json' };
      const response = await of.service.app.request(`/torc-service/v1${path}`, { method, headers, body: body ?? null });
      return { status: response.status, text: await response.text() };
    });
    of.played.trouble('sbatch', { before: WAITS_FOR_FILE });
    const [first, second] = [toolsOf(of), toolsOf(of, { client: other })];
    const begun = submit(first, of);
    await expect.poll(() => of.played.calls('sbatch')).toHaveLength(1);
    const both = [begun, submit(second, of)];
    await expect
      .poll(() => second.warnings)
      .toEqual([
        expect.stringMatching(
          /^allocations of workflow 1 are being submitted by torc submit \(process \d+ on .*\); waiting$/,
        ),
      ]);
    go(of);
    await Promise.all(both);
    await expectEachOnce(of, 3, 'two at once');
  });

  it('a submitter that was suspended while another took over submits nothing more', async () => {
    const of = await lane(2);
    of.played.trouble('sbatch', { before: WAITS_FOR_FILE });
    const suspended = submit(toolsOf(of), of);
    await expect.poll(() => of.played.calls('sbatch')).toHaveLength(1);
    of.service.clock.now += LEASE_MS;
    const body = { token: 'other', holder: 'torc submit (process 7 on n1)', seconds: 60 };
    await of.service.client.takeRecoveryLease({ params: { id: of.id }, body });
    go(of);
    await expect(suspended).rejects.toThrow('are being submitted by torc submit (process 7 on n1)');
    expect([of.played.jobs(), await statuses(of)]).toEqual([['101'], ['pending', 'submitting']]);
  });

  it('a job whose record got another job meanwhile is canceled', async () => {
    const of = await lane(1);
    of.played.trouble('sbatch', { before: WAITS_FOR_FILE });
    const tools = toolsOf(of);
    const slow = submit(tools, of);
    await expect.poll(() => of.played.calls('sbatch')).toHaveLength(1);
    const [record] = await recordsOf(of);
    const params = { id: record?.id as number };
    await of.service.client.updateScheduledComputeNode({ params, body: { scheduler_id: 77, status: 'active' } });
    go(of);
    await slow;
    expect([of.played.jobs(), (await recordsOf(of))[0]?.scheduler_id]).toEqual([[], 77]);
    expect(tools.warnings).toEqual([expect.stringContaining('job 101 is canceled, job 77 stays')]);
  });

  it.each([
    ['plain jobs', 1],
    ['a job array', 1001],
  ])('allocations that are canceled while they are submitted are canceled in Slurm too: %s', async (_, mostTasks) => {
    const of = await lane(3);
    of.played.trouble('sbatch', { before: WAITS_FOR_FILE });
    const submitting = submit(toolsOf(of, { mostTasks }), of);
    await expect.poll(() => of.played.calls('sbatch')).toHaveLength(1);
    const { client, slurm } = toolsOf(of);
    const open = await openAllocations(client, of.id);
    expect(await cancelAllocations(client, slurm, of.id, open)).toEqual({ jobIds: [], errors: [] });
    go(of);
    await submitting;
    expect([of.played.jobs(), await statuses(of)]).toEqual([[], ['canceled', 'canceled', 'canceled']]);
  });

  it('tasks that were canceled behind a killed command are canceled when its array is found', async () => {
    const of = await lane(3);
    of.played.trouble('sbatch', { before: WAITS_FOR_FILE });
    await killedDuringSbatch(of, 1001);
    const { client, slurm } = toolsOf(of);
    const [, second] = await openAllocations(client, of.id);
    await cancelAllocations(client, slurm, of.id, second === undefined ? [] : [second]);
    go(of);
    await submit(toolsOf(of, { mostTasks: 1001 }), of);
    expect([of.played.jobs(), await statuses(of)]).toEqual([
      ['101_0', '101_2'],
      ['pending', 'canceled', 'pending'],
    ]);
  });

  it('one task of an array is canceled alone', async () => {
    const of = await lane(3);
    await submit(toolsOf(of, { mostTasks: 1001 }), of);
    const { client, slurm } = toolsOf(of);
    const [first] = await openAllocations(client, of.id);
    expect(await cancelAllocations(client, slurm, of.id, first === undefined ? [] : [first])).toEqual({
      jobIds: ['101_0'],
      errors: [],
    });
    expect([of.played.jobs(), of.played.calls('scancel')]).toEqual([['101_1', '101_2'], ['101_0']]);
  });
});

describe('what Slurm refuses', () => {
  const refuses = (words: string) => `echo "sbatch: error: ${words}" >&2; exit 1`;

  it('where Slurm refuses job arrays, allocations are submitted one by one, with a warning', async () => {
    const of = await lane(3);
    const words = 'Batch job submission failed: Invalid job array specification';
    of.played.trouble('sbatch', { before: `case "$*" in --array*) ${refuses(words)};; esac` });
    const tools = toolsOf(of, { mostTasks: 1001 });
    await submit(tools, of);
    await expectEachOnce(of, 3, 'one by one');
    expect(tools.warnings).toEqual([
      expect.stringMatching(/^Slurm refused a job array, .*Invalid job array specification$/),
    ]);
  });

  it('a request that Slurm refuses leaves no record, and its words are the error', async () => {
    const of = await lane(3);
    of.played.trouble('sbatch', { before: refuses('invalid partition specified: nowhere') });
    const tools = toolsOf(of, { mostTasks: 1001 });
    await expect(submitAllocations(tools, requestOf(of, 3))).rejects.toThrow('invalid partition specified: nowhere');
    expect([await recordsOf(of), scripts(of), tools.warnings]).toEqual([[], [], []]);
  });

  it('a request that cannot be served leaves no record', async () => {
    const of = await lane(3);
    const params = { id: of.schedulerId };
    await of.service.client.updateSlurmScheduler({ params, body: { extra: 'two\nlines' } });
    await expect(submit(toolsOf(of), of)).rejects.toThrow('has more than one line');
    expect(await recordsOf(of)).toEqual([]);
  });

  it('where the user may have no more jobs the rest stays planned, and is submitted later', async () => {
    const of = await lane(5);
    const words =
      'AssocMaxSubmitJobLimit\nsbatch: error: Batch job submission failed: Job violates accounting/QOS policy';
    // A job array counts with all of its tasks.
    const full = `case "$*" in --array*) full=1;; *) [ $(ls jobs | wc -l) -ge 2 ] && full=1;; esac; [ -z "$full" ] || { ${refuses(words)}; }`;
    of.played.trouble('sbatch', { before: full });
    const tools = toolsOf(of, { mostTasks: 1001 });
    await submit(tools, of);
    expect([of.played.jobs(), tools.held]).toEqual([
      ['101', '102'],
      [expect.stringMatching(/^3: .*AssocMaxSubmitJobLimit$/)],
    ]);
    expect((await recordsOf(of)).map(({ status, held }) => [status, held?.includes('AssocMaxSubmitJobLimit')])).toEqual(
      [
        ['pending', undefined],
        ['pending', undefined],
        ['planned', true],
        ['planned', true],
        ['planned', true],
      ],
    );
    of.played.trouble('sbatch', {});
    await settleSubmissions(toolsOf(of), of.id);
    await expectEachOnce(of, 5, 'later');
  });
});

describe('limits of submissions', () => {
  it('no more allocations wait in the queue than max_queued allows, and the others follow as some start', async () => {
    const of = await lane(5);
    const settings = { maxQueued: 2 };
    const tools = toolsOf(of, { settings });
    await submit(tools, of);
    expect([of.played.jobs(), tools.held]).toEqual([['101', '102'], ['3: max_queued 2']]);
    expect(await settleSubmissions(toolsOf(of, { settings }), of.id)).toEqual([]);
    of.played.becomes('101', 'RUNNING|N/A|0:30');
    expect(await settleSubmissions(toolsOf(of, { settings }), of.id)).toEqual([103]);
    expect(await settleSubmissions(toolsOf(of, { settings: { maxQueued: 9 } }), of.id)).toEqual([104, 105]);
    await expectEachOnce(of, 5, 'in the end');
  });

  it('allocations together have no more nodes than a limit of the workflow allows, and the others follow as some end', async () => {
    const of = await lane(4);
    const { client } = of.service;
    await client.updateSlurmScheduler({ params: { id: of.schedulerId }, body: { nodes: 2 } });
    await client.updateWorkflow({ params: { id: of.id }, body: { limits: { nodes: 5 } } });
    const tools = toolsOf(of, { mostTasks: 1001 });
    await submit(tools, of);
    expect([of.played.jobs(), tools.held]).toEqual([
      ['101_0', '101_1'],
      ['2: at most 5 nodes of its workflow, and 4 are in use or asked for'],
    ]);
    // One that runs has its nodes still.
    of.played.becomes('101_0', 'RUNNING|N/A|0:30');
    expect(await settleSubmissions(toolsOf(of), of.id)).toEqual([]);
    const [first] = await recordsOf(of);
    await client.updateScheduledComputeNode({
      params: { id: first?.id as number },
      body: { ...first, status: 'complete' } as never,
    });
    expect(await settleSubmissions(toolsOf(of), of.id)).toEqual([102]);
    await client.updateWorkflow({ params: { id: of.id }, body: { limits: { nodes: 9 } } });
    expect(await settleSubmissions(toolsOf(of), of.id)).toEqual([103]);
  });

  it('an allocation of more nodes than a limit allows is not submitted, and a smaller one of another scheduler is', async () => {
    const of = await lane(1);
    const { client } = of.service;
    await client.updateSlurmScheduler({ params: { id: of.schedulerId }, body: { nodes: 4 } });
    await client.updateWorkflow({ params: { id: of.id }, body: { limits: { nodes: 2 } } });
    const small = { workflow_id: of.id, name: 'small', account: 'a', nodes: 1, walltime: '01:00:00' };
    const { id: smallId } = await client.createSlurmScheduler({ body: small });
    const config = { scheduler_type: 'slurm', scheduler_id: smallId, num_allocations: 1 };
    const trigger = { trigger_type: 'on_workflow_start', trigger_count: 1 };
    const body = { workflow_id: of.id, ...trigger, action_type: 'schedule_nodes', action_config: config };
    await client.createWorkflowAction({ params: { id: of.id }, body });
    const tools = toolsOf(of);
    await submit(tools, of);
    expect([of.played.jobs(), tools.held]).toEqual([
      ['101'],
      ['1: at most 2 nodes of its workflow, and an allocation has 4'],
    ]);
  });

  it('the most allocations in the queue belong to the plan: a call that names none keeps it, and the last call that names one decides', async () => {
    const of = await lane(6);
    await submit(toolsOf(of, { settings: { maxQueued: 2 } }), of);
    of.played.becomes('101', 'RUNNING|N/A|0:30');
    // A runner, or a watch: also where the configuration of its machine allows more.
    expect(await settleSubmissions(toolsOf(of), of.id)).toEqual([103]);
    expect(await settleSubmissions(toolsOf(of, { settings: { usualMaxQueued: 9 } }), of.id)).toEqual([]);
    expect(await settleSubmissions(toolsOf(of, { settings: { maxQueued: 3 } }), of.id)).toEqual([104]);
    of.played.becomes('102', 'RUNNING|N/A|0:30');
    expect(await settleSubmissions(toolsOf(of), of.id)).toEqual([105]);
    expect(await settleSubmissions(toolsOf(of), of.id)).toEqual([]);
  });

  it('a limit of the configuration holds where no plan has one, and later plans of a workflow have the limit of the last one', async () => {
    const of = await lane(3);
    await submit(toolsOf(of, { settings: { usualMaxQueued: 1 } }), of);
    expect(await settleSubmissions(toolsOf(of), of.id)).toEqual([]);
    const more = { workflow_id: of.id, scheduler_id: 0, scheduler_type: 'slurm', status: 'planned' };
    const [first] = (await of.service.client.listScheduledComputeNodes({ query: { workflow_id: of.id } })).items;
    const body = { ...more, scheduler_config_id: first?.scheduler_config_id as number, plan: { allocations: 1 } };
    const { id } = await of.service.client.createScheduledComputeNode({ body });
    const stored = await of.service.client.getScheduledComputeNode({ params: { id } });
    expect(stored.plan).toMatchObject({ max_queued: 1 });
    expect(await settleSubmissions(toolsOf(of), of.id)).toEqual([]);
  });

  it('a job array has as many tasks as the queue has room for', async () => {
    const of = await lane(5);
    await submit(toolsOf(of, { settings: { maxQueued: 3 }, mostTasks: 1001 }), of);
    expect([of.played.calls('sbatch').length, of.played.jobs()]).toEqual([1, ['101_0', '101_1', '101_2']]);
  });

  it('allocations that a limit held back are canceled when the workflow has ended', async () => {
    const of = await lane(3);
    const { client } = of.service;
    await client.createJob({ body: { workflow_id: of.id, name: 'only', command: 'true' } });
    await submit(toolsOf(of, { settings: { maxQueued: 1 } }), of);
    await client.cancelWorkflow({ params: { id: of.id } });
    expect(await settleSubmissions(toolsOf(of), of.id)).toEqual([]);
    expect(await statuses(of)).toEqual(['pending', 'canceled', 'canceled']);
  });

  it('calls of sbatch keep the distance that submit_rate asks for', async () => {
    const of = await lane(3);
    const begun = performance.now();
    await submit(toolsOf(of, { settings: { submitRate: 600 } }), of);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(200);
    await expectEachOnce(of, 3, 'paced');
  });

  it('after three allocations that failed at once nothing more is submitted, and their last lines say why', async () => {
    const of = await lane(6);
    const fails = [
      `echo 'FAILED|N/A|0:01' > state/$id`,
      `echo 'slurmstepd: error: torc-slurm-job-runner: not found' > out/slurm_output_wf1_sl$id.e`,
    ];
    of.played.trouble('sbatch', { after: fails.join('; ') });
    const tools = toolsOf(of);
    await submit(tools, of);
    expect(of.played.jobs()).toEqual(['101', '102', '103']);
    const words = 'the last 3 allocations ended within seconds and without a runner';
    expect(tools.warnings).toEqual([
      `No more allocations are submitted: ${words} (101 FAILED, 102 FAILED, 103 FAILED)\nThe last lines of their output:\n  slurmstepd: error: torc-slurm-job-runner: not found`,
    ]);
    expect(tools.held).toEqual([`3: paused: ${words} (101 FAILED, 102 FAILED, 103 FAILED)`]);
    // Within this process it stays so, and is reported once.
    expect([await settleSubmissions(tools, of.id), tools.warnings.length]).toEqual([[], 1]);
    // A person who repeats the command has repaired it.
    of.played.trouble('sbatch', {});
    const again = toolsOf({ ...of, service: { ...of.service, client: of.service.as('tester') } });
    await settleSubmissions(again, of.id);
    expect(of.played.jobs()).toHaveLength(6);
  });
});
