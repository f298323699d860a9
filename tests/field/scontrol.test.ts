import { expect, test } from 'vitest';
import { fateIn, parseGranted, restartsIn, runIn } from '../../src/cluster/slurm/scontrol.ts';

/** Lines of `scontrol -o show job`, by release, shortened to what differs and what is read. */

const TIMES = 'SubmitTime=2026-11-28T19:32:51 StartTime=2026-11-28T19:32:52';

interface Read {
  readonly fate: ReturnType<typeof fateIn>;
  readonly grantedBytes: number;
}

const LINES: readonly (readonly [string, string, Read])[] = [
  [
    '22.05.8, over its limit',
    `JobId=10 JobName=joblimit JobState=TIMEOUT Reason=TimeLimit Restarts=0 ExitCode=0:0 ${TIMES} NumNodes=1 TRES=cpu=1,mem=500M,node=1,billing=1 MinMemoryNode=0 Command=/tmp/joblimit.sh Power= `,
    { fate: 'limit', grantedBytes: 500 * 2 ** 20 },
  ],
  [
    '26.05.3, over its limit',
    `JobId=100 JobName=joblimit JobState=TIMEOUT Reason=TimeLimit Restarts=0 ExitCode=0:9 ${TIMES} NumNodes=1 ReqTRES=cpu=1,mem=900M,node=1,billing=1 AllocTRES=cpu=1,mem=500M,node=1,billing=1 MinMemoryNode=0 Exclusive=NO Command=/tmp/joblimit.sh SubmitLine=sbatch --parsable /tmp/joblimit.sh`,
    { fate: 'limit', grantedBytes: 500 * 2 ** 20 },
  ],
  [
    '22.05.8, whose node failed',
    `JobId=37 JobName=norequeue JobState=NODE_FAIL Reason=NodeDown Restarts=0 ExitCode=0:0 ${TIMES} NumNodes=1 TRES=cpu=1,mem=100M,node=1 MinMemoryNode=100M`,
    { fate: 'preempted', grantedBytes: 100 * 2 ** 20 },
  ],
  [
    '26.05.3, whose node failed',
    `JobId=87 JobName=norequeue JobState=NODE_FAIL Reason=NodeDown FailedNode=n3 Restarts=0 ExitCode=0:1 ${TIMES} NumNodes=1 AllocTRES=cpu=1,mem=100M,node=1 MinMemoryNode=100M`,
    { fate: 'preempted', grantedBytes: 100 * 2 ** 20 },
  ],
  [
    '26.05.3, whose script was killed',
    `JobId=12 JobName=a JobState=FAILED Reason=RaisedSignal:9(Killed) Restarts=0 ExitCode=0:9 ${TIMES} NumNodes=1 MinMemoryNode=100M`,
    { fate: 'over', grantedBytes: 100 * 2 ** 20 },
  ],
];

test.each(LINES)('a job of %s', (_, line, { fate, grantedBytes }) => {
  expect(fateIn(line)).toBe(fate);
  expect(parseGranted(line, { cpus: 1, nodes: 1 })).toBe(grantedBytes);
  expect(restartsIn(line)).toBe(0);
});

test('a job that was requeued is COMPLETING for a second by 26.05.3, where it is PENDING at once by 22.05.8: only its number is known', () => {
  for (const state of ['COMPLETING', 'PENDING'])
    expect(runIn(`JobId=75 JobName=a JobState=${state} Reason=None Restarts=1 ${TIMES}`, 0)).toEqual({ restarts: 0 });
});
