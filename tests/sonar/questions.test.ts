import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { unchangedCompat } from '../../src/core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../../src/core/contract/sonar/encode.ts';
import type { Envelope, MessageType } from '../../src/core/contract/sonar/envelope.ts';
import type { SonarSlurmJob } from '../../src/core/contract/sonar/jobs.ts';
import type { SampleJob, SampleProcess, SampleSystem } from '../../src/core/contract/sonar/sample.ts';
import { formatTimestamp } from '../../src/core/contract/sonar/timestamp.ts';
import { loadColumns } from '../../src/cli/commands/sonar/show/load.ts';
import { jobsOf } from '../../src/telemetry/questions/jobs.ts';
import { type LoadStep, loadOf } from '../../src/telemetry/store/figures/load.ts';
import { cardsOf, nodeFactsOf } from '../../src/telemetry/questions/nodes.ts';
import { type ProfileInterval, profileOf } from '../../src/telemetry/questions/profile.ts';
import { profileSteps } from '../../src/telemetry/questions/profile-steps.ts';
import { chooseStepSeconds } from '../../src/telemetry/questions/step-length.ts';
import { queueOf } from '../../src/telemetry/questions/queue.ts';
import { reportLinesOf } from '../../src/telemetry/questions/report.ts';
import type { TelemetryRows } from '../../src/telemetry/store/rows/rows.ts';
import { uptimeOf } from '../../src/telemetry/questions/uptime.ts';
import { EnvelopeReader } from '../../src/telemetry/format/envelope-reader.ts';
import { EmbeddedStore } from '../../src/telemetry/store/embedded/embedded-store.ts';
import { ingestInto } from '../../src/telemetry/receive/files/ingest.ts';
import { temporaryFolder, torc } from '../support/programs.ts';

const START = 1_772_323_200;
const window = { from: START - 10, until: START + 86_400 };
const GREATEST = 2n ** 64n - 1n;

function envelope(type: MessageType, attributes: object, producer = 'torc'): Envelope {
  return {
    meta: { producer, version: '0.19.0' },
    data: { type, attributes: { cluster: 'fox', ...attributes } },
  } as Envelope;
}

/** A sample of a node, so many seconds behind the start. */
const sampleAt = (
  seconds: number,
  jobs: readonly SampleJob[],
  { node = 'n1', system, producer }: { node?: string; system?: SampleSystem; producer?: string } = {},
): Envelope => envelope('sample', { time: formatTimestamp(START + seconds), node, system, jobs }, producer);

const job = (id: number | bigint, processes: readonly SampleProcess[], more: object = {}): SampleJob => ({
  job: id,
  user: 'ada',
  processes,
  ...more,
});

async function asked(...envelopes: readonly Envelope[]): Promise<TelemetryRows> {
  const store = new EmbeddedStore(':memory:');
  await store.addCluster('fox', 0);
  const reader = new EnvelopeReader();
  const text = envelopes.map((each) => encodeEnvelope(each, unchangedCompat)).join('\n');
  const { stored } = await ingestInto(store, [...reader.push(Buffer.from(text)), ...reader.end()], {
    received: START + 366 * 86_400,
    origin: 'test',
  });
  expect(stored).toBe(envelopes.length);
  return store.rows;
}

const idle = sampleAt(0, []);

const loadTable = (steps: readonly LoadStep[]) =>
  steps.map((step) => loadColumns.map(({ text, value }) => (text ?? value)(step)));

