import { beforeAll, describe, expect, it } from 'vitest';
import { unchangedCompat } from '../../src/core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../../src/core/contract/sonar/encode.ts';
import type { Envelope, MessageType } from '../../src/core/contract/sonar/envelope.ts';
import { formatTimestamp } from '../../src/core/contract/sonar/timestamp.ts';
import { EnvelopeReader } from '../../src/telemetry/format/envelope-reader.ts';
import { answerV2, servedPaths } from '../../src/telemetry/questions/v2/api-v2.ts';
import { EmbeddedStore } from '../../src/telemetry/store/embedded/embedded-store.ts';

/** 2026-03-01T00:00:00Z. */
const START = 1_772_323_200;
const NOW = START + 3600;
const at = (seconds: number): string => formatTimestamp(START + seconds);

const message = (type: MessageType, attributes: object, version = '0.19.0'): string =>
  encodeEnvelope(
    { meta: { producer: 'sonar', version }, data: { type, attributes: { cluster: 'fox', ...attributes } } } as Envelope,
    unchangedCompat,
  );

const sampleAt = (seconds: number, node: string, more: object, version?: string): string =>
  message('sample', { time: at(seconds), node, ...more }, version);

const diskOf = (reads: number) => ({ name: 'sda', major: 8, minor: 1, stats: [reads, 1, 8 * reads, 5, 0, 0, 0, 0, 3] });
const card = {
  index: 1,
  uuid: 'GPU-A',
  compute_mode: 'Default',
  performance_state: 3,
  power_limit: 300,
  temperature: 40,
};
const process = (pid: number, more: object) => ({ pid, ppid: 1, cmd: `p${pid}`, ...more });

/** Two nodes, Slurm jobs 7 (two nodes) and 8, a job outside of Slurm, and a node that only Slurm knows. */
const messages = [
  message('sysinfo', {
    time: at(0),
    node: 'n1.fox',
    sockets: 2,
    cores_per_socket: 4,
    threads_per_core: 2,
    memory: 10_000,
    topo_svg: Buffer.from('<svg/>').toString('base64'),
    cards: [{ index: 1, uuid: 'GPU-A', memory: 1000 }],
  }),
  message('sysinfo', {
    time: at(0),
    node: 'n2.fox',
    sockets: 1,
    cores_per_socket: 4,
    threads_per_core: 1,
    memory: 5000,
  }),
  message('cluster', {
    time: at(0),
    slurm: true,
    partitions: [{ name: 'normal', nodes: ['n[1-3]'] }],
    nodes: [{ names: ['n[1-3]'], states: ['MIXED'] }],
  }),
  message('job', {
    time: at(600),
    slurm_jobs: [
      {
        job_id: 7,
        job_state: 'RUNNING',
        job_name: 'fit',
        user_name: 'ada',
        account: 'a1',
        partition: 'normal',
        submit_time: at(-100),
        start_time: at(0),
        time_limit: 3602,
        nodes: ['n[1-2]'],
        requested_cpus: 4,
        requested_memory_per_node: 2048,
        requested_resources: 'cpu=4,gres/gpu=2',
        array_job_id: 5,
        sacct: { UserCPU: 30, MaxRSS: 2000, AllocTRES: 'cpu=4,gres/gpu=2,node=2' },
      },
      { job_id: 7, job_step: '0', job_state: 'RUNNING' },
      {
        job_id: 8,
        job_state: 'PENDING',
        user_name: 'bob',
        partition: 'normal,gpu',
        submit_time: at(-50),
        time_limit: 1,
      },
      {
        job_id: 6,
        job_state: 'FAILED',
        user_name: 'bob',
        partition: 'normal',
        submit_time: at(-9000),
        start_time: at(-8000),
        end_time: at(-7000),
        exit_code: 3,
      },
    ],
  }),
  // Two samples in the first ten minutes of n1, and one in the second.
  ...[0, 300, 600].flatMap((seconds, sample) => [
    sampleAt(seconds, 'n1.fox', {
      system: {
        cpus: [seconds],
        disks: [diskOf(100 * sample)],
        gpus: [{ ...card, ce_util: 10 * sample, memory: 100 * sample, failing: sample === 1 ? 2 : 0 }],
      },
      jobs: [
        {
          job: 7,
          user: 'ada',
          processes: [
            process(10, { resident_memory: 1000, virtual_memory: 3000, cpu_util: 50, cpu_avg: 40, cpu_time: seconds }),
            process(11, {
              ppid: 10,
              resident_memory: 1000 * sample,
              num_threads: 3,
              data_read: 7,
              cpu_util: 10,
              gpus: [{ index: 1, uuid: 'GPU-A', gpu_util: 20 * sample, gpu_memory: 500, gpu_memory_util: 5 }],
            }),
          ],
        },
        { job: 7, user: 'bob', epoch: 3, processes: [process(90, { resident_memory: 500 })] },
      ],
    }),
  ]),
  sampleAt(
    300,
    'n2.fox',
    { jobs: [{ job: 7, user: 'ada', processes: [process(20, { cpu_util: 0.5, rolledup: 2 })] }] },
    '0.15.0',
  ),
  sampleAt(600, 'n2.fox', { jobs: [] }),
  message('cluster', { time: at(0), cluster: 'calm', slurm: true, partitions: [{ name: 'quiet' }], nodes: [] }),
];

