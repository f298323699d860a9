import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import type { SonarSlurmJob } from '../../../core/contract/sonar/jobs.ts';
import { encodeAttributes } from '../../../core/contract/sonar/encode.ts';
import { parseNodeStates, parsePartitions } from './cluster.ts';
import { messagesOf } from './jobs.ts';
import { parseSacct, SACCT_FIELDS } from './sacct.ts';
import { listFormat, type ListedJob, parseListed, shownJobs } from './shown-jobs.ts';
import { jobOfShown, resourcesOfShown } from './scontrol.ts';
import { kilobytesOf, namesOf, secondsOf, utcMs } from './slurm-text.ts';
import { newsOf } from './reported-jobs.ts';

const timeOf = (text: string) => {
  const ms = utcMs(text);
  return ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 19);
};

/** A line as sacct prints it. */
const lineOf = (changed: Partial<Record<(typeof SACCT_FIELDS)[number], string>> = {}) => {
  const row: Partial<Record<(typeof SACCT_FIELDS)[number], string>> = {
    JobID: '42',
    JobIDRaw: '42',
    User: 'ann',
    Account: 'physics',
    State: 'COMPLETED',
    Start: '2026-03-09T10:00:00',
    End: '2026-03-09T10:10:00',
    ElapsedRaw: '600',
    ExitCode: '0:0',
    ReqCPUS: '4',
    ReqMem: '16G',
    ReqNodes: '1',
    Submit: '2026-03-09T09:00:00',
    Suspended: '00:00:05',
    SystemCPU: '00:12.345',
    TimelimitRaw: '90',
    UserCPU: '01:02.500',
    NodeList: 'c1-[1-3,5],bigmem-1',
    Partition: 'normal',
    AllocTRES: 'cpu=4,mem=16G',
    Priority: '100',
    JobName: 'fit',
    ...changed,
  };
  return SACCT_FIELDS.map((field) => row[field] ?? '').join('|');
};
const read = (text: string, separator = '|') => {
  const problems: string[] = [];
  const jobs = parseSacct(text, { timeOf, separator, onProblem: (problem) => void problems.push(problem) });
  return { jobs, problems };
};
const jobOf = (changed: Parameters<typeof lineOf>[0]) => read(lineOf(changed)).jobs[0] as SonarSlurmJob;

