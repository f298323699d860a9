import { describe, expect, it } from 'vitest';
import { ended, started, testService, workflowOf } from '../../../tests/support/service.ts';
import type { Client } from '../../client/client.ts';
import { openJobs } from './open-jobs.ts';

const labelled = { labels: ['gpu'] };

const isOpen = (client: Pick<Client, 'listJobs'>, id: number, ...labels: string[]) =>
  openJobs(client, { id, use_pending_failed: false }, labels)();

describe('open jobs of a runner with labels', () => {
  it('a job that waits for another one is open, and a job that has other labels is not', async () => {
    const service = testService();
    const { id } = await workflowOf(service, [{ name: 'gate' }, { name: 'special', after: ['gate'], ...labelled }]);
    expect(await isOpen(service.client, id, 'gpu', 'big')).toBe(true);
    expect(await isOpen(service.client, id, 'other')).toBe(false);
  });

  it('a job that has ended is not open', async () => {
    const service = testService();
    const { id, nodeId } = await workflowOf(service, [{ name: 'plain' }, { name: 'special', ...labelled }]);
    const turn = { run_id: 1, compute_node_id: nodeId };
    const ask = (body: object) => service.client.exchange({ params: { id }, body: { ...turn, ...body } });
    const { jobs } = await ask({ want: { limit: 1, prefetch: 0, ...labelled } });
    expect([jobs.length, await isOpen(service.client, id, 'gpu')]).toEqual([1, true]);
    await ask({ started: jobs.map(started), completed: jobs.map((job) => ended(job)) });
    expect(await isOpen(service.client, id, 'gpu')).toBe(false);
  });

  it('a job that is released or claimed between two requests is open', async () => {
    const service = testService();
    const { id, jobIds } = await workflowOf(service, [{ name: 'special', ...labelled }]);
    const params = { id: jobIds.get('special') as number, run_id: 1 };
    const goesOn = { uninitialized: 'blocked', blocked: 'ready', ready: 'pending' } as const;
    await service.client.manageStatusChange({ params: { ...params, status: 'blocked' } });
    const client: Pick<Client, 'listJobs'> = {
      async listJobs(request) {
        const next = goesOn[request.query.status as keyof typeof goesOn];
        const before = await service.client.getJob({ params: { id: params.id } });
        // Just before the answer: the status that is asked for is the last one.
        if (before.status === request.query.status && next !== undefined)
          await service.client.manageStatusChange({ params: { ...params, status: next } });
        return service.client.listJobs(request);
      },
    };
    expect(await isOpen(client, id, 'gpu')).toBe(true);
  });
});
