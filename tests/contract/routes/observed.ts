import type { AskTelemetry } from '../../../src/server/telemetry/handlers.ts';
import { EnvelopeReader } from '../../../src/telemetry/format/envelope-reader.ts';
import { answerQuestion } from '../../../src/telemetry/questions/answer.ts';
import { openStore } from '../../../src/telemetry/store/open-store.ts';
import type { TelemetryStore } from '../../../src/telemetry/store/telemetry-store.ts';

/** Two samples of a node with a card, its hardware, and a job of Slurm that runs there while another one waits. */
const message = (type: string, time: string, more: object): object => ({
  meta: { producer: 'sonar', version: '0.19.0' },
  data: { type, attributes: { cluster: 'fox', time: `2026-03-01T${time}Z`, ...more } },
});
const hardware = { os_name: 'Linux', os_release: '6.1', sockets: 1, cores_per_socket: 8, threads_per_core: 1 };
const cards = [{ index: 0, uuid: 'GPU-1', model: 'RTX', memory: 8000 }];
const sample = (time: string, seconds: number): object =>
  message('sample', time, {
    node: 'n1',
    system: { cpus: [1000 + seconds], used_memory: 500_000, load1: 1.5, gpus: [{ index: 0, uuid: 'GPU-1' }] },
    jobs: [{ job: 7, user: 'ada', processes: [{ pid: 5, cmd: 'train', cpu_time: seconds, cpu_avg: 50 }] }],
  });
const messages = [
  message('sysinfo', '10:00:00', { node: 'n1', ...hardware, cpu_model: 'EPYC', memory: 1_000_000, cards }),
  sample('11:00:00', 0),
  sample('11:05:00', 150),
  message('job', '11:00:00', {
    slurm_jobs: [
      {
        job_id: 7,
        job_state: 'RUNNING',
        job_name: 'night',
        user_name: 'ada',
        account: 'a1',
        partition: 'normal',
        submit_time: '2026-03-01T10:58:00Z',
        start_time: '2026-03-01T10:59:00Z',
      },
      {
        job_id: 8,
        job_state: 'PENDING',
        user_name: 'bob',
        partition: 'normal',
        submit_time: '2026-03-01T11:00:00Z',
      },
    ],
  }),
];

let opened: Promise<TelemetryStore> | undefined;
async function filled(): Promise<TelemetryStore> {
  const store = await openStore(':memory:');
  await store.addCluster('fox', 0);
  const reader = new EnvelopeReader();
  const text = messages.map((each) => JSON.stringify(each)).join('\n');
  const records = [...reader.push(Buffer.from(text)), ...reader.end()];
  await store.ingestEach(records, { received: 1_772_366_400, origin: 'test' });
  return store;
}

/** What a server with telemetry asks; nothing changes in it. `now` is Unix time. */
export const observed =
  (now: number): AskTelemetry =>
  async (asked) =>
    answerQuestion(await (opened ??= filled()), { kind: 'ask', ...asked }, now);
