import { type ClientRequest, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../src/client/client.ts';
import { connect } from '../../src/client/node/connect.ts';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';
import { workplace } from '../support/package.ts';
import { createFlat, createRunner } from '../support/page-workload.ts';
import { startPings } from '../support/pings.ts';
import { startServer } from '../support/processes.ts';
import { type Part, scaled } from './part.ts';

const STREAMS = [100, 1_000];
const SECONDS = 20;
const ENDS_A_SECOND = 100;
const OPEN_AT_ONCE = 50;

/** Every stream gets a message for each job that ends. */
export async function measureStreams({ folder, factor, note }: Part): Promise<void> {
  const server = await startServer(folder, workplace('growth-streams'));
  const connection = connect({ url: server.url });
  const client = createClient(connection.send);
  const pings = await startPings(server);
  const measure = async (number: number) => {
    const id = await createFlat(client, SECONDS * ENDS_A_SECOND);
    const runner = await createRunner(client, id);
    await runner.start(SECONDS * ENDS_A_SECOND);
    let messages = 0;
    const open: ClientRequest[] = [];
    const one = () =>
      new Promise<void>((opened, failed) => {
        const path = `${BASE_PATH}/workflows/${id}/events/stream`;
        const stream = get({ port: server.port, host: '127.0.0.1', path, agent: false }, (reply) => {
          reply.setEncoding('utf8').on('data', (text: string) => {
            messages += text.split('\ndata:').length - 1;
          });
          opened();
        }).on('error', (error) => (open.includes(stream) ? failed(error) : undefined));
        open.push(stream);
      });
    for (let first = 0; first < number; first += OPEN_AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(OPEN_AT_ONCE, number - first) }, one));
    const before = server.use().cpuSeconds;
    const found = await pings.during(async () => {
      for (let second = 0; second < SECONDS; second += 1) {
        await runner.end(ENDS_A_SECOND);
        await sleep(1_000);
      }
    });
    for (let tries = 0; messages < number * SECONDS * ENDS_A_SECOND && tries < 50; tries += 1) await sleep(100);
    const cpuSeconds = server.use().cpuSeconds - before;
    for (const stream of open.splice(0)) stream.destroy();
    return { ...found, messages, percent: (cpuSeconds / found.seconds) * 100, memory: server.resident() };
  };
  const without = await measure(0);
  note('without streams: the server, of a core', without.percent, '%');
  for (const number of scaled(STREAMS, factor)) {
    const { percent, messages, workedMs, longestMs, memory } = await measure(number);
    const label = `${number} event streams`;
    note(`${label}: they cost, of a core`, percent - without.percent, '%');
    note(`${label}: messages a second to all of them`, messages / SECONDS, '');
    note(`${label}: messages of a stream`, messages / number, '', { atLeast: SECONDS * ENDS_A_SECOND });
    note(`${label}: longest work while a ping waits`, workedMs, 'ms', { atMost: 50 });
    note(`${label}: longest wait of a ping`, longestMs, 'ms');
    note(`${label}: server memory`, memory, 'MB');
  }
  await pings.stop();
  connection.close();
  await server.stop();
}
