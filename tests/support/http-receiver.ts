import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { whenOver } from './over.ts';
import { until } from './programs.ts';

/** A request that arrived, whole. */
interface Arrived {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

export interface HttpReceiver {
  readonly url: string;
  readonly arrived: readonly Arrived[];
  /** How the next requests are answered; at first with 200. */
  answer: (response: ServerResponse, arrived: Arrived) => void;
  /** Resolves when this many have arrived. */
  has(requests: number): Promise<void>;
}

/** A real receiver of POST requests on this machine, which keeps what arrives. */
export async function httpReceiver(): Promise<HttpReceiver> {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString('utf8');
      const one = { path: request.url ?? '', headers: request.headers, text };
      arrived.push(one);
      receiver.answer(response, one);
    });
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  whenOver(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: HttpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    answer: (response) => void response.end('{}'),
    has: async (requests) =>
      void (await until(
        () => arrived.length,
        (count) => count >= requests,
        `${requests} requests`,
      )),
  };
  return receiver;
}