describe('jobs', async () => {
  it('the list of jobs counts CPU time once where a parent takes over the time of a child that ended', async () => {
    const [use] = await jobsOf(
      await asked(
        idle,
        sampleAt(300, [
          job(7, [
            { pid: 1, ppid: 9, cpu_time: 0 },
            { pid: 2, ppid: 1, cpu_time: 290, resident_memory: 50 },
          ]),
        ]),
        // The child used 10 s more, ended and was waited for.
        sampleAt(600, [job(7, [{ pid: 1, ppid: 9, cpu_time: 302, resident_memory: 10 }])]),
      ),
      window,
    );
    expect(use).toMatchObject({
      job: 7,
      cpuSeconds: 302,
      peakMemoryKb: 50,
      samples: 2,
      first: START + 300,
      last: START + 600,
    });
  });

  it('the list of jobs keeps the time of a child that no process in the job waited for', async () => {
    const [use] = await jobsOf(
      await asked(
        idle,
        sampleAt(300, [
          job(7, [
            { pid: 1, cpu_time: 5 },
            { pid: 2, ppid: 77, cpu_time: 100 },
          ]),
        ]),
        sampleAt(600, [job(7, [{ pid: 1, cpu_time: 6 }])]),
      ),
      window,
    );
    expect(use?.cpuSeconds).toBe(106);
  });

  it('the list of jobs does not count what a job had used before the first sample of its node', async () => {
    const running = (at: number, seconds: number) =>
      sampleAt(at, [job(7, [{ pid: 1, cpu_time: seconds, cpu_avg: 40 }])]);
    expect(await jobsOf(await asked(running(0, 9000), running(300, 9150)), window)).toMatchObject([
      { cpuSeconds: 150, cpuPercent: 50 },
    ]);
    expect(await jobsOf(await asked(running(0, 9000)), window)).toMatchObject([{ cpuSeconds: 0, cpuPercent: 40 }]);
  });

  it('a job is one on all nodes if Slurm runs it, and belongs to its node and boot if not', async () => {
    const uses = await jobsOf(
      await asked(
        sampleAt(0, [job(7, [{ pid: 1 }]), job(7, [{ pid: 2 }], { epoch: 5 })]),
        sampleAt(0, [job(7, [{ pid: 1 }]), job(7, [{ pid: 2 }], { epoch: 5 })], { node: 'n2' }),
        sampleAt(300, [job(7, [{ pid: 2 }], { epoch: 6 })]),
      ),
      window,
    );
    expect(uses.map(({ epoch, nodes }) => `${epoch} ${nodes.join()}`).toSorted()).toEqual([
      '0 n1,n2',
      '5 n1',
      '5 n2',
      '6 n1',
    ]);
  });

  it('outside of Slurm ends at a gap of three hours, and job 0 is never merged', async () => {
    const of = (id: number, seconds: number) => sampleAt(seconds, [job(id, [{ pid: 1 }], { epoch: 5 })]);
    expect(await jobsOf(await asked(of(7, 0), of(7, 10_800)), window)).toHaveLength(1);
    expect(await jobsOf(await asked(of(7, 0), of(7, 10_801)), window)).toHaveLength(2);
    expect(await jobsOf(await asked(of(0, 0), of(0, 300)), window)).toHaveLength(2);
  });

  it('a job is counted once where the daemon of a site and a runner sample the same node', async () => {
    const both = [300, 600].flatMap((at) =>
      ['sonar', 'torc'].map((producer, index) =>
        sampleAt(at + index, [job(7, [{ pid: 1, cpu_time: at / 10 }])], { producer }),
      ),
    );
    const only = (producer: string) => both.filter(({ meta }) => meta.producer === producer);
    const seconds = async (envelopes: readonly Envelope[]) =>
      (await jobsOf(await asked(...envelopes), window))[0]?.cpuSeconds;
    expect([await seconds(both), await seconds(only('sonar')), await seconds(only('torc'))]).toEqual([30, 30, 30]);
  });

  it('the list of jobs separates processes that were rolled up into pid 0', async () => {
    const rolled = (a: number, b: number) =>
      job(7, [
        { ppid: 3, cmd: 'x', cpu_time: a, rolledup: 3 },
        { ppid: 3, cmd: 'x', cpu_time: b },
      ]);
    expect(
      (await jobsOf(await asked(idle, sampleAt(300, [rolled(10, 5)]), sampleAt(600, [rolled(20, 6)])), window))[0]
        ?.cpuSeconds,
    ).toBe(26);
  });

  it('a job has its name and state of Slurm, and ids of 64 bits', async () => {
    const slurm = envelope('job', {
      time: formatTimestamp(START),
      slurm_jobs: [{ job_id: GREATEST, job_name: 'train', job_state: 'RUNNING', partition: 'gpu' }],
    });
    expect(await jobsOf(await asked(slurm, sampleAt(0, [job(GREATEST, [{ pid: 1 }])])), window)).toMatchObject([
      { job: GREATEST, name: 'train', state: 'RUNNING', partition: 'gpu' },
    ]);
  });
});

