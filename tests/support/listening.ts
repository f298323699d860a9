import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Client, createClient } from '../../src/client/client.ts';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';
import { connect } from '../../src/client/node/connect.ts';
import { serve } from '../../src/server/serve.ts';
import { contents } from './contents.ts';

/** What goes over the wire: bytes where text would say too little. */
interface Sent {
  readonly method: string;
  /** Behind the base path, as it stands in the request line. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

interface Received {
  readonly status: number;
  readonly text: string;
  /** What a refusal says. */
  readonly error: { readonly message: string; readonly code: string };
}

/** The service on a port and a file, in this process. */
export interface Listening {
  readonly port: number;
  readonly client: Client;
  /** Errors that were not refusals. */
  readonly errors: unknown[];
  send(sent: Sent): Promise<Received>;
  /** All rows, read past the service. */
  everything(): Record<string, unknown[]>;
  close(): Promise<void>;
}

export async function listening(folder: string): Promise<Listening> {
  const errors: unknown[] = [];
  const database = join(folder, 'listening.db');
  const now = () => Date.parse('2026-03-01T12:00:00Z');
  const note = (error: unknown) => errors.push(error);
  const service = await serve({ database, host: '127.0.0.1', port: 0, now, onError: note, onBroken: note });
  const reader = new DatabaseSync(database, { readOnly: true });
  const { port } = service;
  const connection = connect({ url: `http://127.0.0.1:${port}${BASE_PATH}` });
  return {
    port,
    client: createClient(connection.send),
    errors,
    send({ method, path, headers = { 'Content-Type': 'application/json' }, body }) {
      const asked = request({ host: '127.0.0.1', port, method, path: BASE_PATH + path, headers });
      const answer = answerOf(asked);
      asked.end(body);
      return answer;
    },
    everything: () => contents((sql) => reader.prepare(sql).all()),
    async close() {
      connection.close();
      reader.close();
      await service.close();
    },
  };
}

/** The answer to a request, whole. */
export function answerOf(asked: ClientRequest): Promise<Received> {
  return new Promise((resolve, reject) => {
    asked.on('error', reject);
    asked.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('error', reject);
      response.on('data', (part: string) => (text += part));
      response.on('end', () => {
        const isJson = response.headers['content-type']?.startsWith('application/json') === true;
        const { error } = (isJson ? JSON.parse(text) : {}) as { error?: Received['error'] };
        resolve({ status: response.statusCode ?? 0, text, error: error ?? { message: text, code: '' } });
      });
    });
  });
}
