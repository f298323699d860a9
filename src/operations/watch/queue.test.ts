import { expect, it } from 'vitest';
import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { watchQueue } from './queue.ts';

const FAILED = 'launch failed requeued held';

/** What a watch does and says about one allocation for which Slurm gives these reasons, look by look. */
async function watched(reasons: readonly string[], { recovers = true, isRefused = false, job = 7 as SlurmJob } = {}) {
  const did: string[] = [];
  const said: string[] = [];
  const act = (what: string) => async (of: SlurmJob) => {
    if (isRefused) throw new Error('Access/permission denied');
    did.push(`${what} ${of}`);
  };
  const look = watchQueue({
    batch: { release: act('release'), cancel: act('cancel') },
    recovers,
    report: (_, words) => void said.push(words),
  });
  for (const reason of reasons) await look([{ slurmJobId: job, reason, hasEnded: false }]);
  return { did, said };
}

it('a watch that recovers releases an allocation that Slurm could not start, and cancels it when it is held again', async () => {
  const { did, said } = await watched([FAILED, 'BeginTime', 'None', FAILED], { job: '7_3' });
  expect(did).toEqual(['release 7_3', 'cancel 7_3']);
  expect(said).toEqual([
    'Allocation 7_3 is released: it could not be started, and was held',
    'Allocation 7_3 is canceled: it could not be started, twice',
  ]);
});

it.each([
  ['it does not recover', { recovers: false }],
  ['Slurm refuses that', { isRefused: true }],
])('a watch says once how a held allocation is released where %s', async (_, options) => {
  const { did, said } = await watched([FAILED, FAILED], options);
  expect(did).toEqual([]);
  expect(said).toEqual([expect.stringContaining(`(${FAILED}: Slurm could not start it`)]);
  expect(said[0]).toContain('To let it start: scontrol release 7. To give up: scancel 7');
});

it.each(['JobHeldUser', 'JobHeldAdmin', 'job requeued in held state'])(
  'a watch leaves an allocation that is held on purpose (%s), and reports it',
  async (reason) => {
    const { did, said } = await watched([reason, reason]);
    expect([did, said]).toEqual([
      [],
      [expect.stringContaining(`Allocation 7 does not start as requested (${reason}: `)],
    ]);
  },
);

it('a watch reports the reason of an allocation that may never start, and says nothing of one that waits for its turn', async () => {
  const down = await watched([
    'Resources',
    'ReqNodeNotAvail, UnavailableNodes:n3',
    'ReqNodeNotAvail, UnavailableNodes:n4',
  ]);
  expect(down.said).toEqual([
    expect.stringContaining('(ReqNodeNotAvail, UnavailableNodes:n3: a node that it asks for'),
  ]);
  expect((await watched(['None', 'Priority', 'Resources', 'BeginTime'])).said).toEqual([]);
});