describe('jobs in what sacct prints', () => {
  it('a line has every field in the units of the format, with fractions of seconds rounded', () => {
    expect(jobOf({})).toMatchObject({
      job_id: 42,
      job_step: '',
      job_name: 'fit',
      job_state: 'COMPLETED',
      user_name: 'ann',
      submit_time: '2026-03-09T09:00:00',
      time_limit: 90 * 60 + 2,
      nodes: ['c1-[1-3,5]', 'bigmem-1'],
      priority: 102,
      requested_memory_per_node: 16 * 2 ** 20,
      suspend_time: 5,
      sacct: { SystemCPU: 12, UserCPU: 63, ElapsedRaw: 600, AllocTRES: 'cpu=4,mem=16G' },
    });
  });

  test.each<[string, Parameters<typeof lineOf>[0], Partial<SonarSlurmJob>]>([
    ['an array task', { JobID: '9_1', JobIDRaw: '10' }, { job_id: 10, array_job_id: 9, array_task_id: 1 }],
    ['index 0 of an array', { JobID: '9_0', JobIDRaw: '9' }, { job_id: 9, array_job_id: 9, array_task_id: 0 }],
    ['a step of a task', { JobID: '9_1.batch', JobIDRaw: '10.batch' }, { job_step: 'batch', array_task_id: 1 }],
    ['a heterogeneous part', { JobID: '7+1.0', JobIDRaw: '8.0' }, { job_id: 8, het_job_id: 7, het_job_offset: 1 }],
    ['a name with bars', { JobName: 'a|b|c' }, { job_name: 'a|b|c' }],
    ['no limit', { TimelimitRaw: 'UNLIMITED' }, { time_limit: 1 }],
    ['the limit of its partition', { TimelimitRaw: 'Partition_Limit' }, { time_limit: 0 }],
    ['memory of each CPU', { ReqMem: '2Gc', ReqCPUS: '8', ReqNodes: '2' }, { requested_memory_per_node: 8 * 2 ** 20 }],
    ['memory of each node', { ReqMem: '4Gn', ReqNodes: '2' }, { requested_memory_per_node: 4 * 2 ** 20 }],
    ['memory of all nodes', { ReqMem: '2G', ReqNodes: '2' }, { requested_memory_per_node: 2 ** 20 }],
    ['a failed node', { State: 'NODE_FAIL', Start: 'None' }, { job_state: 'NODE_FAIL', start_time: undefined }],
    [
      'a job that waits',
      { State: 'PENDING', NodeList: 'None assigned', End: 'Unknown' },
      { nodes: [], end_time: undefined },
    ],
    ['an unknown layout', { Layout: 'Unknown' }, { distribution: '' }],
    ['a signal', { ExitCode: '137:9' }, { exit_code: 137 }],
  ])('%s is read', (_, changed, expected) => expect(jobOf(changed)).toMatchObject(expected));

  it('the pending rest of an array is no task with index 0', () => {
    const job = jobOf({ JobID: '9_[5-7]', JobIDRaw: '12', State: 'PENDING' });
    expect(job).toMatchObject({ job_id: 12, job_step: '' });
    expect(job).not.toHaveProperty('array_job_id');
  });

  test.each(['nonsense', '42|42|ann', lineOf({ JobIDRaw: 'x' })])(
    'a line of another shape is no job, and is reported: %j',
    (line) => expect(read(line)).toEqual({ jobs: [], problems: ['sacct printed 1 line that is no record of a job'] }),
  );

  it('no jobs are no problem', () => expect(read('')).toEqual({ jobs: [], problems: [] }));

  it('a name with line breaks is one name, and what its user wrote there is no record of another job', () => {
    const forged = lineOf({ JobID: '7', JobIDRaw: '7', User: 'bob', JobName: 'x' });
    const safe = (line: string) => line.split('|').join('<token>');
    const { jobs, problems } = read(
      [safe(lineOf({ JobName: '' })) + `a\n${forged}\n\nb`, safe(lineOf({ JobID: '43', JobIDRaw: '43' }))].join('\n'),
      '<token>',
    );
    expect(jobs.map(({ job_id: id, job_name: name }) => [id, name])).toEqual([
      [42, `a\n${forged}\n\nb`],
      [43, 'fit'],
    ]);
    expect(problems).toEqual([]);
  });

  test.each([
    ['00:02.565', 3],
    ['45:21.005', 2721],
    ['1-02:03:04', 93_784],
    ['', 0],
    ['x', 0],
  ])('the time %j has %d seconds', (text, seconds) => expect(secondsOf(text)).toBe(seconds));

  test.each([
    ['1.5M', 1536],
    ['200K', 200],
    ['1', 1],
    ['0', 0],
    ['', 0],
    ['4Gx', 0],
  ])('the amount %j has %d kilobytes', (text, kilobytes) => expect(kilobytesOf(text)).toBe(kilobytes));

  test.each([
    ['c1-[1-3,5]-[2-4],b', ['c1-[1-3,5]-[2-4]', 'b']],
    ['None assigned', []],
    ['(null)', []],
    ['', []],
  ])('the list of nodes %j is %j', (text, names) => expect(namesOf(text)).toEqual(names));
});