let store: EmbeddedStore;
beforeAll(async () => {
  store = new EmbeddedStore(':memory:');
  await store.addCluster('fox', 0);
  await store.addCluster('empty', 0);
  await store.addCluster('calm', 0);
  const reader = new EnvelopeReader();
  const records = [...reader.push(Buffer.from(messages.join('\n'))), ...reader.end()];
  const results = await store.ingestEach(records, { received: NOW, origin: 'test' });
  expect(new Set(results)).toEqual(new Set(['stored']));
});

const RANGE = `start_time_in_s=${START}&end_time_in_s=${START + 900}`;

async function get(path: string, { onlyUser }: { onlyUser?: string } = {}) {
  const [asked = '', query = ''] = path.split('?');
  const task = {
    kind: 'ask v2',
    path: asked,
    parameters: Object.fromEntries(new URLSearchParams(query)),
    onlyUser,
  } as const;
  const { status, text, type } = await answerV2(store, task, NOW);
  return { status, body: type === undefined ? (JSON.parse(text) as unknown) : text };
}

async function bodyOf(path: string, who?: { onlyUser?: string }): Promise<unknown> {
  const { status, body } = await get(path, who);
  expect({ path, status, body: status === 200 ? undefined : body }).toEqual({ path, status: 200 });
  return body;
}

