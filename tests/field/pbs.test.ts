import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { pbsPartsOf } from '../../src/cluster/pbs/allocation.ts';
import { parseDsv } from '../../src/cluster/pbs/dsv.ts';
import type { AskPbs, PbsAnswer } from '../../src/cluster/pbs/programs.ts';
import { openQstat } from '../../src/cluster/pbs/qstat.ts';
import { submitPbsScript } from '../../src/cluster/pbs/qsub.ts';
import { pbsStateOf, pbsWordOf } from '../../src/cluster/pbs/states.ts';
import { convertArray } from '../../src/convert/array/convert.ts';
import { noteText } from '../../src/convert/conversion.ts';
import { pbsArrays } from '../../src/convert/pbs-array/convert.ts';
import { temporaryFolder } from '../support/programs.ts';

/** Public reports of people whose programs submit to PBS, and what happens here. */
const always =
  (answer: Partial<PbsAnswer>, calls: (readonly string[])[] = []): AskPbs =>
  async (_, args) => {
    calls.push(args);
    return { code: 0, stdout: '', stderr: '', ...answer };
  };
const line = (id: string, fields: string) => `Job Id: ${id}|${fields}\n`;
const words = async (ask: AskPbs, jobs: readonly number[], own?: string) =>
  [...(await openQstat(ask, own).jobs(jobs))].map(([job, record]) => [job, pbsWordOf(record)]);

