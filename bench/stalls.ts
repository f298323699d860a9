/**
 * How long does a request hold everybody else up?
 *
 * `node bench/stalls.ts [factor] [shape...]`: every operation whose cost grows with a workflow, over the shapes of graphs
 * that are hard for it, while a thread of its own sends /ping every 50 ms. The figure of an operation is the longest that the
 * server's main thread worked while one ping waited; beside it stand its work for the whole operation, and the wait itself,
 * which contains what others on this machine did. With a factor of 0.1 the shapes are a tenth as large.
 */
import { request } from 'node:http';
import { createClient } from '../src/client/client.ts';
import { ServiceError } from '../src/client/errors.ts';
import type { Response } from '../src/client/errors.ts';
import { BASE_PATH } from '../src/core/contract/base-path.ts';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { startPings } from './support/pings.ts';
import { machine, startServer } from './support/processes.ts';
import { ISSUE_SIZES, type Measure, scaled, shapes } from './support/stalls.ts';

const { factor, words: asked } = argumentsOf({ factor: 1 }, 'words');
const { note, print } = createFigures();
/** The ping of a server that does nothing takes 1 ms; what waits longer than this is noticed by people and runners. */
const GOAL = { atMost: 50 };

const server = await startServer(layOutPackage(), workplace('stalls'));
const pings = await startPings(server);
/** Without a limit of time: an older server takes a minute for some. */
const client = createClient(
  ({ method, path, body }) =>
    new Promise<Response>((resolve, reject) => {
      const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
      const sent = request(
        { port: server.port, host: '127.0.0.1', method, path: BASE_PATH + path, headers },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body);
    }),
);

const measure: Measure = async (name, work) => {
  const { result, seconds, cpuSeconds, longestMs, workedMs } = await pings.during(work);
  const beside = `${cpuSeconds.toFixed(2)} s of work in ${seconds.toFixed(1)} s, ${server.resident().toFixed(0)} MB, a ping waited ${longestMs.toFixed(0)} ms`;
  note(`${name} (${beside})`, workedMs, 'ms', GOAL);
  return result;
};

console.log(`longest work of the server's main thread while a ping waits; ${machine()}`);
for (const [name, drive] of Object.entries(shapes)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  try {
    await drive(client, scaled(ISSUE_SIZES, factor), measure, server.port);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    console.log(`  ${name}: ${error.message}`);
  }
}
note('memory of the server, at its peak', server.use().peakMegabytes, 'MB', { atMost: 300 });
await pings.stop();
await server.stop();
print();
