import { openQstat } from '../../../src/cluster/pbs/qstat.ts';
import { ownJobs } from '../../../src/cluster/pbs/qselect.ts';
import { discoverPbsProfile } from '../../../src/cluster/pbs/pbsnodes.ts';
import { pbsWordOf } from '../../../src/cluster/pbs/states.ts';
import type { AskPbs } from '../../../src/cluster/pbs/programs.ts';
import { type Answers, BANNER, MANY, manyLines } from './answer.ts';

/** A program of PBS that prints this text and ends with 0; a text with a line `exit N` at its end ended so, with its other lines on standard error. */
function saying(text: string): AskPbs {
  const [, words = '', code] = /^([^]*)exit (\d+)\n$/.exec(text) ?? [];
  const answer =
    code === undefined ? { code: 0, stdout: text, stderr: '' } : { code: Number(code), stdout: '', stderr: words };
  return () => Promise.resolve(answer);
}

const AWAY = 'Connection refused\nqstat: cannot connect to server localhost (errno=15010)\n';
const UNREAD = (program: string) => ({
  refused: `${program} printed no line of the form that it was asked for: "Connection refused"`,
});

const JOB =
  'Job Id: 36.pbs|Job_Name=wf1_9_1|job_state=R|substate=42|stime=Sun Nov 29 18:40:00 2026|run_count=1|Variable_List=A=a\\nb\n';
const READ = [[36, 'RUNNING']];

/** qstat -x -f -F dsv 36.pbs 37.pbs, with TZ=UTC */
export const pbsJobs: Answers = {
  program: 'qstat',
  question: 'how jobs stand',
  read: async (text) => {
    const found = await openQstat(saying(text), '36.pbs').jobs([36, 37]);
    return found.size > 10 ? found.size : [...found].map(([job, record]) => [job, pbsWordOf(record)]);
  },
  rows: {
    old: ['the release of June 2023, whose JSON has a number for this name', JOB.replace('wf1_9_1', '123'), READ],
    current: ['23.06.06 of April 2026', JOB, READ],
    newest: [
      '23.06.06 of April 2026, one that waits again after its node was lost',
      JOB.replace('job_state=R|substate=42', 'job_state=Q|substate=10|Exit_status=-20'),
      [[36, 'PENDING']],
    ],
    nothing: ['neither is known', 'qstat: Unknown Job Id 36.pbs\nqstat: Unknown Job Id 37.pbs\nexit 153\n', []],
    'an error on stdout': ['a wrapper that joins the streams', AWAY, UNREAD('qstat')],
    'a banner before it': ['a shell of the site', BANNER + JOB, READ],
    'too much': [
      'all jobs of a large site',
      manyLines((at) => `Job Id: ${at + 1}.pbs|job_state=Q|substate=10\n`),
      MANY,
    ],
    'cut off': ['a wrapper that ended', `${JOB}Job Id: 37.pbs|job_state=F|Exit_st`, READ],
  },
  odd: [
    [
      'a server that is away',
      `${AWAY}exit 255\n`,
      { refused: 'qstat: Connection refused\ncannot connect to server localhost (errno=15010)' },
    ],
    [
      'both have ended, and were asked for without -x',
      'qstat: 36.pbs Job has finished, use -x or -H to obtain historical job information\nexit 35\n',
      [],
    ],
  ],
};

/** qselect -u ann, and qselect -x -s F -u ann -te.gt.202611291840.00 */
export const pbsOwnJobs: Answers = {
  program: 'qselect',
  question: 'the jobs of a user',
  read: async (text) => {
    const found = await ownJobs(saying(text), 0);
    return found.length > 10 ? found.length : found;
  },
  rows: {
    old: ['PBS Professional 13, a server with its whole name', '36.pbs.site.example\n', ['36.pbs.site.example']],
    current: ['23.06.06', '36.pbs\n37[].pbs\n', ['36.pbs', '37[].pbs']],
    newest: ['23.06.06, one job of an array', '37[2].pbs\n', ['37[2].pbs']],
    nothing: ['no job', '', []],
    'an error on stdout': ['a wrapper that joins the streams', AWAY, UNREAD('qselect')],
    'a banner before it': ['a shell of the site', `${BANNER}36.pbs\n`, ['36.pbs']],
    'too much': ['many jobs of one user', manyLines((at) => `${at}.pbs\n`), MANY],
    'cut off': ['a wrapper that ended', '36.pbs\n37', ['36.pbs']],
  },
};

const SERVER = 'Server: pbs|server_state=Active|default_queue=workq\n';
const QUEUE =
  'Queue: workq|queue_type=Execution|state_count=Queued:0 |resources_max.walltime=48:00:00|enabled=True|started=True\n';
const NODE =
  'Name=n1|Mom=n1|state=free|resources_available.mem=4096mb|resources_available.ncpus=4|resources_available.ngpus=2|sharing=default_shared\n';
const FORCED = NODE.replace('n1', 'n2').replace('default_shared', 'force_excl').replace('4096mb', '8388608kb');

/** pbsnodes -a -F dsv; qstat -Q -f -F dsv; qstat -B -f -F dsv */
export const pbsNodes: Answers = {
  program: 'pbsnodes',
  question: 'the queues and nodes of the cluster',
  read: async (text) => {
    const ask: AskPbs = (program, args) =>
      saying(program === 'pbsnodes' ? text : args[0] === '-Q' ? QUEUE : SERVER)(program, []);
    const { partitions } = await discoverPbsProfile(ask, openQstat(ask, undefined));
    return partitions.map((each) => [
      each.name,
      each.total_nodes,
      each.cpus_per_node,
      each.memory_mb,
      each.gpus_per_node,
    ]);
  },
  rows: {
    old: ['without GPUs', NODE.replace('|resources_available.ngpus=2', ''), [['workq', 1, 4, 4096, null]]],
    current: ['23.06.06', NODE, [['workq', 1, 4, 4096, 2]]],
    newest: ['23.06.06, two kinds of nodes', NODE + FORCED, [['workq', 2, 4, 4096, 2]]],
    nothing: ['no node', '', { refused: 'pbsnodes printed no line of the form that it was asked for' }],
    'an error on stdout': [
      'a wrapper that joins the streams',
      AWAY,
      { refused: 'pbsnodes printed no line of the form that it was asked for' },
    ],
    'a banner before it': ['a shell of the site', BANNER + NODE, [['workq', 1, 4, 4096, 2]]],
    'too much': [
      'a site of 100,000 nodes',
      manyLines((at) => NODE.replace('n1', `n${at}`)),
      [['workq', MANY, 4, 4096, 2]],
    ],
    'cut off': ['a wrapper that ended', `${NODE}Name=n2|resources_available.ncpus=1`, [['workq', 1, 4, 4096, 2]]],
  },
};