describe('jobs in what scontrol prints', () => {
  const line = (changed = '') =>
    `JobId=1467080 ArrayJobId=1467073 ArrayTaskId=3 JobName=a b c UserId=ann(1001) GroupId=x JobState=RUNNING Priority=11 Account=physics TimeLimit=1-00:00:00 SubmitTime=2026-03-09T09:00:00 StartTime=2026-03-09T10:00:00 EndTime=2026-03-10T10:00:00 Partition=normal NodeList=c1-[1-2] NumNodes=2 NumCPUs=8 ReqTRES=cpu=8,mem=4G,node=2 AllocTRES=(null) ExitCode=0:0 ${changed}`;

  const ann: ListedJob = {
    user: 'ann(1001)',
    state: 'RUNNING',
    submitted: '2026-03-09T09:00:00',
    partition: 'normal',
    account: 'physics',
    name: 'a b c',
  };
  const recordsIn = (text: string, listed: ReadonlyMap<number, ListedJob> = new Map([[1467080, ann]])) => {
    const problems: string[] = [];
    const records = shownJobs(text, listed, (problem) => void problems.push(problem));
    return { jobs: records.flatMap((record) => jobOfShown(record, timeOf) ?? []), problems };
  };
  const jobsIn = (text: string) => recordsIn(text).jobs;

  it('names and users are read from squeue between marks that no user can know', () => {
    const [first, second] = ['a\n|x|7|bob', ''].map((name) => ({ ...ann, name }));
    const rowOf = (id: number, { user, state, submitted, partition, account, name }: ListedJob) =>
      `<m>${[id, user, state, submitted, partition, account, name].join('<m>')}\n`;
    const printed = rowOf(7, first as ListedJob) + rowOf(8, second as ListedJob);
    expect(listFormat('<m>')).toBe('<m>%A<m>%u(%U)<m>%T<m>%V<m>%P<m>%a<m>%j');
    expect([...parseListed(printed, '<m>')]).toEqual([
      [7, first],
      [8, second],
    ]);
    expect([...parseListed('', '<m>')]).toEqual([]);
  });

  it.each([
    ['a name with fields', 'x JobState=COMPLETED Account=evil UserId=bob(7) Reservation=r'],
    ['a name with a line break and a record', 'x\nJobId=9 JobName=y UserId=bob(7) JobState=COMPLETED'],
    ['a name with the record of the same job', 'x\nJobId=1467080 JobName=y UserId=ann(1001) JobState=COMPLETED'],
  ])('%s is a name, and changes nothing else', (_, name) => {
    const listed = new Map([[1467080, { ...ann, name }]]);
    expect(recordsIn(line().replace('a b c', name), listed)).toMatchObject({
      jobs: [
        {
          job_id: 1467080,
          job_name: name,
          user_name: 'ann',
          job_state: 'RUNNING',
          account: 'physics',
          reservation: '',
        },
      ],
      problems: [],
    });
  });

  const known = { job_id: 1467080, job_name: 'a b c', job_state: 'RUNNING', user_name: 'ann', partition: 'normal' };

  it('what stands in a command or a comment is no field, and of two records with the name and user of one job none counts', () => {
    const texts = 'OverSubscribe=OK Command=/x Reservation=fake Comment=y HetJobId=5';
    expect(jobsIn(line(texts))).toMatchObject([{ reservation: '', job_name: 'a b c' }]);
    expect(recordsIn(line(`Command=/x\n${line()}`))).toMatchObject({
      jobs: [{ ...known, requested_cpus: 0 }],
      problems: ['scontrol printed 2 records of job 1467080: a text of a user looks like one, and none is used'],
    });
    expect(jobsIn(`${line()}\nJobId=9 JobName=a b c UserId=ann(1001) JobState=RUNNING`)).toHaveLength(1);
  });

  // Fields in front of the state that users choose: seen on 26.05.3, `sbatch --mcs-label=… -A …`.
  const head = (label: string, account: string, rest = '') =>
    `JobId=1467080 JobName=a b c UserId=ann(1001) GroupId=ann(1001) MCS_label=${label} Priority=1 Nice=0 Account=${account} QOS=normal JobState=RUNNING Partition=normal NumCPUs=8 OverSubscribe=OK Command=/x${rest}`;

  test.each([
    ['a label with a state', head('m JobState=COMPLETED', 'physics'), 'physics'],
    [
      'a label with a whole record',
      head('m Priority=1 Nice=0 Account=physics QOS=q JobState=FAILED NumCPUs=1 Command=/y', 'physics'),
      'physics',
    ],
    ['a label with a line break', head('m\n', 'physics'), 'physics'],
    [
      'an account with a state',
      head('N/A', 'a QOS=q JobState=FAILED Command=/y'),
      'a QOS=q JobState=FAILED Command=/y',
    ],
    ['an account with a line break', head('N/A', 'a\nb'), 'a\nb'],
  ])('%s does not change or hide a job, and is reported', (_, text, account) => {
    const { jobs, problems } = recordsIn(text, new Map([[1467080, { ...ann, account }]]));
    expect(jobs).toMatchObject([known]);
    if (problems.length === 0) expect(jobs).toMatchObject([{ requested_cpus: 8 }]);
    else
      expect(problems).toEqual([
        'scontrol printed a text of the user of job 1467080 where it prints fields, and the record is not used',
      ]);
  });

  test.each([
    ['a comment with a state', head('N/A', 'physics', ' Comment=x JobState=COMPLETED')],
    ['a label of the site', head('secret', 'physics')],
    ['another id before the name', head('N/A', 'physics').replace(' JobName', ' SLUID=sAKNM8HTYPFQ00 JobName')],
  ])('%s is read past', (_, text) => {
    expect(recordsIn(text)).toMatchObject({ jobs: [{ ...known, requested_cpus: 8 }], problems: [] });
  });

  it('a job that scontrol did not show yet has what squeue says of it', () => {
    expect(recordsIn('')).toMatchObject({ jobs: [{ ...known, submit_time: '2026-03-09T09:00:00' }], problems: [] });
  });

  it('a job has its fields, and the estimated end of a running job is left out', () => {
    expect(jobsIn(line())).toMatchObject([
      {
        job_id: 1467080,
        array_job_id: 1467073,
        array_task_id: 3,
        job_name: 'a b c',
        user_name: 'ann',
        time_limit: 86_402,
        start_time: '2026-03-09T10:00:00',
        end_time: undefined,
        nodes: ['c1-[1-2]'],
        requested_resources: 'cpu=8,mem=4G,node=2',
        allocated_resources: '',
      },
    ]);
  });

  it('the estimated start of a job that waits is left out, and of an array rest the index', () => {
    const text = line().replace('RUNNING', 'PENDING').replace('ArrayTaskId=3', 'ArrayTaskId=5-7');
    const [job] = jobsIn(text);
    expect(job?.start_time).toBeUndefined();
    expect(job).not.toHaveProperty('array_task_id');
  });

  it('the resources that jobs asked for stand in ReqTRES, and in TRES of older releases', () => {
    const asked = (text: string) => resourcesOfShown({ text: ` ${text}` });
    expect([line(), 'TRES=cpu=8,gres/gpu=2', 'ReqTRES=(null)'].map(asked)).toEqual([
      'cpu=8,mem=4G,node=2',
      'cpu=8,gres/gpu=2',
      '',
    ]);
  });
});