describe('series of nodes', () => {
  it('CPU and memory of a node are sums over its processes, averaged over the samples of each interval', async () => {
    for (const what of ['cpu', 'memory'])
      expect(await bodyOf(`cluster/fox/nodes/n1/${what}/timeseries?${RANGE}&resolution_in_s=600`)).toEqual({
        'n1.fox': [
          {
            time: at(0),
            memory_resident: 2000,
            memory_virtual: 3000,
            memory_util: 20,
            cpu_avg: 40,
            cpu_util: 60,
            cpu_time: 150,
            processes_avg: 3,
          },
          {
            time: at(600),
            memory_resident: 3500,
            memory_virtual: 3000,
            memory_util: 35,
            cpu_avg: 40,
            cpu_util: 60,
            cpu_time: 600,
            processes_avg: 3,
          },
        ],
      });
  });

  it('of all nodes, an idle one has zeros, an unsampled one has an empty series, and rolled-up processes count', async () => {
    const series = (await bodyOf(`cluster/fox/nodes/cpu/timeseries?${RANGE}&resolution_in_s=300`)) as Record<
      string,
      unknown
    >;
    expect(Object.keys(series)).toEqual(['n1.fox', 'n2.fox', 'n3']);
    expect(series['n3']).toEqual([]);
    // Sonar 0.15 wrote fractions.
    expect(series['n2.fox']).toMatchObject([
      { time: at(300), cpu_util: 50, processes_avg: 3 },
      { time: at(600), cpu_util: 0, processes_avg: 0 },
    ]);
    expect(await bodyOf(`cluster/fox/nodes/memory/timeseries?${RANGE}&nodename=n2`)).toEqual({
      'n2.fox': series['n2.fox'],
    });
  });

  it('cards have averages of their figures, their latest words, and any failure of the interval', async () => {
    expect(await bodyOf(`cluster/fox/nodes/n1/gpu/timeseries?${RANGE}&resolution_in_s=600`)).toEqual({
      'n1.fox': [
        {
          uuid: 'GPU-A',
          index: 1,
          data: [
            {
              time: at(0),
              failing: 2,
              fan: 0,
              compute_mode: 'Default',
              performance_state: 2,
              memory: 50,
              memory_util: 0,
              memory_clock: 0,
              ce_util: 5,
              ce_clock: 0,
              temperature: 40,
              power: 0,
              power_limit: 300,
            },
            expect.objectContaining({ time: at(600), failing: 0, memory: 200, ce_util: 20 }),
          ],
        },
      ],
    });
    expect(await bodyOf(`cluster/fox/nodes/gpu/timeseries?${RANGE}`)).toMatchObject({ 'n2.fox': [], n3: [] });
  });

  it('disks have the rise of each counter, and over how many seconds', async () => {
    const series = (await bodyOf(`cluster/fox/nodes/n1/diskstats/timeseries?${RANGE}&resolution_in_s=300`)) as Record<
      string,
      readonly { field_names: readonly string[]; data: readonly object[] }[]
    >;
    expect(series['n1.fox']).toMatchObject([
      {
        name: 'sda',
        major: 8,
        minor: 1,
        data: [
          { time: at(0), reads_completed: 0, delta_time_in_s: 0, ios_currently_in_progress: 3 },
          { time: at(300), reads_completed: 100, sectors_read: 800, reads_merged: 0, delta_time_in_s: 300 },
          { time: at(600), reads_completed: 100, ios_currently_in_progress: 3, delta_time_in_s: 300 },
        ],
      },
    ]);
    expect(series['n1.fox']?.[0]?.field_names).toHaveLength(17);
    expect(Object.keys((await bodyOf(`cluster/fox/nodes/diskstats/timeseries?${RANGE}`)) as object)).toHaveLength(3);
  });

  it('the use of cards by processes is shown by node, card and job', async () => {
    const job = { job: 7, epoch: 0 };
    const expected = {
      'n1.fox': {
        gpus: {
          'GPU-A': [
            {
              ...job,
              data: [
                { time: at(0), gpu_memory: 500, gpu_util: 10, gpu_memory_util: 5, pids: [11] },
                { time: at(600), gpu_memory: 500, gpu_util: 40, gpu_memory_util: 5, pids: [11] },
              ],
            },
          ],
        },
      },
    };
    const query = `${RANGE}&resolution_in_s=600`;
    for (const path of ['n1/process/gpu/timeseries', 'n1/jobs/7/process/gpu/timeseries'])
      expect(await bodyOf(`cluster/fox/nodes/${path}?${query}`)).toEqual(expected);
    expect(await bodyOf(`cluster/fox/nodes/process/gpu/timeseries?${query}&job_id=7`)).toEqual({
      ...expected,
      'n2.fox': { gpus: {} },
      n3: { gpus: {} },
    });
    expect(await bodyOf(`cluster/fox/nodes/n1/jobs/8/process/gpu/timeseries?${query}`)).toEqual({
      'n1.fox': { gpus: {} },
    });
    const latest = `reference_time_in_s=${START + 700}`;
    expect(await bodyOf(`cluster/fox/nodes/process/gpu/util?${latest}`)).toEqual({
      'n1.fox': { 'GPU-A': { time: at(600), gpu_memory: 500, gpu_util: 40, gpu_memory_util: 5, pids: [11] } },
      'n2.fox': {},
      n3: {},
    });
    expect(await bodyOf(`cluster/fox/nodes/n1/process/gpu/util?${latest}&window_in_s=400`)).toMatchObject({
      'n1.fox': { 'GPU-A': { gpu_util: 30 } },
    });
  });
});

