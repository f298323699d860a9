import { beforeEach, describe, expect, it } from 'vitest';
import { longestWait } from '../../../../tests/support/longest-wait.ts';
import { ended, registerNode, testService, type TestService } from '../../../../tests/support/service.ts';

let service: TestService;
const JOBS = 60_000;

beforeEach(async () => {
  service = testService();
  await service.client.createWorkflow({ body: { name: 'w', user: 'u' } });
  service.store.db.run(`
    begin;
    insert into resource_requirements (workflow_id, name, num_cpus, num_gpus, num_nodes, memory, runtime, memory_bytes, runtime_s)
      values (1, 'r', 1, 0, 1, '1m', 'PT1M', 1048576, 60);
    insert into job_class (workflow_id, resource_requirements_id) select 1, max(id) from resource_requirements;
    with recursive n (n) as (select 1 union all select n + 1 from n where n < ${JOBS})
      insert into job (workflow_id, name, command, resource_requirements_id, class_id, status, result_id)
      select 1, 'j' || n, 'true', 1, 1, 5, n from n;
    insert into result (id, job_id, workflow_id, run_id, compute_node_id, return_code, exec_time_minutes, completion_time, status)
      select id, id, 1, 0, 1, 0, 0.5, '2026-01-01T00:00:' || printf('%02d', id % 60) || 'Z', 5 from job;
    insert or replace into workflow_time (workflow_id, minutes, is_stale) values (1, 0, 1);
    commit`);
});

const status = () => service.client.getWorkflowStatus({ params: { id: 1 } });
const times = async () => {
  const { total_exec_time_minutes: minutes, walltime_seconds: seconds } = await status();
  return [minutes, seconds];
};

describe('the times of a workflow', () => {
  it('the times are recomputed without blocking other requests, and only once for all concurrent requests', async () => {
    let reported: unknown[] = [];
    const longest = await longestWait(async () => {
      reported = await Promise.all([times(), times(), times()]);
    });
    expect(reported).toEqual(Array.from({ length: 3 }, () => [JOBS / 2, 30 + 59]));
    expect(longest).toBeLessThan(100);
    expect(service.store.db.prepare('select is_stale from workflow_time').all({})).toEqual([{ is_stale: 0 }]);
  });

  it('the times are correct when jobs end during the computation', async () => {
    const nodeId = await registerNode(service, 1);
    const { id } = await service.client.createJob({ body: { workflow_id: 1, name: 'late', command: 'true' } });
    service.store.db.run(
      `update job set status = 4, claimed_by = ${nodeId}, compute_node_id = ${nodeId} where id = ${id}`,
    );
    const counted = times();
    await service.client.exchange({
      params: { id: 1 },
      body: {
        run_id: 0,
        compute_node_id: nodeId,
        completed: [{ ...ended({ id: id, attempt_id: 1 }), exec_time_minutes: 7 }],
      },
    });
    await counted;
    expect((await times())[0]).toBe(JOBS / 2 + 7);
  });

  it('the times are recomputed when results change during the computation', async () => {
    const counted = times();
    await new Promise((resolve) => void setImmediate(resolve));
    await service.store.turns.write(() =>
      service.store.db.run('update result set exec_time_minutes = 1.5 where id = 1'),
    );
    await counted;
    expect((await times())[0]).toBe(JOBS / 2 + 1);
  });

  it('the times are recomputed when a server was killed during the computation', async () => {
    service.store.db.run('update workflow_time set minutes = 3, is_stale = 2');
    expect((await times())[0]).toBe(JOBS / 2);
  });
});