describe('what is reported of jobs', () => {
  const pending: SonarSlurmJob = {
    job_id: 1,
    job_step: '',
    job_name: 'n',
    job_state: 'PENDING',
    user_name: 'ann',
    submit_time: '2026-03-09T09:00:00',
    priority: 12,
  };
  const running: SonarSlurmJob = { ...pending, job_state: 'RUNNING', nodes: ['c1'], sacct: { ElapsedRaw: 5 } };
  const done: SonarSlurmJob = { ...running, job_state: 'COMPLETED', exit_code: 3, sacct: { ElapsedRaw: 9 } };
  const HOUR = 3_600_000;
  /** The records of consecutive reads, an hour apart. */
  const reported = (...reads: (readonly SonarSlurmJob[])[]) => {
    let before = {};
    return reads.map((jobs, at) => {
      const { news, reported: next } = newsOf(jobs, before, at * HOUR);
      // As a file keeps it.
      before = JSON.parse(JSON.stringify(next));
      return news;
    });
  };
  /** Members of every record, beside its state. */
  const always = { job_id: 1, job_step: '', job_name: 'n', submit_time: '2026-03-09T09:00:00' };

  it('a job is reported once for each of its states, with the fields that are new', () => {
    const longer = { ...running, sacct: { ElapsedRaw: 7 } };
    expect(reported([pending], [pending], [running], [longer], [done], [done])).toEqual([
      [pending],
      [],
      [{ ...always, job_state: 'RUNNING', nodes: ['c1'], sacct: { ElapsedRaw: 5 } }],
      [],
      [{ ...always, job_state: 'COMPLETED', exit_code: 3, sacct: { ElapsedRaw: 9 } }],
      [],
    ]);
  });

  it('a changed field, and accounting that comes late, are reported with what every record has', () => {
    const late = { ...done, sacct: { ElapsedRaw: 9, MaxRSS: 70 } };
    expect(reported([pending], [{ ...pending, priority: 13 }], [done], [late])).toEqual([
      [pending],
      [{ ...always, job_state: 'PENDING', priority: 13 }],
      [expect.objectContaining({ job_state: 'COMPLETED' })],
      [{ ...always, job_state: 'COMPLETED', sacct: { ElapsedRaw: 9, MaxRSS: 70 } }],
    ]);
  });

  it('a job that is put back into the queue is reported as waiting, and its next run again', () => {
    expect(reported([running], [pending], [running]).map((news) => news.map(({ job_state: state }) => state))).toEqual([
      ['RUNNING'],
      ['PENDING'],
      ['RUNNING'],
    ]);
    expect(reported([running], [pending], [running])[2]).toMatchObject([{ nodes: ['c1'] }]);
  });

  it('all fields are reported again after a day', () => {
    const reads = Array.from({ length: 26 }, () => [running]);
    const counts = reported(...reads).map((news) => news.length);
    expect(counts.flatMap((count, at) => (count === 0 ? [] : [at]))).toEqual([0, 24]);
    expect(reported(...reads)[24]).toEqual([running]);
  });

  it('a step and its job have records of their own', () => {
    const step = { ...running, job_step: '0' };
    expect(reported([running, step], [running, step])).toEqual([[running, step], []]);
  });

  it('records are divided into batches of one time, and without records there is one empty envelope', () => {
    const origin = { cluster: 'c', node: 'n' };
    const sizes = (count: number, batch?: number) =>
      messagesOf(
        Array.from({ length: count }, () => pending),
        origin,
        0,
        batch,
      ).map(({ envelope }) => {
        const { slurm_jobs: jobs = [] } = (envelope.data?.attributes ?? {}) as { slurm_jobs?: unknown[] };
        return jobs.length;
      });
    expect([sizes(5, 2), sizes(4, 2), sizes(0, 2), sizes(5)]).toEqual([[2, 2, 1], [2, 2], [0], [5]]);
  });
});