describe('jobs', () => {
  const seven = {
    cluster: 'fox',
    job_id: 7,
    job_step: '',
    job_name: 'fit',
    job_state: 'RUNNING',
    array_job_id: 5,
    array_task_id: 0,
    user_name: 'ada',
    start_time: at(0),
    end_time: null,
    exit_code: null,
    time_limit: 3600,
    nodes: ['n1', 'n2'],
    sacct: { UserCPU: 30, MaxRSS: 2000, AveRSS: 0, AllocTRES: 'cpu=4,gres/gpu=2,node=2' },
  };
  const idsOf = (body: unknown): unknown[] =>
    (body as { jobs: { job_id: unknown }[] }).jobs.map(({ job_id }) => job_id);

  it('the list has the jobs that waited or ran within a time, without steps', async () => {
    const body = await bodyOf('cluster/fox/jobs');
    expect(idsOf(body)).toEqual([7, 8]);
    expect(body).toMatchObject({ jobs: [seven, { job_state: 'PENDING', time_limit: 0, nodes: null, sacct: null }] });
    expect(idsOf(await bodyOf('cluster/fox/jobs?states=pending,failed'))).toEqual([8]);
    const past = `start_time_in_s=${START - 8000}&end_time_in_s=${START - 6000}`;
    expect(idsOf(await bodyOf(`cluster/fox/jobs?${past}`))).toEqual([6]);
  });

  it('one job is shown with the cards that it used, under each of its paths', async () => {
    for (const path of ['7', '7/info', '7/epoch/0', '7/epoch/0/info'])
      expect(await bodyOf(`cluster/fox/jobs/${path}`)).toMatchObject({ ...seven, used_gpu_uuids: ['GPU-A'] });
    for (const path of ['9', '7/epoch/3', '7?epoch=3'])
      expect(await get(`cluster/fox/jobs/${path}`)).toMatchObject({
        status: 404,
        body: { error: { code: 'JOB_UNKNOWN' } },
      });
  });

  it('jobs are selected by each filter, and in pages', async () => {
    const found = async (query: string) => idsOf(await bodyOf(`cluster/fox/query/jobs?${query}`));
    expect(await found('')).toEqual([8, 7, 6]);
    expect(await found('user=bob')).toEqual([8, 6]);
    expect(await found('job_id=7')).toEqual([7]);
    expect(await found('states=RUNNING,FAILED')).toEqual([7, 6]);
    expect(await found(`submit_after_in_s=${START - 100}`)).toEqual([8, 7]);
    expect(await found(`submit_before_in_s=${START - 100}`)).toEqual([7, 6]);
    expect(await found(`start_after_in_s=${START}`)).toEqual([7]);
    expect(await found(`start_before_in_s=${START - 1}`)).toEqual([6]);
    expect(await found(`end_after_in_s=${START - 7000}`)).toEqual([6]);
    expect(await found(`end_before_in_s=${START - 7001}`)).toEqual([]);
    expect(await found('min_duration_in_s=1001')).toEqual([7]);
    expect(await found('max_duration_in_s=1000')).toEqual([6]);
    expect(await found('limit=2')).toEqual([8, 7]);
    const page = await bodyOf('cluster/fox/query/jobs/pages?page=2&page_size=2');
    expect(page).toMatchObject({ jobs: [{ job_id: 6 }], total: 3, page: 2, size: 2, pages: 2 });
    expect(await bodyOf('cluster/fox/query/jobs/pages?page=3&page_size=2&limit=3')).toMatchObject({
      jobs: [],
      total: 3,
    });
    expect(await get('cluster/fox/query/jobs?user_id=1000')).toMatchObject({
      status: 404,
      body: { error: { code: 'PARAMETER_UNSERVED' } },
    });
  });

  it('a job has series on each of its nodes, and one outside of Slurm with the same id is another job', async () => {
    const query = `${RANGE}&resolution_in_s=600`;
    const body = await bodyOf(`cluster/fox/jobs/7/process/timeseries?${query}`);
    expect(body).toMatchObject([
      {
        job: 7,
        epoch: 0,
        nodes: {
          'n1.fox': {
            cpu_memory: [
              { time: at(0), memory_resident: 1500, processes_avg: 2 },
              { time: at(600), memory_resident: 3000 },
            ],
            gpus: { 'GPU-A': [{ gpu_util: 10 }, { gpu_util: 40 }] },
          },
          'n2.fox': { cpu_memory: [{ time: at(0), processes_avg: 3 }], gpus: {} },
        },
      },
    ]);
    expect(await bodyOf(`cluster/fox/jobs/process/timeseries?${query}`)).toEqual(body);
    expect(await bodyOf(`cluster/fox/jobs/7/process/timeseries?${query}&epoch=3`)).toMatchObject([
      { job: 7, epoch: 3, nodes: { 'n1.fox': { cpu_memory: [{ memory_resident: 500 }, { memory_resident: 500 }] } } },
    ]);
    const onlyNode = (await bodyOf(`cluster/fox/jobs/7/process/timeseries?${query}&nodename=n2`)) as {
      nodes: object;
    }[];
    expect(Object.keys(onlyNode[0]?.nodes ?? {})).toEqual(['n2.fox']);
    const cards = [{ job: 7, epoch: 0, nodes: { 'n1.fox': { gpus: { 'GPU-A': [{ pids: [11] }, { pids: [11] }] } } } }];
    for (const path of ['jobs/7/process/gpu/timeseries', 'jobs/process/gpu/timeseries'])
      expect(await bodyOf(`cluster/fox/${path}?${query}`)).toMatchObject(cards);
  });

  it('the processes of a job are shown as a tree on each node', async () => {
    const tree = await bodyOf(`cluster/fox/jobs/7/process/tree?${RANGE}&resolution_in_s=900`);
    expect(tree).toMatchObject({
      job: 7,
      epoch: 0,
      nodes: {
        'n1.fox': {
          processes: {
            '10': { ppid: 1, user: 'ada', cmd: 'p10', data: [{ memory_resident: 1000, cpu_time: 300 }] },
            '11': { ppid: 10, data: [{ memory_resident: 1000, processes_avg: 1 }] },
          },
          relations: [{ relation_id: '10-11', source: 10, target: 11 }],
          metadata: { total_processes: 2, start_time: START, end_time: START + 600, root_pid: 10, max_depth: 1 },
        },
        'n2.fox': { relations: [], metadata: { total_processes: 1, root_pid: 20, max_depth: 0 } },
      },
    });
  });

  it('the report of a job has the least, the greatest, the mean and the spread of each figure', async () => {
    expect(await bodyOf('cluster/fox/jobs/7/report')).toMatchObject({
      // 1000, 2000 and 3000 on one node, 0 on the other.
      resident_memory: { min: 0, max: 3000, mean: 1500, stddev: 1118.034 },
      cpu_util: { min: 50, max: 60, mean: 57.5 },
      num_threads: { min: 0, max: 3 },
      data_read: { max: 7 },
      requested_cpus: 4,
      requested_memory_per_node: 2048,
      requested_gpus: 2,
      used_gpu_uuids: ['GPU-A'],
      nodes: ['n1.fox', 'n2.fox'],
      warnings: [],
    });
    expect(await bodyOf('cluster/fox/jobs/6/report')).toMatchObject({
      resident_memory: {},
      nodes: [],
      warnings: ['there are no samples of this job'],
    });
  });

  it('who may see only his own jobs sees the totals of nodes and nothing of other users', async () => {
    const bob = { onlyUser: 'bob' };
    expect(idsOf(await bodyOf('cluster/fox/jobs', bob))).toEqual([8]);
    expect(idsOf(await bodyOf('cluster/fox/query/jobs', bob))).toEqual([8, 6]);
    expect(idsOf(await bodyOf('cluster/fox/query/jobs?user=ada', bob))).toEqual([]);
    expect(await bodyOf(`cluster/fox/jobs/7/process/timeseries?${RANGE}`, bob)).toEqual([]);
    expect(await bodyOf(`cluster/fox/jobs/7/process/tree?${RANGE}`, bob)).toMatchObject({ nodes: {} });
    expect(await bodyOf(`cluster/fox/nodes/n1/process/gpu/timeseries?${RANGE}`, bob)).toEqual({
      'n1.fox': { gpus: {} },
    });
    for (const path of ['jobs/7', 'jobs/7/report'])
      expect(await get(`cluster/fox/${path}`, bob)).toMatchObject({ status: 404 });
    const path = `cluster/fox/nodes/cpu/timeseries?${RANGE}`;
    expect(await bodyOf(path, bob)).toEqual(await bodyOf(path));
    expect(await bodyOf('cluster/fox/partitions', bob)).toMatchObject([{ jobs_running: [], gpus_reserved: 2 }]);
  });
});

