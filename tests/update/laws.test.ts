import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkflow } from '../../src/client/create-workflow.ts';
import { storedPlan } from '../../src/client/stored-plan.ts';
import { diffPlan } from '../../src/core/workflow-file/update/diff.ts';
import { differenceText } from '../../src/cli/output/plan-difference.ts';
import { updateFromPlan } from '../../src/operations/update/update-plan.ts';
import { planned } from '../spec/reading.ts';
import { ended, registerNode, statuses, testService, type TestService } from '../support/service.ts';
import { planText, spec, withoutLabels } from './specs.ts';

let service: TestService;

beforeEach(() => {
  service = testService();
});
afterEach(() => expect(service.errors).toEqual([]));

const create = (of: object) =>
  createWorkflow(service.client, planned(of), {
    user: 'tester',
    submissionDirectory: '/tmp',
    monitorsJobs: true,
    mtimeOf: async () => 1,
  });

const update = async (id: number, of: object, isDryRun = false) =>
  updateFromPlan(service.client, id, planned(of), { isDryRun });

async function initialize(id: number): Promise<void> {
  await service.client.resetStatus({ params: { id } });
  await service.client.initializeJobs({ params: { id } });
}

/** Runs up to `most` jobs to their end; each succeeds. */
async function runSome(id: number, nodeId: number, most: number): Promise<string[]> {
  const { client } = service;
  const done: string[] = [];
  while (done.length < most) {
    const { jobs = [] } = await client.claimNextJobs({ params: { id }, query: { limit: 1 } });
    const [job] = jobs;
    if (job === undefined) break;
    const { run_id: runId = 0 } = await client.getWorkflow({ params: { id } });
    await client.startJob({ params: { id: job.id as number, run_id: runId as number, compute_node_id: nodeId } });
    const end = ended({ id: job.id as number, attempt_id: job.attempt_id as number });
    await client.completeJob({
      params: { id: job.id as number, status: 'completed', run_id: runId as number },
      body: { ...end, workflow_id: id, run_id: runId as number, compute_node_id: nodeId } as never,
    });
    done.push(job.name);
  }
  return done;
}

describe('an update to a file', () => {
  it('an update to the file that a workflow was created from changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(spec, fc.boolean(), fc.nat(6), async (of, isBegun, runs) => {
        const id = await create(of);
        if (isBegun) {
          await initialize(id);
          await runSome(id, await registerNode(service, id), runs);
        }
        expect(diffPlan(planned(of), await storedPlan(service.client, id)).update).toEqual({});
      }),
      { numRuns: 40 },
    );
  });

  it('an update from a file without a Slurm scheduler removes it, or keeps it without a difference while allocations name it', async () => {
    const scheduler = (name: string) => ({ name, account: 'a', nodes: 1, walltime: '01:00:00' });
    const of = (...names: string[]) => ({
      name: 'w',
      jobs: [{ name: 'a', command: 'true' }],
      slurm_schedulers: names.map(scheduler),
    });
    const id = await create(of('new', 'used', 'unused'));
    const { items } = await service.client.listSlurmSchedulers({ query: { workflow_id: id } });
    const used = items.find(({ name }) => name === 'used')?.id as number;
    const allocation = { scheduler_id: 7, scheduler_config_id: used, scheduler_type: 'slurm', status: 'complete' };
    await service.client.createScheduledComputeNode({ body: { workflow_id: id, ...allocation } });
    const { difference } = await update(id, of('new'));
    expect(difference.records).toEqual([{ kind: 'removed', of: 'slurm_schedulers', name: 'unused' }]);
    const again = await update(id, of('new'));
    expect(again.difference).toMatchObject({ update: {}, records: [], keptSchedulers: ['used'] });
    const text = (found: typeof again) => differenceText(id, found, { isDryRun: false, width: 100 });
    expect(text(again)).toBe(
      `Workflow ${id} is what the file says; nothing changed.\nSchedulers: kept while allocations name them: used`,
    );
    expect(text(await update(id, of('new', 'used')))).not.toContain('kept');
  });

  it('a second update to the same file changes nothing, and the plan is that of a creation from it', async () => {
    await fc.assert(
      fc.asyncProperty(spec, spec, fc.boolean(), fc.nat(6), async (first, second, isBegun, runs) => {
        const id = await create(first);
        if (isBegun) {
          await initialize(id);
          await runSome(id, await registerNode(service, id), runs);
        }
        await update(id, second);
        const after = await storedPlan(service.client, id);
        expect(diffPlan(planned(second), after)).toMatchObject({ update: {}, records: [] });
        const fresh = await create(second);
        if (isBegun) await initialize(fresh);
        else for (const each of [id, fresh]) await initialize(each);
        expect(planText(await storedPlan(service.client, id))).toEqual(
          planText(await storedPlan(service.client, fresh)),
        );
      }),
      { numRuns: 80 },
    );
  });

  it('after an update exactly the jobs run that are new, changed, or downstream of these', async () => {
    await fc.assert(
      fc.asyncProperty(spec.map(withoutLabels), spec.map(withoutLabels), async (first, second) => {
        const id = await create(first);
        await initialize(id);
        const nodeId = await registerNode(service, id);
        await runSome(id, nodeId, 100);
        const { difference, updated } = await update(id, second);
        const expected = new Set(difference.jobs.filter(({ reruns }) => reruns).map(({ name }) => name));
        const plan = planned(second);
        for (let isGrowing = true; isGrowing;) {
          const before = expected.size;
          for (let number = 0; number < plan.jobs.length; number += 1) {
            const { name, dependsOn, inputFiles } = plan.jobs.at(number);
            const writers = [...inputFiles].flatMap((file) =>
              Array.from({ length: plan.jobs.length }, (_, other) => other).filter((other) =>
                plan.jobs.at(other).outputFiles.includes(file),
              ),
            );
            if ([...dependsOn, ...writers].some((other) => expected.has(plan.jobName(other)))) expected.add(name);
          }
          isGrowing = expected.size > before;
        }
        expect(updated.rerun_jobs).toBe(expected.size);
        expect((await runSome(id, nodeId, 100)).toSorted()).toEqual([...expected].toSorted());
        expect(Object.values(await statuses(service, id)).filter((status) => status !== 'disabled')).toEqual(
          Array.from({ length: plan.jobs.length }, () => 'completed'),
        );
      }),
      { numRuns: 60 },
    );
  });
});
