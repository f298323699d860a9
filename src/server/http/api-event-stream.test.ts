import { beforeEach, expect, it } from 'vitest';
import { testService, type TestService } from '../../../tests/support/service.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { createTrafficLog, type TrafficLog } from '../admin/traffic.ts';

const STALL_MS = 300;

let service: TestService;
let traffic: TrafficLog;
let notices: { words: string; facts: object }[];

beforeEach(() => {
  notices = [];
  traffic = createTrafficLog(Date.now);
  service = testService({
    traffic,
    stallMs: STALL_MS,
    onNotice: (words, facts) => void notices.push({ words, facts }),
  });
});

const open = async () => {
  const response = await service.app.request(`${BASE_PATH}/admin/api-events/stream`);
  return (response.body as ReadableStream<Uint8Array>).getReader();
};
const report = (requests: number) => {
  for (let index = 0; index < requests; index += 1)
    traffic.report({
      timestamp_ms: index,
      method: 'GET',
      path: '/ping',
      query: null,
      status: 200,
      latency_ms: 1,
      request_id: `${index}`,
      user: 'ada',
    });
};
const rest = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text;
    text += decoder.decode(value);
  }
};

it('a client of the request stream that does not read is disconnected with the reason, and uses no more memory', async () => {
  const reader = await open();
  report(1_000);
  while (notices.length === 0) await new Promise((resolve) => void setTimeout(resolve, 20));
  expect(notices).toEqual([
    {
      words: 'An event stream was ended',
      facts: expect.objectContaining({ reason: expect.stringContaining('nothing was read for') }),
    },
  ]);
  expect(traffic.listening).toBe('none');
  const text = await rest(reader);
  expect(text.split('event: api').length - 1).toBeLessThan(256);
  expect(text).toMatch(/event: stream_closed\ndata: \{"reason":"nothing was read for \d+ s","dropped":\d+\}\n\n$/);
});

it('a client of the request stream that reads stays connected when nothing happens', async () => {
  const reader = await open();
  const decoder = new TextDecoder();
  let text = '';
  // Each keep-alive follows a check whether the client reads.
  report(1);
  while (text.split(': keep-alive').length < 4) {
    text += decoder.decode((await reader.read()).value);
  }
  expect([notices, traffic.listening]).toEqual([[], 'to heads']);
  await reader.cancel();
  expect(traffic.listening).toBe('none');
});
