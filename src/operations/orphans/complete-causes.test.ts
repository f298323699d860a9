import { beforeEach, expect, it } from 'vitest';
import { slurmNodeOf, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';
import type { RecordedJobs } from '../../cluster/batch/batch-system.ts';
import { queueStateOf } from '../../core/allocation/slurm-state.ts';
import type { NewResult } from '../../core/contract/result.ts';
import { completeCauses } from './complete-causes.ts';

let service: TestService;
beforeEach(() => {
  service = testService();
});

const ENDED_AT = '2026-03-01T12:30:00.000Z';
const NOW = Date.parse('2026-03-01T13:00:00Z');

/** A workflow in whose results one job ended in allocation 7, in this way. */
async function endedIn(more: Partial<NewResult>) {
  const { client } = service;
  const { id, jobIds } = await workflowOf(service, [{ name: 'a' }]);
  const { id: nodeId } = await client.createComputeNode({ body: slurmNodeOf(id, { is_active: false }) });
  const { id: resultId } = await client.createResult({
    body: {
      job_id: jobIds.get('a') as number,
      workflow_id: id,
      run_id: 1,
      compute_node_id: nodeId,
      return_code: 143,
      exec_time_minutes: 1,
      completion_time: ENDED_AT,
      status: 'terminated',
      ...more,
    },
  });
  return { id, read: () => client.getResult({ params: { id: resultId } }) };
}

/** The accounting, which says these states of allocation 7 one after the other. */
function accountOf(...words: readonly (string | Error | undefined)[]) {
  const asked: unknown[] = [];
  return {
    asked,
    async account(jobs: readonly unknown[]): Promise<RecordedJobs | undefined> {
      const word = words[Math.min(asked.length, words.length - 1)];
      asked.push(jobs);
      if (word instanceof Error) throw word;
      if (word === undefined) return undefined;
      return { jobs: new Map([[7, { state: queueStateOf(word), word }]]), steps: new Map(), batchEnds: new Map() };
    },
  };
}

const completed = (id: number, slurm: ReturnType<typeof accountOf>, mostLooks = 1, nowMs = NOW) =>
  completeCauses(service.client, id, { slurm, nowMs: () => nowMs, mostLooks });

it.each(['PREEMPTED', 'NODE_FAIL', 'CANCELLED by 1000', 'TIMEOUT'])(
  'an attempt that ended with its allocation says that Slurm ended it with %s, as soon as the accounting knows',
  async (word) => {
    const { id, read } = await endedIn({ cause_code: 'allocation', cause: 'it was preempted, or lost its node' });
    const before = await read();
    expect(await completed(id, accountOf('RUNNING'))).toBe(0);
    expect(await read()).toEqual(before);
    expect(await completed(id, accountOf(word))).toBe(1);
    expect(await read()).toEqual({ ...before, cause: `allocation 7 ended ${word}` });
    const again = accountOf(word);
    expect([await completed(id, again), again.asked]).toEqual([0, []]);
  },
);

it('a process that waits for the word of Slurm asks until the allocation has ended, and no more often than it may', async () => {
  const { id, read } = await endedIn({ cause_code: 'stopped' });
  const ending = accountOf('COMPLETING');
  expect([await completed(id, ending, 2), ending.asked.length]).toEqual([0, 2]);
  const ended = accountOf('COMPLETING', 'PREEMPTED');
  expect([await completed(id, ended, 5), ended.asked.length]).toEqual([1, 2]);
  expect((await read()).cause).toBe('allocation 7 ended PREEMPTED');
});

it.each([
  ['that failed by itself', { cause_code: 'exit', status: 'failed', return_code: 1 }],
  ['that was canceled by a user', { cause_code: 'canceled' }],
  ['that ended more than a day ago', { cause_code: 'allocation', completion_time: '2026-02-27T12:30:00.000Z' }],
] as const)('the accounting is not asked about an attempt %s', async (_, more) => {
  const { id } = await endedIn(more);
  const slurm = accountOf('PREEMPTED');
  expect([await completed(id, slurm), slurm.asked]).toEqual([0, []]);
});

it.each([
  ['fails', new Error('slurmdbd is away')],
  ['is not there', undefined],
])('an attempt stays as it is where the accounting %s', async (_, answer) => {
  const { id, read } = await endedIn({ cause_code: 'allocation' });
  const before = await read();
  expect([await completed(id, accountOf(answer), 3), await read()]).toEqual([0, before]);
});

it('behind a page of attempts that have the word of Slurm none is listed: every correction of records looks for them', async () => {
  const { client } = service;
  const { id, read } = await endedIn({ cause_code: 'allocation', attempt_id: 1_000 });
  const { job_id, compute_node_id } = await read();
  const of = { job_id, compute_node_id, workflow_id: id, run_id: 1, return_code: 143, exec_time_minutes: 1 };
  const ended = {
    completion_time: '2026-03-01T12:20:00.000Z',
    status: 'terminated',
    cause_code: 'allocation',
  } as const;
  for (let attempt = 1; attempt <= 450; attempt += 1)
    await client.createResult({ body: { ...of, ...ended, attempt_id: attempt, cause: 'allocation 7 ended TIMEOUT' } });
  let rows = 0;
  const counting = {
    ...client,
    async listResults(request: Parameters<typeof client.listResults>[0]) {
      const page = await client.listResults(request);
      rows += page.items.length;
      return page;
    },
  };
  const complete = () => completeCauses(counting, id, { slurm: accountOf('TIMEOUT'), nowMs: () => NOW });
  // The newest one lacks it: the page behind it is looked at as well.
  expect([await complete(), rows]).toEqual([1, 400]);
  rows = 0;
  expect([await complete(), rows]).toEqual([0, 200]);
});
