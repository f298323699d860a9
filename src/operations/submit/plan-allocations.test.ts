import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Kill } from '../../../tests/support/kill.ts';
import { standIn } from '../../../tests/support/original/stand-in.ts';
import { type Lane, lane, scripts, toolsOf } from '../../../tests/support/submission-lane.ts';
import type { Client } from '../../client/client.ts';
import { jobOfAllocation } from '../../core/allocation/slurm-job.ts';
import { fireActions } from './fire-actions.ts';
import { settleSubmissions } from './settle-submissions.ts';
import { submitAllocations } from './submit-allocations.ts';

describe('on Torc’s own server, which stores no plans', () => {
  let of: Lane;
  let client: Client;
  let request: Parameters<typeof submitAllocations>[1];
  beforeEach(async () => {
    const server = await standIn();
    onTestFinished(() => server.close());
    ({ client } = server);
    of = await lane(1);
    const { id } = (await client.createWorkflow({ body: { name: `w${process.pid}`, user: 'u' } })) as { id: number };
    const scheduler = { workflow_id: id, name: 's', account: 'a', nodes: 1, walltime: '01:00:00' };
    const schedulerId = (await client.createSlurmScheduler({ body: scheduler })).id;
    const config = { scheduler_type: 'slurm', scheduler_id: schedulerId, num_allocations: 3 };
    const trigger = { trigger_type: 'on_workflow_start', trigger_count: 1 };
    const body = { workflow_id: id, ...trigger, action_type: 'schedule_nodes', action_config: config };
    await client.createWorkflowAction({ params: { id }, body });
    request = {
      workflowId: id,
      schedulerId,
      allocations: 3,
      startOneWorkerPerNode: true,
      maxParallelJobs: undefined,
    };
  });
  const records = async () =>
    (await client.listScheduledComputeNodes({ query: { workflow_id: request.workflowId } })).items;
  const expectThree = async () => {
    expect((await records()).map((each) => [String(jobOfAllocation(each)), each.status])).toEqual(
      of.played.jobs().map((job) => [job, 'pending']),
    );
    expect([of.played.jobs().length, scripts(of)]).toEqual([3, []]);
  };

  /** The process dies at its first call of sbatch. */
  const killed = async () => {
    const kill = new Kill(Infinity, false);
    const tools = toolsOf(of, { client, kill });
    const slurm = { ...tools.slurm, submit: () => (kill.now(), new Promise<never>(() => {})) };
    await Promise.race([submitAllocations({ ...tools, slurm }, request), kill.died]);
  };

  it('the actions of a workflow are submitted one by one, without job arrays and without a question to squeue', async () => {
    const { jobIds, errors } = await fireActions(toolsOf(of, { client, mostTasks: 1001 }), request.workflowId);
    expect([jobIds, errors]).toEqual([[101, 102, 103], []]);
    await expectThree();
    expect(of.played.calls('squeue')).toEqual([]);
  });

  it('every record and its script is there before the first sbatch, and a repetition submits the others', async () => {
    await killed();
    expect((await records()).map(({ status }) => status)).toEqual(['submitting', 'submitting', 'submitting']);
    expect(scripts(of)).toHaveLength(3);
    expect(readFileSync(join(of.folder, 'out', scripts(of)[2] as string), 'utf8')).toContain(
      'srun --ntasks-per-node=1',
    );
    expect(await settleSubmissions(toolsOf(of, { client }), request.workflowId)).toEqual([101, 102, 103]);
    await expectThree();
  });

  it('no submission of a process that runs is touched', async () => {
    await killed();
    for (const name of scripts(of)) {
      const path = join(of.folder, 'out', name);
      // The parent of this process is alive.
      const text = readFileSync(path, 'utf8').replace(`process ${process.pid}`, `process ${process.ppid}`);
      writeFileSync(path, text);
    }
    const tools = toolsOf(of, { client });
    expect(await settleSubmissions(tools, request.workflowId)).toEqual([]);
    expect(tools.warnings).toEqual(Array(3).fill(expect.stringContaining('another process')));
    expect(of.played.jobs()).toEqual([]);
  });

  it('a record whose script is gone is removed, with a warning', async () => {
    await killed();
    rmSync(join(of.folder, 'out', readdirSync(join(of.folder, 'out'))[0] as string));
    const tools = toolsOf(of, { client });
    expect(await settleSubmissions(tools, request.workflowId)).toHaveLength(2);
    expect(tools.warnings).toEqual([expect.stringContaining('was never submitted')]);
    expect(await records()).toHaveLength(2);
  });

  it('allocations that a limit holds back keep their scripts, and are submitted later', async () => {
    const tools = toolsOf(of, { client, settings: { maxQueued: 2 } });
    expect(await submitAllocations(tools, request)).toEqual([101, 102]);
    expect(scripts(of)).toHaveLength(1);
    expect(await settleSubmissions(toolsOf(of, { client }), request.workflowId)).toEqual([103]);
    await expectThree();
  });
});
