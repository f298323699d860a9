import { describe, expect, it, test } from 'vitest';
import { testedByPbs } from '../../src/cluster/pbs/can-run.ts';
import { parseDsv, type PbsRecord } from '../../src/cluster/pbs/dsv.ts';
import { pbsPartitions } from '../../src/cluster/pbs/partitions.ts';
import { pbsRequest } from '../../src/cluster/pbs/request.ts';
import { directivesIn, pbsScript } from '../../src/cluster/pbs/submission-script.ts';
import { choosePartition } from '../../src/hpc/choose-partition.ts';
import { partition } from '../../src/hpc/profile.ts';

/** Public reports of people whose programs asked PBS in the wrong form, or for what a queue does not give. */
const planned = {
  name: 's',
  account: '',
  mem: '512000m',
  nodes: 1,
  walltime: '12:00:00',
  partition: 'normalsr',
  qos: undefined,
  gres: undefined,
  tmp: undefined,
  extra: '--cpus-per-task=104',
  on: partition({ name: 'normalsr', cpus_per_node: 104, memory_mb: 512_000, max_walltime_secs: 172_800 }),
};
const runner = { url: 'http://host:1', workflowId: 1, outputDir: '/out', pollIntervalSeconds: 30 };
const script = (scheduler: Partial<Parameters<typeof pbsScript>[0]['scheduler']>) =>
  pbsScript({
    jobName: 'j',
    scheduler: { account: '', nodes: 1, walltime: '01:00:00', pbs: {}, ...scheduler },
    defaults: {},
    runner,
  });
/** The resources that qsub is asked for. */
const resources = (text: string) => {
  const words = directivesIn(text);
  return words.flatMap((word, at) => (words[at - 1] === '-l' ? [word] : []));
};
const asked = (over: Partial<typeof planned>, site: Parameters<typeof pbsRequest>[1]) =>
  resources(script(pbsRequest({ ...planned, ...over }, site)));

describe('the form in which a site is asked', () => {
  it('HyperQueue 805 and Climate-REF 358, a site that does not support select: CPUs and memory by themselves, and storage', () => {
    const site = { resources: ['ncpus={cpus}', 'mem={memory}'], options: '-P na1 -l storage=scratch/wq2+gdata/gp58' };
    expect(asked({}, site)).toEqual([
      'walltime=12:00:00',
      'storage=scratch/wq2+gdata/gp58',
      'ncpus=104',
      'mem=512000mb',
    ]);
  });

  it('dask-jobqueue 99 and Caper 91, a site of the older form: nodes and ppn', () => {
    expect(asked({ nodes: 4 }, { resources: ['nodes={nodes}:ppn={cpus}', 'mem={memory}'] })).toEqual([
      'walltime=12:00:00',
      'nodes=4:ppn=104',
      // That of the job: each node has a quarter.
      'mem=2048000mb',
    ]);
  });

  it('VisIt 1272 and Canu 492, a site that refuses nodes: chunks, where nothing else is said', () => {
    expect(asked({}, {})[0]).toBe('select=1:ncpus=104:mem=512000mb');
  });

  it('PSI/J 434, every request was one chunk of one CPU: nodes and CPUs are those of the plan', () => {
    expect(asked({ nodes: 2 }, {})).toEqual(['select=2:ncpus=104:mem=512000mb', 'place=scatter', 'walltime=12:00:00']);
  });

  it('Climate-REF 451, options of one site on another: what is not said is not asked for', () => {
    expect(asked({}, {}).join(' ')).not.toMatch(/storage|jobfs|filesystems/);
  });

  test.each([
    ['Parsl 2220, a select of the user', '-l select=1:ncpus=32:ngpus=1', ['select=1:ncpus=32:ngpus=1']],
    [
      'Nextflow 3015, resources of the user',
      '-l walltime=02:00:00,ncpus=8,mem=4gb',
      ['walltime=02:00:00,ncpus=8,mem=4gb'],
    ],
    ['HyperQueue 974, nodes by their names', '-l nodes=csed-0021+csed-0022', ['nodes=csed-0021+csed-0022']],
  ])('%s: it is the only request for nodes', (_, extra, found) => {
    expect(resources(script({ extra }))).toEqual(['walltime=01:00:00', ...found]);
  });
});

describe('what a queue gives', () => {
  const nodes = parseDsv('node', 'Name=n1|resources_available.ncpus=24|resources_available.mem=96gb\n');
  const server = parseDsv('server', 'Server: pbs|default_queue=all\n')[0] as PbsRecord;
  const queues = parseDsv(
    'queue',
    [
      'Queue: all|queue_type=Execution|resources_max.walltime=24:59:59|enabled=True|started=True',
      'Queue: long|queue_type=Execution|enabled=True|started=True',
      'Queue: active|queue_type=Execution|acl_group_enable=True|acl_groups=cbio|enabled=True|started=True',
      '',
    ].join('\n'),
  );
  const cluster = { nodes, server, queues, user: { name: 'u0', group: 'c009' } };

  test.each([
    ['HyperQueue 174, no such queue', { partition: 'qexpress' }, 'there is no queue qexpress'],
    ['HyperQueue 251, a time above that of the queue', { walltime: '48:00:00' }, 'queue all has a limit of 24:59:59'],
    [
      'cBio 83 and Intel DevCloud 10, a group that is not let in',
      { partition: 'active' },
      'of these groups only: cbio',
    ],
  ])('%s: that is said before anything is submitted', (_, scheduler, words) => {
    expect(testedByPbs(script(scheduler), cluster)).toMatchObject({
      isFinal: true,
      words: expect.stringContaining(words),
    });
  });

  it('Pydpiper 234, jobs that need more time than the default queue gives: another queue is planned', () => {
    const needs = { cpus: 4, memoryMb: 1000, gpus: 0 };
    const on = (hours: number) =>
      choosePartition(
        pbsPartitions(cluster).filter(({ refusal }) => refusal === undefined),
        { ...needs, walltimeSeconds: hours * 3600 },
      )?.name;
    expect([on(24), on(48)]).toEqual(['all', 'long']);
  });
});
