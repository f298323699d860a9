import { unchangedCompat } from '../../src/core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../../src/core/contract/sonar/encode.ts';
import type { Envelope, MessageType } from '../../src/core/contract/sonar/envelope.ts';
import { formatTimestamp } from '../../src/core/contract/sonar/timestamp.ts';
import { random } from '../support/random.ts';

/** 2026-03-01T00:00:00Z. */
export const START = 1_772_323_200;
export const DAY = 86_400;

const GREATEST = 2n ** 64n - 1n;
const NODES = ['n1.fox.test', 'n2.fox.test', 'n3.fox.test'];

const message = (type: MessageType, attributes: object, producer = 'sonar', more: object = {}): string =>
  encodeEnvelope(
    {
      meta: { producer, version: '0.19.0', ...more },
      data: { type, attributes: { cluster: 'fox.test', ...attributes } },
    } as Envelope,
    unchangedCompat,
  );

/**
 * What a small cluster reports in two days: samples of three nodes with cards and disks, of two producers on one of them, hardware, Slurm
 * jobs that wait, run, are requeued and end, and states of the cluster. No two samples of different nodes have one time.
 */
export function messagesOfTwoDays(): string[] {
  const next = random(3);
  const upTo = (most: number) => Math.floor(next() * most);
  const messages: string[] = [];
  for (const [index, node] of NODES.entries()) {
    for (let sample = 0; sample < 16; sample++) {
      const seconds = sample * 10_800 + index;
      const time = formatTimestamp(START + seconds, index === 1 ? 60 : 0);
      const job = (id: number | bigint, user: string, more: object, count: number) => ({
        job: id,
        user,
        ...more,
        processes: Array.from({ length: count }, (_, at) => ({
          pid: 100 + at,
          ppid: at === 0 ? 1 : 100,
          cmd: at === 2 ? 'defunct <defunct>' : `train${at}`,
          cpu_time: seconds + at * upTo(50),
          cpu_avg: upTo(400) / 4,
          cpu_util: next() * 100,
          resident_memory: 1000 + upTo(1_000_000),
          virtual_memory: 2_000_000,
          data_read: upTo(9),
          rolledup: at === 3 ? 2 : 0,
          ...(index === 0 && at < 2
            ? { gpus: [{ index: at, uuid: `GPU-${at}`, gpu_util: upTo(100) + 0.5, gpu_memory: upTo(1e6) }] }
            : {}),
        })),
      });
      const system = {
        boot: formatTimestamp(START - 5000 + (sample > 9 ? DAY : 0)),
        cpus: [seconds, Math.floor(seconds / 2), sample],
        used_memory: 1_000_000 + upTo(500_000),
        load1: next() * 8,
        disks: [{ name: 'sda', major: 8, minor: 0, stats: [sample, 1, sample * 100] }],
        gpus:
          index === 0
            ? [0, 1].map((card) => ({
                index: card,
                uuid: `GPU-${card}`,
                ce_util: card * upTo(100),
                memory: upTo(1e6),
                temperature: -3,
              }))
            : [],
      };
      const jobs = [
        job(101, 'ada', {}, 4),
        ...(sample % 2 === 0 ? [job(GREATEST, 'bob', {}, 1)] : []),
        ...(sample < 8 ? [job(7, 'ada', { epoch: 3 }, 2)] : []),
        { job: 9, user: 'bob', epoch: 3, processes: [] },
      ];
      messages.push(message('sample', { time, node, system, jobs }));
      // A runner samples its own jobs on a node that the site samples as a whole.
      if (index === 2)
        messages.push(
          message(
            'sample',
            { time: formatTimestamp(START + seconds + 60), node, jobs: [job(101, 'ada', {}, 2)] },
            'torc',
            {
              attrs: [{ key: 'scope', value: 'jobs' }],
            },
          ),
        );
    }
    for (const at of [5, DAY + 5])
      messages.push(
        message('sysinfo', {
          time: formatTimestamp(START + at + index),
          node,
          os_name: 'Linux',
          os_release: at > DAY ? '6.2' : '6.1',
          architecture: 'x86_64',
          sockets: 2,
          cores_per_socket: 2,
          threads_per_core: 1,
          cpu_model: 'EPYC',
          memory: 8_000_000,
          topo_text: 'dGV4dA==',
          cards:
            index === 0 ? [0, 1].map((card) => ({ index: card, uuid: `GPU-${card}`, model: 'A100', memory: 4e7 })) : [],
        }),
      );
  }
  const slurm = (at: number, ...jobs: readonly object[]) =>
    messages.push(message('job', { time: formatTimestamp(START + at), slurm_jobs: jobs }));
  const known = {
    user_name: 'ada',
    account: 'a1',
    job_name: 'fit',
    partition: 'normal',
    submit_time: formatTimestamp(START - 100),
  };
  slurm(0, { job_id: 101, job_state: 'PENDING', ...known, requested_cpus: 4, time_limit: 3602 });
  slurm(600, { job_id: 101, job_state: 'RUNNING', start_time: formatTimestamp(START + 500), nodes: ['n[1-3]'] });
  slurm(
    700,
    { job_id: 101, job_step: '0', job_state: 'RUNNING' },
    { job_id: 102, job_state: 'PENDING', ...known, partition: 'gpu,normal' },
  );
  slurm(900, { job_id: 103, job_state: 'NODE_FAIL', ...known, end_time: formatTimestamp(START + 800), exit_code: 9 });
  slurm(1000, { job_id: 103, job_state: 'PENDING' });
  slurm(
    DAY + 900,
    {
      job_id: 101,
      job_state: 'COMPLETED',
      end_time: formatTimestamp(START + DAY + 800),
      sacct: { UserCPU: 5000, MaxRSS: 2000 },
    },
    { job_id: GREATEST, job_state: 'RUNNING', user_name: 'bob', start_time: formatTimestamp(START) },
  );
  for (const at of [50, DAY + 50])
    messages.push(
      message('cluster', {
        time: formatTimestamp(START + at),
        slurm: true,
        partitions: [{ name: 'normal', nodes: ['n[1-3]'] }],
        nodes: [{ names: ['n[1-3]'], states: [at > DAY ? 'MIXED' : 'IDLE'] }],
      }),
    );
  messages.push(
    message('sample', {
      time: formatTimestamp(START + 30),
      cluster: 'wolf.test',
      node: 'w1',
      jobs: [{ job: 1, user: 'eve', processes: [{ pid: 1 }] }],
    }),
    message('sysinfo', { time: formatTimestamp(START + 31), cluster: 'wolf.test', node: 'w1', memory: 5 }),
  );
  return messages;
}