describe('the cluster in what sinfo prints', () => {
  it('partitions have their nodes, the default one loses its star, and one may be empty', () => {
    expect(parsePartitions('normal*|c1-[5-28]|\nbig|b-[1-2],c1-29|\nempty||\n')).toEqual([
      { name: 'normal', nodes: ['c1-[5-28]'] },
      { name: 'big', nodes: ['b-[1-2]', 'c1-29'] },
      { name: 'empty', nodes: [] },
    ]);
  });

  it('a banner that a sinfo of the site prints before its lines is neither a partition nor a node', () => {
    const banner = 'Welcome to Example\n*** maintenance | on Monday | 9:00 ***\n|---|\n| a |\n\n';
    expect(parsePartitions(`${banner}normal*  |c1-[5-28]  |\n`)).toEqual([{ name: 'normal', nodes: ['c1-[5-28]'] }]);
    expect(parseNodeStates(`${banner}n1|idle|\n`)).toEqual([{ names: ['n1'], states: ['IDLE'] }]);
  });

  it('nodes have all their states, in upper case and without marks', () => {
    expect(parseNodeStates('g-[1,3]|mixed+drain|\nn1|down*+drain+not_responding|\n|idle|\n')).toEqual([
      { names: ['g-[1,3]'], states: ['MIXED', 'DRAIN'] },
      { names: ['n1'], states: ['DOWN', 'DRAIN', 'NOT_RESPONDING'] },
    ]);
  });
});