describe('the profile of a job', () => {
  const questions = asked(
    idle,
    sampleAt(300, [
      job(7, [
        { pid: 1, cmd: 'sh', ppid: 9 },
        { pid: 2, ppid: 1, cmd: 'burn', cpu_time: 100, resident_memory: 5 },
      ]),
      job(8, [{ pid: 3, cpu_time: 1 }]),
    ]),
    sampleAt(600, [
      job(7, [
        { pid: 1, cmd: 'sh', ppid: 9 },
        { pid: 2, ppid: 1, cmd: 'burn', cpu_time: 250, resident_memory: 9 },
      ]),
    ]),
    sampleAt(600, [job(7, [{ pid: 4, cmd: 'lazy', cpu_time: 0 }])], { node: 'n2' }),
  );

  it('the profile of a job has the use at each sample, of this job alone', async () => {
    const { steps, nodeImbalancePercent } = await profileOf(await questions, window, { job: 7 });
    expect(steps.map(({ time, node, cpuPercent, memoryKb }) => [time - START, node, cpuPercent, memoryKb])).toEqual([
      [300, 'n1', 0, 5],
      [600, 'n1', 50, 9],
      [600, 'n2', 0, 0],
    ]);
    expect(nodeImbalancePercent).toBe(50);
  });

  it('the profile of a job has its processes as a tree', async () => {
    const { processes } = await profileOf(await questions, window, { job: 7 });
    expect(processes.map(({ cmd, depth, cpuSeconds }) => [cmd, depth, cpuSeconds])).toEqual([
      ['sh', 0, 0],
      ['burn', 1, 250],
      ['lazy', 0, 0],
    ]);
  });
});

describe('the steps of a profile', () => {
  const EVERY = 300;
  /** A process that uses one core, one that comes and goes in every second sample, and three that were rolled up. */
  const busy = (count: number, node = 'n1') =>
    Array.from({ length: count }, (_, at) => {
      const time = (at + 1) * EVERY;
      return sampleAt(
        time,
        [
          job(7, [
            {
              pid: 1,
              ppid: 9,
              cmd: 'mpi',
              cpu_time: time + (Math.floor(at / 2) * EVERY) / 2,
              resident_memory: at % 2 === 0 ? 100 : 10,
            },
            ...(at % 2 === 0 ? [] : [{ pid: 2 + at, ppid: 1, cmd: 'child', cpu_time: EVERY / 2, resident_memory: 80 }]),
            {
              ppid: 1,
              cmd: 'many',
              cpu_time: at,
              rolledup: 2,
              gpus: [{ index: 0, uuid: 'A', gpu_util: 50, gpu_memory: 3 }],
            },
          ]),
        ],
        { node },
      );
    });
  const byNode = (steps: readonly ProfileInterval[], node: string) => steps.filter((step) => step.node === node);

  it('steps at each sample say what the processes of the profile add up to, also where processes end', async () => {
    const rows = await asked(idle, ...busy(24));
    const { steps } = await profileOf(rows, window, { job: 7 });
    expect((await profileSteps(rows, window, { job: 7 })).steps).toEqual(steps);
    expect((await profileSteps(rows, window, { job: 7 }, 0)).everySeconds).toBe(0);
    expect(new Set(steps.map(({ memoryKb }) => memoryKb))).toEqual(new Set([100, 90]));
  });

  it('longer steps keep the CPU time, and have the greatest memory at one time and not the sum of the greatest', async () => {
    const rows = await asked(idle, ...busy(288));
    const all = { ...window, until: START + 2 * 86_400 };
    const [use] = await jobsOf(rows, all);
    for (const every of [0, 300, 1800, 3600, 43_200, 86_400]) {
      const { steps } = await profileSteps(rows, all, { job: 7 }, every);
      const total = steps.reduce((sum, { cpuSeconds }) => sum + Number(cpuSeconds), 0);
      expect([every, total, Math.max(...steps.map(({ memoryKb }) => Number(memoryKb)))]).toEqual([
        every,
        86_400 + 144 * 150 + 287,
        100,
      ]);
      expect(total).toBe(use?.cpuSeconds);
    }
  });

  it('a step has the CPU of the time that its samples stand for, and a time without samples has no step', async () => {
    const at = (seconds: number, used: number) => sampleAt(seconds, [job(7, [{ pid: 1, cpu_time: used }])]);
    // Half a core for two hours, nothing from it for three, then a whole core.
    const rows = await asked(idle, at(1800, 900), at(3600, 1800), at(7000, 3500), at(18_000, 9000), at(19_800, 10_800));
    const { steps } = await profileSteps(rows, window, { job: 7 }, 3600);
    expect(steps.map(({ time, cpuPercent, cpuSeconds }) => [(time - START) / 3600, cpuPercent, cpuSeconds])).toEqual([
      [0, 25, 900],
      [1, 50, 2600],
      [5, (100 * 7300) / 12_800, 7300],
    ]);
  });

  it('the length is chosen for at most 300 steps on a node, whatever the number of nodes is', async () => {
    const short = await asked(...busy(300), ...busy(300, 'n2'));
    expect(await profileSteps(short, { ...window, until: START + 9e6 }, { job: 7 })).toMatchObject({ everySeconds: 0 });
    const long = await profileSteps(await asked(...busy(700)), { ...window, until: START + 9e6 }, { job: 7 });
    expect([long.everySeconds, byNode(long.steps, 'n1').length]).toEqual([3600, 59]);
    const of = (samples: number, days: number) =>
      chooseStepSeconds([{ cluster: 'c', node: 'n', epoch: 0, user: 'u', first: 0, last: days * 86_400, samples }]);
    expect([of(2016, 7), of(300, 90), of(9000, 1), of(26_000, 90), of(1e6, 3650)]).toEqual([
      3600, 0, 300, 43_200, 604_800,
    ]);
  });

  it('a job that ran before its node was watched has no CPU time of before', async () => {
    const rows = await asked(
      sampleAt(0, [job(7, [{ pid: 1, cpu_time: 9000, cpu_avg: 40 }])]),
      sampleAt(300, [job(7, [{ pid: 1, cpu_time: 9150 }])]),
    );
    const { steps } = await profileSteps(rows, window, { job: 7 });
    expect(steps.map(({ cpuPercent, cpuSeconds }) => [cpuPercent, cpuSeconds])).toEqual([
      [40, 0],
      [50, 150],
    ]);
    const later = await profileSteps(rows, { ...window, from: START + 100 }, { job: 7 });
    expect(later.steps.map(({ cpuPercent }) => cpuPercent)).toEqual([50]);
    expect((await profileSteps(rows, window, { job: 8 })).steps).toEqual([]);
  });
});

