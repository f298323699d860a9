import { expect, it } from 'vitest';
import type { AskPbs, PbsAnswer, PbsProgram } from './programs.ts';
import { deleteJob, deleteQueued, releaseJob } from './qdel.ts';
import { openQstat } from './qstat.ts';

/** PBS with jobs in these states. */
function cluster(
  states: Readonly<Record<number, string>>,
  answers: Partial<Record<PbsProgram, Partial<PbsAnswer>>> = {},
) {
  const calls: string[] = [];
  const ask: AskPbs = async (program, args) => {
    if (program !== 'qstat') calls.push(`${program} ${args.join(' ')}`);
    const jobs = Object.entries(states).map(([id, state]) => `Job Id: ${id}.pbs|job_state=${state}|substate=10\n`);
    return { code: 0, stdout: program === 'qstat' ? jobs.join('') : '', stderr: '', ...answers[program] };
  };
  return { calls, ask, qstat: openQstat(ask, '1.pbs') };
}

it('a job that waits is held before it is looked at, and one that began meanwhile goes on', async () => {
  const { calls, ask, qstat } = cluster({ 2: 'H', 3: 'R' });
  await deleteQueued(ask, qstat, [2, 3, 4]);
  expect(calls).toEqual(['qhold 2.pbs 3.pbs 4.pbs', 'qrls 3.pbs', 'qdel 2.pbs']);
});

it('the end of a job that is over is no error, and that of another is one', async () => {
  const over = cluster({}, { qdel: { code: 35, stderr: 'qdel: Job has finished 2.pbs\n' } });
  await expect(deleteJob(over.ask, over.qstat, 2)).resolves.toBeUndefined();
  const other = cluster({}, { qdel: { code: 159, stderr: 'qdel: Unauthorized Request 2.pbs\n' } });
  await expect(deleteJob(other.ask, other.qstat, 2)).rejects.toThrow('Unauthorized Request');
});

it('where the node of a job does not answer, a person reads what ends the job', async () => {
  const { ask, qstat } = cluster({}, { qdel: { code: 222, stderr: 'qdel: Server could not connect to MOM 2.pbs\n' } });
  await expect(deleteJob(ask, qstat, 2)).rejects.toThrow('qdel -W force 2.pbs');
});

it('a job that cannot be released is reported', async () => {
  const { ask, qstat } = cluster({}, { qrls: { code: 159, stderr: 'qrls: Unauthorized Request 2.pbs\n' } });
  await expect(releaseJob(ask, qstat, 2)).rejects.toThrow('Unauthorized Request');
});
