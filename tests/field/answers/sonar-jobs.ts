import { parseListed, shownJobs } from '../../../src/telemetry/produce/slurm/shown-jobs.ts';
import { parseSacct, SACCT_FIELDS } from '../../../src/telemetry/produce/slurm/sacct.ts';
import { type Answers, BANNER, MANY, manyLines, SLURM_AWAY } from './answer.ts';

const MARK = '<mark>';
const record = (changes: Readonly<Record<string, string>> = {}) =>
  `${SACCT_FIELDS.map((field) => changes[field] ?? { JobID: '36', JobIDRaw: '36', State: 'COMPLETED', JobName: 'a' }[field as string] ?? '').join(MARK)}\n`;

/** sacct -aP --noheader --delimiter=… */
export const sonarSacct: Answers = {
  program: 'sacct',
  question: 'the jobs of all users',
  read: (text) => {
    const problems: string[] = [];
    const jobs = parseSacct(text, {
      timeOf: () => undefined,
      separator: MARK,
      onProblem: (problem) => problems.push(problem),
    });
    return [
      jobs.length > 10 ? jobs.length : jobs.map((job) => [job.job_id, job.job_step, job.job_state, job.job_name]),
      problems,
    ];
  },
  rows: {
    old: ['20.11, canceled', record({ State: 'CANCELLED by 1000' }), [[[36, '', 'CANCELLED by 1000', 'a']], []]],
    current: ['22.05.8, a step', record({ JobID: '36.0', JobIDRaw: '36.0' }), [[[36, '0', 'COMPLETED', 'a']], []]],
    newest: [
      '26.05.3, a name with a line break and separators',
      record({ JobName: 'x\n37|37|ann' }),
      [[[36, '', 'COMPLETED', 'x\n37|37|ann']], []],
    ],
    nothing: ['22.05.8, no job', '', [[], []]],
    'an error on stdout': [
      'a wrapper that joins the streams',
      'sacct: error: Problem talking to the database: Connection refused\n',
      [[], ['sacct printed 1 line that is no record of a job']],
    ],
    'a banner before it': [
      'a shell of the site',
      BANNER + record(),
      [[[36, '', 'COMPLETED', 'a']], ['sacct printed 2 lines that are no records of a job']],
    ],
    'too much': [
      'a month of a large site',
      manyLines((at) => record({ JobID: String(at), JobIDRaw: String(at) })),
      [MANY, []],
    ],
    'cut off': [
      'a wrapper that ended',
      record() + record().slice(0, 60),
      [[[36, '', 'COMPLETED', 'a']], ['sacct printed 1 line that is no record of a job']],
    ],
  },
};

const SHOWN = 'JobId=36 JobName=a UserId=ann(1000) JobState=RUNNING OverSubscribe=OK Command=/a.sh\n';
/** A line of squeue. */
const listed = (id: number, user = 'ann(1000)', name = 'a') =>
  `${['', id, user, 'PENDING', '2026-11-29T11:00:00', 'debug', 'any', name].join(MARK)}\n`;
const LISTED = parseListed(listed(36), MARK);
/** What squeue says of the job counts where scontrol has no record of it. */
const BARE = [[36, 'PENDING']];

/** scontrol -o show job */
export const sonarScontrol: Answers = {
  program: 'scontrol',
  question: 'the jobs of all users',
  read: (text) => shownJobs(text, LISTED, () => {}).map(({ id, text: own }) => [id, /JobState=(\w+)/.exec(own)?.[1]]),
  rows: {
    old: ['20.11', SHOWN, [[36, 'RUNNING']]],
    current: ['22.05.8, a task', SHOWN.replace('JobId=36', 'JobId=36 ArrayJobId=30 ArrayTaskId=2'), [[36, 'RUNNING']]],
    newest: [
      '26.05.3, a part of a heterogeneous job',
      SHOWN.replace('JobId=36', 'JobId=36 HetJobId=36 HetJobOffset=0'),
      [[36, 'RUNNING']],
    ],
    nothing: ['22.05.8', 'No jobs in the system\n', BARE],
    'an error on stdout': ['a wrapper that joins the streams', SLURM_AWAY, BARE],
    'a banner before it': ['a shell of the site', BANNER + SHOWN, [[36, 'RUNNING']]],
    'too much': [
      'all jobs of a large site',
      manyLines((at) => SHOWN.replace('JobId=36', `JobId=${at}`)),
      [[36, 'RUNNING']],
    ],
    'cut off': ['a wrapper that ended', SHOWN.slice(0, SHOWN.indexOf('UserId=') + 9), BARE],
  },
};

/** squeue -h -a -t all -o '<mark>%A<mark>%u(%U)<mark>%T<mark>%V<mark>%P<mark>%a<mark>%j' */
export const sonarSqueue: Answers = {
  program: 'squeue',
  question: 'the users, names and states of jobs',
  read: (text) => {
    const jobs = [...parseListed(text, MARK)];
    return jobs.length > 10 ? jobs.length : jobs.map(([id, { user, state, name }]) => [id, user, state, name]);
  },
  rows: {
    old: ['20.11', listed(36), [[36, 'ann(1000)', 'PENDING', 'a']]],
    current: ['22.05.8, a user without a name', listed(36, '1000(1000)'), [[36, '1000(1000)', 'PENDING', 'a']]],
    newest: [
      '26.05.3, a name with line breaks',
      listed(36, 'ann(1000)', 'x\n|'),
      [[36, 'ann(1000)', 'PENDING', 'x\n|']],
    ],
    nothing: ['22.05.8, no job', '', []],
    'an error on stdout': ['a wrapper that joins the streams', SLURM_AWAY, []],
    'a banner before it': ['a shell of the site', BANNER + listed(36), [[36, 'ann(1000)', 'PENDING', 'a']]],
    'too much': ['all jobs of a large site', manyLines((at) => listed(at)), MANY],
    'cut off': ['a wrapper that ended', `${listed(36)}${MARK}37${MARK}be`, [[36, 'ann(1000)', 'PENDING', 'a']]],
  },
};