describe('clusters', () => {
  it('a partition has its nodes, what waits and runs, and what of it is reserved and in use', async () => {
    expect(await bodyOf(`cluster/fox/partitions?time_in_s=${START + 600}`)).toMatchObject([
      {
        time: at(0),
        cluster: 'fox',
        name: 'normal',
        nodes: ['n1', 'n2', 'n3'],
        nodes_compact: ['n[1-3]'],
        jobs_pending: [{ job_id: 8 }],
        jobs_running: [{ job_id: 7 }],
        pending_max_submit_time: at(-50),
        running_latest_wait_time: 100,
        total_cpus: 20,
        total_gpus: 1,
        gpus_reserved: 2,
        gpus_in_use: ['GPU-A'],
      },
    ]);
  });

  it('a partition in which nothing waits has the number 0 in place of the time of the longest wait', async () => {
    expect(await bodyOf(`cluster/calm/partitions?time_in_s=${START + 600}`)).toMatchObject([
      { name: 'quiet', jobs_pending: [], pending_max_submit_time: 0 },
    ]);
  });

  it('nodes are listed in pages, the topology of one as a drawing, and no queries have names', async () => {
    expect(await bodyOf('cluster/fox/nodes/info/pages?page_size=1&page=2')).toMatchObject({
      nodes: [{ node: 'n2.fox' }],
      total: 2,
      page: 2,
      size: 1,
      pages: 2,
    });
    expect(await bodyOf('cluster/fox/nodes/n1/topology')).toBe('<svg/>');
    expect(await get('cluster/fox/nodes/n2/topology')).toMatchObject({ status: 404 });
    expect(await bodyOf('cluster/fox/queries')).toEqual({ queries: [] });
  });

  it('a cluster without data has empty answers under every path, and so has a time without data', async () => {
    for (const pattern of servedPaths.filter((each) => !/:node|jobs\/:job($|\/(info|epoch|report))/.test(each))) {
      const path = pattern.replace(':job', '7');
      const empty = await bodyOf(`cluster/empty/${path}?${RANGE}`);
      expect({ path, isEmpty: !/GPU|n1|RUNNING/.test(JSON.stringify(empty)) }).toEqual({ path, isEmpty: true });
    }
    const before = `start_time_in_s=${START - 7200}&end_time_in_s=${START - 3600}`;
    expect(await bodyOf(`cluster/fox/nodes/n1/cpu/timeseries?${before}`)).toEqual({ 'n1.fox': [] });
    expect(await bodyOf(`cluster/fox/jobs/7/process/timeseries?${before}`)).toEqual([]);
  });

  it('an unknown cluster, node and path is an error with a code, and in the form of slurm-monitor', async () => {
    const refused = async (path: string) => {
      const { status, body } = (await get(path)) as {
        status: number;
        body: { detail: unknown; error: { code: string } };
      };
      expect(body.detail).toBeDefined();
      return [status, body.error.code];
    };
    for (const pattern of servedPaths) {
      const path = pattern.replace(':job', '7').replace(':epoch', '0');
      expect(await refused(`cluster/wolf/${path.replace(':node', 'n1')}`)).toEqual([404, 'CLUSTER_UNKNOWN']);
      if (path.includes(':node'))
        expect(await refused(`cluster/fox/${path.replace(':node', 'zappa')}`)).toEqual([404, 'NODE_UNKNOWN']);
    }
    for (const path of [
      'weather',
      'user',
      'jobquery',
      'cluster/fox/benchmarks/x',
      'cluster/fox/queries/x',
      'cluster/fox/nodes//info',
    ])
      expect([path, ...(await refused(path))]).toEqual([path, 404, 'ROUTE_UNKNOWN']);
  });

  it('ranges and resolutions are bounded, and the error names the parameter', async () => {
    const path = 'cluster/fox/nodes/cpu/timeseries';
    for (const [query, parameter] of [
      [`start_time_in_s=${START}&end_time_in_s=${START + 15 * 86_400}`, 'start_time_in_s'],
      [`start_time_in_s=${START}&end_time_in_s=${START - 1}`, 'end_time_in_s'],
      ['resolution_in_s=0', 'resolution_in_s'],
      ['resolution_in_s=86401', 'resolution_in_s'],
      ['start_time_in_s=yesterday', 'start_time_in_s'],
      ['end_time_in_s=-1', 'end_time_in_s'],
    ])
      expect(await get(`${path}?${query}`)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['query', parameter] }], error: { code: 'PARAMETER_REFUSED' } },
      });
    for (const job of ['x', '-1', '18446744073709551616'])
      expect(await get(`cluster/fox/jobs/${job}/process/tree`)).toMatchObject({ status: 422 });
  });
});
