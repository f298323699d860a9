import type { Cases, Refused } from './case.ts';

/** What `observed.ts` stores, as the routes of telemetry give it. */
const on = { cluster: 'fox', node: 'n1' };
const [first, last] = ['2026-03-01T11:00:00+00:00', '2026-03-01T11:05:00+00:00'];

const badTime: Refused = {
  says: 'refuses a time that is none',
  query: { from: 'yesterday' },
  status: 400,
  code: 'PARAMETER_REFUSED',
  message: 'from: expected a time such as 2026-11-22T17:00:00Z, found "yesterday"',
};

const step = { node: 'n1', processes: 1, memory_kb: 0, gpu_percent: 0, gpu_memory_kb: 0, cpu_percent: 50 };
const steps = [
  { ...step, time: first, cpu_seconds: 0 },
  { ...step, time: last, cpu_seconds: 150 },
];

export const telemetryCases: Cases = {
  listTelemetryClusters: {
    answers: [
      {
        says: 'lists clusters with what was received of them',
        reply: { items: [{ name: 'fox', nodes: 1, envelopes: 4, newest: last }] },
      },
    ],
    refuses: [],
  },
  listTelemetryJobs: {
    answers: [
      {
        says: 'returns what a job used, with what Slurm says of it',
        query: { cluster: 'fox' },
        reply: {
          items: [
            {
              cluster: 'fox',
              job: 7,
              epoch: 0,
              user: 'ada',
              nodes: ['n1'],
              first,
              last,
              samples: 2,
              commands: ['train'],
              cpu_seconds: 150,
              cpu_percent: 50,
              peak_cpu_percent: 50,
              peak_memory_kb: 0,
              cards: [],
              gpu_percent: 0,
              peak_gpu_memory_kb: 0,
              state: 'RUNNING',
              name: 'night',
              partition: 'normal',
              account: 'a1',
            },
          ],
        },
      },
      { says: 'has no items of a node that sent nothing', query: { node: 'n9' }, reply: { items: [] } },
    ],
    refuses: [badTime],
  },
  listTelemetryLoad: {
    answers: [
      {
        says: 'returns the use of a node in intervals',
        query: { every: 7200 },
        reply: {
          items: [
            {
              ...on,
              time: '2026-03-01T10:00:00+00:00',
              samples: 2,
              cores: 1,
              cpu_percent: 50,
              cpu_of_node_percent: 50,
              used_memory_kb: 500_000,
              memory_of_node_percent: 50,
              load1: 1.5,
              cards: 1,
              gpu_percent: 0,
              gpu_memory_kb: 0,
            },
          ],
        },
      },
    ],
    refuses: [
      {
        says: 'refuses an interval that is no number',
        query: { every: 'hour' },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'every: Invalid input: expected a whole number',
      },
    ],
  },
  getTelemetryProfile: {
    answers: [
      {
        says: 'returns the steps of a job',
        query: { job: 7 },
        reply: { every_seconds: 0, steps, attempts: [] },
      },
      {
        says: 'returns its processes where they are asked for',
        query: { job: 7, processes: true },
        reply: {
          every_seconds: 0,
          steps,
          processes: [
            {
              node: 'n1',
              pid: '5',
              ppid: '0',
              cmd: 'train',
              depth: 0,
              first,
              last,
              cpu_seconds: 150,
              peak_memory_kb: 0,
            },
          ],
          node_imbalance_percent: 0,
          attempts: [],
        },
      },
    ],
    refuses: [
      {
        says: 'refuses a job that is no number',
        query: { job: 'night' },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'job: Invalid input: expected an unsigned integer',
      },
      {
        says: 'refuses a job that has more than 64 bits',
        query: { job: '18446744073709551616' },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'job: expected an integer, found "18446744073709551616"',
      },
    ],
  },
  listTelemetryUptime: {
    answers: [
      {
        says: 'returns when a node sent samples, and when not',
        query: { to: '2026-03-01T12:00:00Z' },
        reply: {
          items: [
            { ...on, state: 'up', from: first, until: last, samples: 2, is_booted: false },
            { ...on, state: 'down', from: last, until: '2026-03-01T12:00:00+00:00', samples: 0, is_booted: false },
          ],
        },
      },
    ],
    refuses: [badTime],
  },
  listTelemetryNodes: {
    answers: [
      {
        says: 'returns what a node is',
        reply: {
          items: [
            {
              ...on,
              cores: 8,
              memory_kb: 1_000_000,
              cards: 1,
              model: 'EPYC',
              system: 'Linux 6.1',
              states: [],
              partitions: [],
              sampled: last,
            },
          ],
        },
      },
    ],
    refuses: [badTime],
  },
  listTelemetryCards: {
    answers: [
      {
        says: 'returns what a card is, and its newest state',
        reply: {
          items: [
            {
              ...on,
              index: 0,
              uuid: 'GPU-1',
              model: 'RTX',
              memory_kb: 8000,
              used_memory_kb: 0,
              util_percent: 0,
              temperature: 0,
              power_watts: 0,
              performance_state: null,
              failing: 0,
              time: last,
            },
          ],
        },
      },
    ],
    refuses: [badTime],
  },
  listTelemetryQueue: {
    answers: [
      {
        says: 'returns what waits in a partition, and how long jobs waited',
        query: { to: '2026-03-01T12:00:00Z' },
        reply: {
          items: [
            {
              cluster: 'fox',
              partition: 'normal',
              pending: 1,
              held: 0,
              running: 1,
              oldest_pending_seconds: 3600,
              started: 1,
              median_wait_seconds: 60,
              longest_wait_seconds: 60,
              finished: 0,
              failed: 0,
            },
          ],
        },
      },
    ],
    refuses: [badTime],
  },
  getTelemetryReport: {
    answers: [
      {
        says: 'returns who used what',
        query: { kind: 'users' },
        reply: {
          items: [
            {
              cluster: 'fox',
              subject: 'ada',
              jobs: 1,
              cpu_hours: 0.042,
              gpu_hours: 0,
              memory_kb: 0,
              first,
              last,
              reason: '',
            },
          ],
        },
      },
    ],
    refuses: [
      {
        says: 'refuses a report that does not exist, and names those that do',
        query: { kind: 'whales' },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: '"zombies"|"greedy", found "whales"',
      },
    ],
  },
};