test('load is the rise of the counters of the cores, also behind a boot', async () => {
  const at = (seconds: number, cpus: readonly number[]) =>
    sampleAt(seconds, [], { system: { cpus, used_memory: 500, load1: 1.5 } });
  const sysinfo = envelope('sysinfo', {
    time: formatTimestamp(START),
    node: 'n1',
    os_name: 'L',
    os_release: '6',
    architecture: 'x',
    sockets: 1,
    cores_per_socket: 2,
    threads_per_core: 1,
    memory: 1000,
  });
  const steps = await loadOf(
    await asked(sysinfo, at(0, [1000, 1000]), at(300, [1300, 1150]), at(600, [5, 5]), at(900, [155, 5])),
    window,
    3600,
  );
  expect(steps).toMatchObject([
    {
      node: 'n1',
      time: START,
      samples: 4,
      cpuPercent: 100,
      cpuOfNodePercent: 50,
      usedMemoryKb: 500,
      memoryOfNodePercent: 50,
      load1: 1.5,
    },
  ]);
});

test('the CPU of a node is unknown, and not 0, at its first sample and behind a boot', async () => {
  const at = (seconds: number, cpus: readonly number[]) => sampleAt(seconds, [], { system: { cpus } });
  const steps = await loadOf(await asked(at(0, [1000]), at(300, [1000]), at(600, [5]), at(900, [155])), window, 300);
  expect(steps.map(({ cpuPercent, cpuOfNodePercent }) => [cpuPercent, cpuOfNodePercent])).toEqual([
    [undefined, undefined],
    [0, 0],
    [undefined, undefined],
    [50, 50],
  ]);
  // Absent, and not null: programs that add it up must not meet something else than a number.
  expect(Object.keys(steps[0] ?? {})).not.toContain('cpuPercent');
  const table = loadTable(steps);
  expect(table.map((cells) => cells.slice(2, 4))).toEqual([
    ['', ''],
    ['0.0%', '0.0%'],
    ['', ''],
    ['50.0%', '50.0%'],
  ]);
});