/** Captures of real clusters, and what Sonar made of them. They are not part of the project. */
const corpus = process.env['SONAR_CORPUS'] ?? '';
const missing = existsSync(`${corpus}/slurm-capture`) ? '' : ' (skipped: SONAR_CORPUS names no folder with captures)';

describe.skipIf(missing !== '')(`captures of real clusters${missing}`, () => {
  const read = (name: string) => readFileSync(`${corpus}/slurm-capture/${name}`, 'utf8');
  const attributesIn = (name: string) => (JSON.parse(read(name)) as { data: { attributes: Json } }).data.attributes;
  type Json = Record<string, unknown>;

  it('the jobs are those that Sonar reports, except for its known defects', () => {
    // The capture was read with the zone UTC+2.
    const local = (text: string) => (utcMs(text) === undefined ? undefined : `${text}+02:00`);
    const ours = parseSacct(read('sacct_output.txt'), { timeOf: local, separator: '|', onProblem() {} });
    const text = encodeAttributes('job', { time: '', slurm_jobs: ours });
    const jobs = (JSON.parse(text) as { slurm_jobs: Json[] }).slurm_jobs;
    const theirs = attributesIn('sonar_sacct_output.txt')['slurm_jobs'] as Json[];
    expect(jobs).toHaveLength(theirs.length);
    jobs.forEach((job, at) => {
      const other = theirs[at] as Json;
      expect(withoutDefects(job)).toEqual(withoutDefects(other));
      for (const name of CPU_TIMES) {
        const [mine = 0, lost = 0] = [job, other].map((each) => (each['sacct'] as Record<string, number>)?.[name]);
        expect([name, mine - lost >= 0, mine - lost <= 60]).toEqual([name, true, true]);
      }
    });
  });

  /** Sonar loses the seconds of a time with a fraction. */
  const CPU_TIMES = ['SystemCPU', 'UserCPU', 'MinCPU', 'AveCPU'];

  /** Two more defects of Sonar: the tail of a state stays, and a step has the layout Unknown. */
  function withoutDefects(job: Json): Json {
    const sacct = Object.entries((job['sacct'] ?? {}) as Json).filter(([name]) => !CPU_TIMES.includes(name));
    const { distribution, ...rest } = job;
    return {
      ...rest,
      job_state: String(job['job_state']).split(' ')[0],
      ...(distribution === 'Unknown' || distribution === undefined ? {} : { distribution }),
      sacct: Object.fromEntries(sacct),
    };
  }

  it('partitions and states of nodes are those that Sonar reports', () => {
    const { partitions, nodes } = attributesIn('sonar_sinfo_output.txt');
    expect(parsePartitions(read('partition_output.txt'))).toEqual(partitions);
    expect(parseNodeStates(read('node_output.txt'))).toEqual(nodes);
  });

  it('requested resources are read from captures of two releases', () => {
    for (const name of ['scontrol_resource1.txt', 'scontrol_resource2.txt'])
      for (const text of read(name).trim().split('\n')) expect(resourcesOfShown({ text })).toMatch(/cpu=|^$/);
  });
});
