import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { serve, type RunningServer } from '../serve.ts';

let service: RunningServer;
let errors: unknown[];
const MEBIBYTE = 2 ** 20;

beforeEach(async () => {
  errors = [];
  service = await serve({
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    onError: (error) => errors.push(error),
    onBroken: (error) => errors.push(error),
  });
});
afterEach(() => service.close());

const ask = (headers: Record<string, string>): ClientRequest =>
  request({
    host: '127.0.0.1',
    port: service.port,
    method: 'POST',
    path: `${BASE_PATH}/workflows`,
    headers: { 'Content-Type': 'application/json', ...headers },
  });

async function answerOf(
  asked: ClientRequest,
): Promise<{ status: number | undefined; body: { error?: { message: string } } }> {
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return {
    status: response.statusCode,
    body: JSON.parse(Buffer.concat(parts).toString()) as { error?: { message: string } },
  };
}

const workflow = JSON.stringify({ name: 'größe', user: 'u' });

describe('the body of a request', () => {
  it.each(['with its length', 'in chunks'])(
    'a body is read completely %s, also where a character is split',
    async (way) => {
      const bytes = Buffer.from(workflow);
      const asked = ask(way === 'in chunks' ? {} : { 'Content-Length': String(bytes.length) });
      const cut = bytes.indexOf(Buffer.from('ö')) + 1;
      asked.write(bytes.subarray(0, cut));
      asked.end(bytes.subarray(cut));
      expect(await answerOf(asked)).toMatchObject({ status: 200, body: { name: 'größe' } });
    },
  );

  it.each(['with its length', 'in chunks'])('a body that is too large is refused with 413, %s', async (way) => {
    const bytes = Buffer.alloc(3 * MEBIBYTE, ' ');
    const asked = ask(way === 'in chunks' ? {} : { 'Content-Length': String(bytes.length) });
    asked.write(bytes.subarray(0, MEBIBYTE));
    asked.end(bytes.subarray(MEBIBYTE));
    const { status, body } = await answerOf(asked);
    expect([status, body.error?.message]).toEqual([413, 'the request is larger than 2 MiB, the maximum of this route']);
  });

  it('a client that disconnects in the middle of its body causes no error', async () => {
    const socket = connect(service.port, '127.0.0.1');
    socket.write(
      `POST ${BASE_PATH}/workflows HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"na`,
    );
    await once(socket, 'connect');
    socket.destroySoon();
    await once(socket, 'close');
    const asked = ask({ 'Content-Length': String(Buffer.byteLength(workflow)) });
    asked.end(workflow);
    expect((await answerOf(asked)).status).toBe(200);
    expect(errors).toEqual([]);
  });
});
