import { readSonarJson } from '../../src/core/contract/sonar/read-json.ts';
import { answerV2, servedPaths } from '../../src/telemetry/questions/v2/api-v2.ts';
import type { TelemetryStore } from '../../src/telemetry/store/telemetry-store.ts';

interface About {
  readonly cluster: string;
  readonly node: string;
  readonly job: number;
  readonly epoch: number;
  /** Unix times. */
  readonly from: number;
  readonly until: number;
  readonly now: number;
}

/** What a store answers to each path of `/api/v2` below a cluster, with all digits. */
export async function v2Answers(store: TelemetryStore, about: About) {
  const { cluster, node, job, epoch, from, until, now } = about;
  const parameters = {
    start_time_in_s: String(from),
    end_time_in_s: String(until),
    resolution_in_s: '7200',
    reference_time_in_s: String(until),
    window_in_s: String(until - from),
    time_in_s: String(until),
    epoch: String(epoch),
  };
  const answers: [path: string, status: number, body: unknown][] = [];
  for (const pattern of servedPaths) {
    const path = pattern.replace(':node', node).replace(':job', String(job)).replace(':epoch', String(epoch));
    const task = { kind: 'ask v2', path: `cluster/${cluster}/${path}`, parameters, onlyUser: undefined } as const;
    const { status, text, type } = await answerV2(store, task, now);
    answers.push([path, status, type === undefined ? readSonarJson(text) : text]);
  }
  return answers;
}