test('a node is down while it sends nothing, and a boot begins a new time', async () => {
  const at = (seconds: number, boot: number) =>
    sampleAt(seconds, [], { system: { boot: formatTimestamp(START + boot) } });
  const spans = await uptimeOf(
    await asked(at(0, -9), at(300, -9), at(600, -9), at(9000, 8000), at(9300, 8000), at(9600, 9500)),
    {
      from: START,
      until: START + 9700,
    },
  );
  expect(spans.map(({ state, from, until, isBooted }) => [state, from - START, until - START, isBooted])).toEqual([
    ['up', 0, 600, false],
    ['down', 600, 9000, false],
    ['up', 9000, 9300, true],
    ['up', 9600, 9600, true],
  ]);
});

const withCards = envelope('sysinfo', {
  time: formatTimestamp(START),
  node: 'n1.fox.org',
  os_name: 'L',
  os_release: '6',
  architecture: 'x',
  sockets: 2,
  cores_per_socket: 4,
  threads_per_core: 2,
  memory: 1000,
  cards: [{ index: 0, uuid: 'A', model: 'RTX', memory: 64 }],
});

test('nodes have the states of Slurm by their first labels, and cards their newest state by uuid', async () => {
  const state = envelope('cluster', {
    time: formatTimestamp(START),
    slurm: true,
    partitions: [{ name: 'gpu', nodes: ['n[1-2]'] }],
    nodes: [{ names: ['n[1-2]'], states: ['MIXED', 'DRAIN'] }],
  });
  const gpus = (index: number) => ({
    gpus: [{ index, uuid: 'A', performance_state: 3, ce_util: 50 + index, temperature: -4 }],
  });
  const options = { node: 'n1.fox.org', producer: 'sonar' };
  const questions = await asked(
    state,
    withCards,
    sampleAt(5, [], { ...options, system: gpus(0) }),
    sampleAt(305, [], { ...options, system: gpus(1) }),
  );
  expect(await nodeFactsOf(questions, window)).toMatchObject([
    {
      node: 'n1.fox.org',
      cores: 16,
      memoryKb: 1000,
      cards: 1,
      states: ['MIXED', 'DRAIN'],
      partitions: ['gpu'],
      sampled: START + 305,
    },
    // Slurm knows it, and it never reported.
    { node: 'n2', cores: 0, states: ['MIXED', 'DRAIN'], partitions: ['gpu'], sampled: undefined },
  ]);
  expect((await nodeFactsOf(questions, { ...window, node: 'n1' })).map(({ node }) => node)).toEqual(['n1.fox.org']);
  expect((await nodeFactsOf(questions, { ...window, node: 'n2' })).map(({ node }) => node)).toEqual(['n2']);
  expect(await cardsOf(questions, window)).toMatchObject([
    { uuid: 'A', index: 1, model: 'RTX', utilPercent: 51, temperature: -4, performanceState: 2 },
  ]);
});

const slurmJobs = (...jobs: readonly Partial<SonarSlurmJob>[]): Envelope =>
  envelope('job', { time: formatTimestamp(START + 1000), slurm_jobs: jobs });
const time = (seconds: number) => formatTimestamp(START + seconds);

test('the queue shows what waits in each partition, and how long jobs waited', async () => {
  const queue = await queueOf(
    await asked(
      slurmJobs(
        { job_id: 1, job_state: 'PENDING', partition: 'a,b', submit_time: time(100) },
        { job_id: 2, job_state: 'RUNNING', partition: 'a', submit_time: time(0), start_time: time(60) },
        {
          job_id: 3,
          job_state: 'FAILED',
          partition: 'a',
          submit_time: time(0),
          start_time: time(20),
          end_time: time(30),
        },
        { job_id: 3, job_step: '0', job_state: 'FAILED' },
        // Slurm gives priority 0 to jobs that are held.
        { job_id: 4, job_state: 'PENDING', partition: 'a', submit_time: time(200), priority: 0 + 2 },
        { job_id: 5, job_state: 'RUNNING', partition: 'b', submit_time: time(200), priority: 7 + 2 },
      ),
    ),
    { from: START, until: START + 1100 },
  );
  expect(queue).toMatchObject([
    {
      partition: 'a',
      pending: 2,
      held: 1,
      running: 1,
      oldestPendingSeconds: 1000,
      started: 2,
      medianWaitSeconds: 60,
      longestWaitSeconds: 60,
      finished: 1,
      failed: 1,
    },
    { partition: 'b', pending: 1, held: 0, running: 1, started: 0 },
  ]);
});