describe('how jobs stand', () => {
  test.each([
    ['balsam 324, a backslash', String.raw`Variable_List=A=c:\\new`, 'A=c:\\new'],
    ['openpbs 1255, digits that are no number', 'Variable_List=A=005', 'A=005'],
    ['openpbs 2049, quotes of both kinds', String.raw`Variable_List=A=\\'\\"asads`, String.raw`A=\'\"asads`],
  ])('%s in a variable is text, where JSON of PBS cannot be read', (_, fields, value) => {
    const [job] = parseDsv('job', line('12.pbs', `${fields}|job_state=R`));
    expect([job?.fields.get('Variable_List'), job?.fields.get('job_state')]).toEqual([value, 'R']);
  });

  it('Parsl 3906 and 4016, exit code 35: an ended job is asked for with -x, and found', async () => {
    const calls: (readonly string[])[] = [];
    const ended = line(
      '5487654.polaris-pbs-01.hsn.cm.polaris.alcf.anl.gov',
      'job_state=F|substate=92|Exit_status=0|stime=x',
    );
    const own = '1.polaris-pbs-01.hsn.cm.polaris.alcf.anl.gov';
    expect(await words(always({ stdout: ended }, calls), [5_487_654], own)).toEqual([[5_487_654, 'COMPLETED']]);
    expect(calls[0]?.slice(0, 4)).toEqual(['-x', '-f', '-F', 'dsv']);
  });

  it('ReFrame 1930, four jobs that have ended: their exit code 35 is an answer, and no error', async () => {
    const stderr = [1015, 1016, 1017, 1018]
      .map((id) => `qstat: ${id}.sch1 Job has finished, use -x or -H to obtain historical job information\n`)
      .join('');
    expect(await words(always({ code: 35, stderr }), [1015, 1016, 1017, 1018], '1.sch1')).toEqual([]);
  });

  it('ReFrame 1930, a server without a history: the jobs that run are asked for again without -x', async () => {
    const ask: AskPbs = async (_, args) =>
      args.includes('-x')
        ? { code: 0, stdout: '', stderr: 'qstat: PBS is not configured to maintain job history 7.sch1\n' }
        : { code: 0, stdout: line('7.sch1', 'job_state=R'), stderr: '' };
    expect(await words(ask, [7], '1.sch1')).toEqual([[7, 'RUNNING']]);
  });

  test.each([
    [
      'Parsl 3793, a qstat that fails',
      { code: 1, stderr: 'qstat: cannot connect to server aurora-pbs (errno=15010)\n' },
    ],
    ['Parsl 1290, no output and a failure', { code: 255, stderr: '' }],
    [
      'baw-server 877, an answer that was cut off',
      { code: 183, stderr: 'qstat: Premature end of message 15458627.aqua\n' },
    ],
  ])('%s: nothing is concluded, and no job counts as ended', async (_, answer) => {
    await expect(words(always(answer), [7], '1.aqua')).rejects.toThrow('qstat');
  });

  it('qtoolkit 57 and payu 865, one unknown job beside another: the known one is read at once', async () => {
    const answer = {
      code: 153,
      stdout: line('7.gadi-pbs', 'job_state=R'),
      stderr: 'qstat: Unknown Job Id 8.gadi-pbs\n',
    };
    const calls: (readonly string[])[] = [];
    expect(await words(always(answer, calls), [7, 8], '1.gadi-pbs')).toEqual([[7, 'RUNNING']]);
    expect(calls).toHaveLength(1);
  });

  it('Parsl 2408 and Nextflow 2978, long names of servers: no table is read, which shortens them', async () => {
    const server = 'Server: cerit-pbs.cerit-sc.cz|server_state=Active\n';
    const calls: (readonly string[])[] = [];
    const qstat = openQstat(always({ stdout: server }, calls), undefined);
    expect(await qstat.ids([12])).toEqual(['12.cerit-pbs.cerit-sc.cz']);
    expect(calls).toEqual([['-B', '-f', '-F', 'dsv']]);
  });

  test.each([
    ['F', 'ended'],
    ['X', 'ended'],
    ['U', 'running'],
    ['E', 'running'],
    ['T', 'unknown'],
    ['M', 'unknown'],
  ])('Parsl 4085, qtop 219 and Nextflow 1840: the state %s is %s', (letter, state) => {
    expect(pbsStateOf(letter)).toBe(state);
  });

  it('ERT 7368, calls that are too heavy: only the own jobs are asked for, at most 200 in a call', async () => {
    const calls: (readonly string[])[] = [];
    await openQstat(always({}, calls), '1.pbs').jobs(Array.from({ length: 450 }, (_, at) => at + 1));
    expect(calls.map((args) => args.filter((word) => word.endsWith('.pbs')).length)).toEqual([200, 200, 50]);
  });

  it('openpbs 2677, a limit that is there three times: the queue is read all the same', () => {
    const [queue] = parseDsv('queue', 'Queue: a|max_queued=[o:PBS_ALL=10]|max_queued=[u:PBS_GENERIC=2]|enabled=True\n');
    expect([queue?.id, queue?.fields.get('enabled')]).toEqual(['a', 'True']);
  });
});

describe('what qsub answers', () => {
  const submit = async (answer: Partial<PbsAnswer>) => {
    const script = join(temporaryFolder(), 'a_b.sh');
    writeFileSync(script, '#!/bin/bash\n#PBS -N a\n\ntrue\n');
    return submitPbsScript(always(answer), {}, script).catch((error: { kind?: string }) => error.kind);
  };
  test.each([
    ['openpbs 2623, Connection refused', { code: 162, stderr: 'qsub: Connection refused\n' }, 'away'],
    ['openpbs 2623, Invalid Credential', { code: 171, stderr: 'qsub: Invalid credential\n' }, 'away'],
    ['openpbs 2623, Premature end of message', { code: 183, stderr: 'qsub: Premature end of message\n' }, 'unclear'],
    ['Nextflow 753, no id in the answer', { stdout: 'This job will be charged to account m\n' }, 'unclear'],
    ['Nextflow 753, lines before the id', { stdout: 'This job will be charged to account m\n12.pbs\n' }, 12],
    [
      'dask-jobqueue 99, resources that the site does not know',
      { code: 32, stderr: 'qsub: submit error\n' },
      'refused',
    ],
  ])('%s', async (_, answer, end) => expect(await submit(answer)).toBe(end));
});

