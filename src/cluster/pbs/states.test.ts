import { describe, expect, it, test } from 'vitest';
import { parseDsv } from './dsv.ts';
import { jobOfPbsId, pbsIdOf } from './ids.ts';
import { pbsStateOf, pbsWordOf, scriptExitOf, pbsWaitingWords } from './states.ts';

const record = (fields: string) => {
  const [job] = parseDsv('job', `Job Id: 12.pbs|${fields}\n`);
  if (job === undefined) throw new Error('no record');
  return job;
};

describe('how PBS says that a job stands', () => {
  test.each([
    ['PENDING', 'queued', 'job_state=Q|substate=10'],
    ['PENDING', 'queued', 'job_state=Q|substate=10|Exit_status=-20|run_count=1'],
    ['HELD', 'queued', 'job_state=H|substate=22'],
    ['RUNNING', 'running', 'job_state=R|substate=41|run_count=1'],
    ['SUSPENDED', 'running', 'job_state=S|substate=45'],
    ['COMPLETING', 'running', 'job_state=E|substate=51|Exit_status=271'],
    ['COMPLETED', 'ended', 'job_state=F|substate=92|Exit_status=0|stime=x'],
    ['FAILED', 'ended', 'job_state=F|substate=93|Exit_status=7|stime=x'],
    ['CANCELLED', 'ended', 'job_state=F|substate=91|Exit_status=271|comment=Job run and terminated by root@localhost'],
    ['CANCELLED', 'ended', 'job_state=F|substate=91'],
    ['CANCELLED', 'ended', 'job_state=F|substate=92'],
    ['PREEMPTED', 'ended', 'job_state=F|substate=91|Exit_status=271|comment=terminated by Scheduler@localhost'],
    ['TIMEOUT', 'ended', 'job_state=F|substate=93|Exit_status=-29'],
    ['OUT_OF_MEMORY', 'ended', 'job_state=F|substate=93|Exit_status=-27'],
    ['NODE_FAIL', 'ended', 'job_state=F|substate=93|Exit_status=-20'],
    ['M', 'unknown', 'job_state=M|substate=92|Exit_status=0'],
    ['UNKNOWN', 'unknown', 'substate=92'],
  ])('%s, which %s, is %s', (word, state, fields) => {
    const job = record(fields);
    expect([pbsWordOf(job), pbsStateOf(job.fields.get('job_state'))]).toEqual([word, state]);
  });

  it('an exit status above 255 is the signal that ended the first process, and a negative one is none of its script', () => {
    const ends = ['7', '271', '-29'].map((status) => scriptExitOf(record(`Exit_status=${status}`).fields));
    expect(ends).toEqual([{ exitCode: 7, signal: 0 }, { exitCode: 0, signal: 15 }, {}]);
  });

  test.each([
    [
      'job_state=Q|comment=Can Never Run: Not enough total nodes available',
      'Can Never Run: Not enough total nodes available',
    ],
    ['job_state=Q', 'Not Running: PBS has not looked at it yet'],
    ['job_state=Q|comment=Job run at Sat Nov 28 at 18:14 on (n1:ncpus=1)', 'Not Running: PBS has not looked at it yet'],
    ['job_state=H|substate=22|Hold_Types=s', 'Held: for another job'],
    ['job_state=H|substate=20|Hold_Types=u', 'Held: by its owner'],
    ['job_state=R|comment=Job run at Sat Nov 28', undefined],
  ])('why a job waits: %s', (fields, words) => expect(pbsWaitingWords(record(fields))).toBe(words));
});

describe('ids of jobs', () => {
  test.each([
    ['12.pbs', 12],
    ['12.pbs-server.site.example', 12],
    ['12', 12],
    ['5[].pbs', 5],
    ['5[2].pbs', '5_2'],
    ['qsub: Unknown queue', undefined],
    ['12.pbs extra', undefined],
  ])('%s names the job %j', (text, job) => expect(jobOfPbsId(text)).toBe(job));

  it('a job is asked for by the whole id that PBS printed', () => {
    expect([pbsIdOf(12, 'pbs'), pbsIdOf('5_2', 'pbs')]).toEqual(['12.pbs', '5[2].pbs']);
  });
});
