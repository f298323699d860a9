import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whenOver } from './over.ts';

/** What a receiver of messages got. */
interface Got {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** The body as JSON. */
  readonly body: Record<string, unknown> & {
    readonly trigger?: string;
    readonly findings?: { trigger: string; sentence: string }[];
  };
}

export interface HttpReceiver {
  readonly url: string;
  readonly got: Got[];
  /** Resolves with the messages when there are so many. */
  has(count: number): Promise<Got[]>;
}

type Answer = (response: ServerResponse, count: number) => void;

/** A real receiver by HTTP on this machine, which answers as it is said. */
export async function httpReceiver(answer: Answer = (response) => void response.end('ok')): Promise<HttpReceiver> {
  const got: Got[] = [];
  const waiting: { count: number; resolve: (got: Got[]) => void }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const body = text.startsWith('{') ? (JSON.parse(text) as Got['body']) : {};
      got.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, text, body });
      for (const each of waiting) if (got.length >= each.count) each.resolve(got);
      answer(response, got.length);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  whenOver(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    has: (count) =>
      got.length >= count ? Promise.resolve(got) : new Promise((resolve) => void waiting.push({ count, resolve })),
  };
}