describe('arrays of others', () => {
  const converted = (directives: readonly string[]) =>
    convertArray(
      {
        text: ['#!/bin/bash', ...directives.map((each) => `#PBS ${each}`), 'cd $PBS_O_WORKDIR', 'true', ''].join('\n'),
        path: 'a.pbs',
      },
      pbsArrays,
    );

  it('Nextflow 5218, -t is of Torque and -J of PBS: a script with the one is not taken for one with the other', () => {
    expect(() => converted(['-t 1-3'])).toThrow(/there is no line #PBS -J.*--array 1-10/);
    expect(converted(['-t 1-3', '-J 1-3']).notes.map(noteText)).toContain(
      'a.pbs:2: left out: -t 1-3: the converter does not know this option',
    );
  });

  it('HyperQueue 974, nodes that are asked for by name: their number is kept, and the report says that their names are not', () => {
    const { workflow, notes } = converted(['-J 1-3', '-l nodes=csed-0021+csed-0022']);
    expect(workflow['resource_requirements']).toMatchObject([{ num_nodes: 2, num_cpus: 1 }]);
    expect(notes.map(noteText).join('\n')).toMatch(/-l nodes=csed-0021\+csed-0022: jobs run on any node/);
  });
});

describe('jobs of several nodes', () => {
  const parts = (lines: readonly string[], nodes: number) => {
    const file = join(temporaryFolder(), 'nodes');
    writeFileSync(file, lines.map((each) => `${each}\n`).join(''));
    return pbsPartsOf({ nodes, nodeId: 0 }, { PBS_NODEFILE: file, TORC_PBS_SCRIPT: '/s.sh' });
  };

  it('RADICAL-EnTK 639 and Parsl 2905, an MPI job of two nodes on Polaris: its node file has two of the nodes, and no other job has them', () => {
    const all = ['x3001c0s13b0n0', 'x3001c0s13b1n0', 'x3001c0s1b0n0', 'x3001c0s1b1n0'];
    const [first, second] = [all.slice(0, 2), all.slice(2)].map((part) => parts(all, 4)?.fileOf(part).text.split('\n'));
    expect(first).toEqual([...all.slice(0, 2), '']);
    expect(second?.filter((node) => node !== '' && first?.includes(node))).toEqual([]);
  });

  it('TACC launcher 53, processes of a node are counted in the node file: a part keeps a line for each', () => {
    const nodes = ['atl1-1-02-014-20-r', 'atl1-1-02-010-29-r'];
    const lines = nodes.flatMap((node) => Array.from({ length: 4 }, () => node));
    expect(parts(lines, 2)?.fileOf(nodes.slice(1)).text).toBe(`${nodes[1]}\n`.repeat(4));
  });

  it('HyperQueue 30 and 410, workers on the first node alone: a program is started on each other node with the script around it', () => {
    expect(parts(['n1', 'n2'], 2)?.wordsOn?.('n2', ['torc', 'step-launcher'])).toEqual([
      'pbs_tmrsh',
      'n2',
      '/bin/bash',
      '/s.sh',
      'on',
      'torc',
      'step-launcher',
    ]);
  });
});

it.each([
  ['suspended', 'job_state=S|substate=45|comment=Not Running: Not enough free nodes available', 'SUSPENDED'],
  ['requeued', 'job_state=Q|substate=10|Exit_status=-11|run_count=1|comment=Not Running: x', 'PENDING'],
  [
    'deleted',
    'job_state=F|substate=91|Exit_status=271|stime=x|comment=Job run at x and terminated by Scheduler@localhost',
    'PREEMPTED',
  ],
])('ReFrame 3608, a preempted job that counted as completed: one that PBS %s is not', (_, fields, word) => {
  const [job] = parseDsv('job', line('12.pbs', fields));
  expect(job && pbsWordOf(job)).toBe(word);
});