describe('reports', async () => {
  const at = { node: 'n1.fox.org' };
  const onCard = (util: number) => ({ gpus: [{ index: 0, uuid: 'A', gpu_util: util, gpu_memory: 7 }] });
  const samples = [0, 900, 1800, 2700].map((seconds) =>
    sampleAt(
      seconds,
      [
        job(1, [{ pid: 1, cmd: 'burn', cpu_time: seconds * 3 }]),
        job(2, [{ pid: 2, cmd: 'idle', ...onCard(1) }]),
        job(3, [{ pid: 3, cmd: 'busy', cpu_time: seconds * 4, ...onCard(90) }], { user: 'bob' }),
        job(
          4,
          [
            { pid: 4, cmd: 'sleep <defunct>' },
            { pid: 5, cmd: '_unknown_', ...onCard(0) },
          ],
          { epoch: 8 },
        ),
      ],
      at,
    ),
  );
  const questions = await asked(
    withCards,
    ...samples,
    slurmJobs(
      {
        job_id: 9,
        job_state: 'COMPLETED',
        user_name: 'eve',
        start_time: time(0),
        end_time: time(1000),
        requested_cpus: 4,
        requested_memory_per_node: 100,
      },
      { job_id: 9, job_step: 'batch', job_state: 'COMPLETED', sacct: { UserCPU: 400, MaxRSS: 90 } },
      {
        job_id: 10,
        job_state: 'COMPLETED',
        start_time: time(0),
        end_time: time(1000),
        requested_cpus: 1,
        sacct: { UserCPU: 900 },
      },
      // Eight tasks of nearly 2 GB each used what it asked for; of one task the same figures are little.
      ...[11, 12].flatMap((id) => [
        {
          job_id: id,
          job_state: 'COMPLETED',
          user_name: 'eve',
          start_time: time(0),
          end_time: time(1000),
          requested_cpus: 8,
          requested_memory_per_node: 16e6,
        },
        {
          job_id: id,
          job_step: '0',
          job_state: 'COMPLETED',
          requested_cpus: 8,
          sacct: { UserCPU: 7200, AveCPU: id === 11 ? 900 : 7200, MaxRSS: 2e6, AveRSS: 1.9e6 },
        },
      ]),
      ...[
        // No process of it was seen on a card; the others: on a card, for a short time, and on a node that sends nothing.
        { job_id: 20, nodes: ['n1'], start_time: time(0) },
        { job_id: 3, nodes: ['n1'], start_time: time(0) },
        { job_id: 21, nodes: ['n1'], start_time: time(900) },
        { job_id: 22, nodes: ['n[7-8]'], start_time: time(0) },
      ].map((each) => ({
        ...each,
        job_state: 'COMPLETED',
        end_time: time(2000),
        allocated_resources: 'cpu=4,gres/gpu=2,gres/gpu:a100=2',
      })),
    ),
  );
  const subjects = async (kind: Parameters<typeof reportLinesOf>[2]) =>
    (await reportLinesOf(questions, window, kind)).map(({ subject }) => subject);

  it('users and commands have their hours', async () => {
    expect(await reportLinesOf(questions, window, 'users')).toMatchObject([
      { subject: 'bob', jobs: 1, cpuHours: 3 },
      { subject: 'ada', jobs: 3, cpuHours: 2.25 },
    ]);
    expect((await subjects('commands')).slice(0, 2)).toEqual(['busy', 'burn']);
  });

  it('a report names the jobs that do not use what they have, and no others', async () => {
    expect(await subjects('hogs')).toEqual(['job 1']);
    expect((await subjects('idle-gpu')).toSorted()).toEqual(['group 4 on n1.fox.org', 'job 2', 'job 20']);
    expect((await reportLinesOf(questions, window, 'idle-gpu')).at(-1)?.reason).toBe(
      '2 cards allocated, no process on any',
    );
    expect(await reportLinesOf(questions, window, 'greedy')).toMatchObject([
      { subject: 'job 9', user: 'eve', reason: 'used 10 % of 4 CPUs' },
      { subject: 'job 12', user: 'eve', reason: 'used 13 % of the memory' },
    ]);
  });

  it('a card whose use is not reported is not idle: one in slices, and one that reports no use of processes', async () => {
    const cardsAt = (seconds: number) =>
      sampleAt(
        seconds,
        ['A', 'B', 'C', 'D'].map((uuid, at) =>
          job(30 + at, [{ pid: 30 + at, cmd: 'a', gpus: [{ index: at, uuid, gpu_memory: 7 }] }]),
        ),
        {
          system: {
            cpus: [1],
            gpus: [
              { index: 0, uuid: 'A', compute_mode: 'MIG' },
              { index: 1, uuid: 'B', ce_util: 80 },
              { index: 2, uuid: 'C', ce_util: 3 },
              { index: 3, uuid: 'D' },
            ],
          },
        },
      );
    const reader = await asked(...[0, 900, 1800, 2700].map(cardsAt));
    const idle = await reportLinesOf(reader, window, 'idle-gpu');
    expect(idle.map(({ subject }) => subject).toSorted()).toEqual(['job 32', 'job 33']);
  });

  it('memory that samples saw counts in place of an estimate, if they saw all nodes of the job', async () => {
    const done = (id: number, nodes: number) => ({
      job_id: id,
      job_state: 'COMPLETED',
      start_time: time(0),
      end_time: time(1000),
      requested_cpus: 8,
      requested_memory_per_node: 16e6,
      requested_node_count: nodes,
    });
    const step = { job_step: '0', job_state: 'COMPLETED', requested_cpus: 8, sacct: { UserCPU: 7200, MaxRSS: 2e6 } };
    const seen = [100, 400].map((seconds) =>
      sampleAt(seconds, [
        job(
          14,
          [1, 2].map((pid) => ({ pid, cmd: 'a', resident_memory: 1e6 })),
        ),
        job(15, [{ pid: 3, cmd: 'a', resident_memory: 1e6 }]),
      ]),
    );
    const records = slurmJobs(done(14, 1), { job_id: 14, ...step }, done(15, 2), { job_id: 15, ...step });
    // Without the samples, both may have eight tasks of 2 GB.
    expect(await reportLinesOf(await asked(records), window, 'greedy')).toEqual([]);
    expect(await reportLinesOf(await asked(...seen, records), window, 'greedy')).toMatchObject([
      { subject: 'job 14', memoryKb: 2e6, reason: 'used 13 % of the memory' },
    ]);
  });

  it('a report names each zombie once, with the first and the last time', async () => {
    expect(await reportLinesOf(questions, window, 'zombies')).toMatchObject([
      { subject: 'pid 4 sleep <defunct>', first: START, last: START + 2700 },
      { subject: 'pid 5 _unknown_', gpuMemoryKb: 7, reason: 'the card has memory of a process that is gone' },
    ]);
  });
});

describe('torc sonar show', async () => {
  it('torc sonar show answers each question as a table, as JSON and as CSV', async () => {
    const cwd = temporaryFolder();
    const all = [
      withCards,
      idle,
      sampleAt(300, [job(GREATEST, [{ pid: 1, cmd: 'burn', cpu_time: 30 }])], { system: { cpus: [1] } }),
      slurmJobs({ job_id: 1, job_state: 'PENDING', partition: 'a' }),
    ];
    writeFileSync(join(cwd, 'all.json'), all.map((each) => encodeEnvelope(each, unchangedCompat)).join('\n'));
    expect((await torc(['sonar', 'ingest', 'all.json', '--add-clusters'], { cwd })).code).toBe(0);
    const range = ['--from', '2026-02-28', '--to', '2026-03-02'];
    const questions = [
      ['jobs'],
      ['load'],
      ['profile', String(GREATEST)],
      ['profile', String(GREATEST), '--processes'],
      ['uptime'],
      ['nodes'],
      ['cards'],
      ['queue'],
      ['report', 'users'],
    ];
    const counts = await Promise.all(
      questions.map(async (words) => {
        const { stdout } = await torc(['sonar', 'show', ...words, ...range, '-f', 'json'], { cwd });
        return (JSON.parse(stdout) as { items: object[] }).items.length;
      }),
    );
    expect(counts).toEqual([1, 1, 1, 1, 2, 2, 1, 1, 1]);
    const csv = await torc(['sonar', 'show', 'jobs', ...range, '-f', 'csv'], { cwd });
    expect(csv.stdout.split('\n')[1]).toMatch(/^18446744073709551615,ada,,burn,n1,2026-03-01T00:05:00/);
    const table = await torc(['sonar', 'show', 'nodes', ...range], { cwd });
    expect(table.stdout).toContain('│ n1.fox.org │    16 │ 1000 KiB │     1 │');
    const { stdout } = await torc(['sonar', 'show', 'jobs', ...range, '-f', 'json'], { cwd });
    expect(stdout).toContain('"job": 18446744073709551615');
    expect(stdout).toContain('"first": "2026-03-01T00:05:00+00:00"');
  });

  it('a question that finds nothing is answered with what helps: the time of the newest data, or the name that is meant', async () => {
    const cwd = temporaryFolder();
    expect((await torc(['sonar', 'clusters', 'add', 'fox'], { cwd })).code).toBe(0);
    expect((await torc(['sonar', 'show', 'jobs'], { cwd })).stderr).toBe(
      'The store has no data yet: torc sonar ingest stores files\n',
    );
    const attributes = { time: '2026-03-01T12:00:00+00:00', cluster: 'fox', node: 'gpu-1.fox', jobs: [] };
    const jobs = [{ job: 7, user: 'alice', processes: [{ pid: 5, cmd: 'x' }] }];
    const envelope = {
      meta: { producer: 'p', version: '1' },
      data: { type: 'sample', attributes: { ...attributes, jobs } },
    };
    expect((await torc(['sonar', 'ingest', '-'], { cwd, input: JSON.stringify(envelope) })).code).toBe(0);
    const show = async (...words: string[]) => (await torc(['sonar', 'show', ...words], { cwd })).stderr;
    expect(await show('jobs')).toBe('The newest data are of 2026-03-01 12:00: --from 2026-03-01 shows them\n');
    expect(await show('nodes', '--node', 'gpu-1')).not.toContain('no node');
    expect(await show('load', '--node', 'gqu-1.fox')).toBe(
      'The store has no node gqu-1.fox; did you mean gpu-1.fox?\n',
    );
    const ofMarch = ['--from', '2026-03-01', '--to', '2026-03-02'];
    expect(await show('jobs', ...ofMarch, '--user', 'alise')).toBe('Did you mean the user alice?\n');
    expect(await show('jobs', ...ofMarch, '--user', 'alice')).toBe('');
  });

  it('names what it does not know', async () => {
    const cwd = temporaryFolder();
    expect((await torc(['sonar', 'clusters', 'add', 'fox'], { cwd })).code).toBe(0);
    const [cluster, near, exported, kind, profile, time] = await Promise.all([
      torc(['sonar', 'show', 'jobs', '--cluster', 'wolf'], { cwd }),
      torc(['sonar', 'show', 'jobs', '--cluster', 'fux'], { cwd }),
      torc(['sonar', 'export', '--cluster', 'fux'], { cwd }),
      torc(['sonar', 'show', 'report', 'whales'], { cwd }),
      torc(['sonar', 'show', 'profile', '7'], { cwd }),
      torc(['sonar', 'show', 'load', '--from', 'yesterday'], { cwd }),
    ]);
    expect(cluster).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the store has no cluster wolf; torc sonar clusters list') as string,
    });
    for (const { code, stdout, stderr } of [near, exported]) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('the store has no cluster fux; did you mean fox?');
    }
    expect(kind).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('expected one of users, commands, hogs') as string,
    });
    expect(profile).toMatchObject({ code: 1, stderr: expect.stringContaining('no samples of job 7') as string });
    expect(time).toMatchObject({ code: 2, stderr: expect.stringContaining('found "yesterday"') as string });
  });
});
