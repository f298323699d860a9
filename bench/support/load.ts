import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Answers a second, and how long each took. */
export interface Load {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A request as bytes. */
export const requestOf = (method: 'POST' | 'PUT', path: string, body = ''): Buffer =>
  Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

/** A connection that is kept, for one request after another. */
export async function converse(port: number) {
  const socket = await connected(port);
  let fail: (error: Error) => void = () => {};
  const answers = reader(socket, (error) => fail(error));
  return {
    /** The body of the answer; a status other than 200 is an error. */
    send: (request: Buffer) =>
      new Promise<Buffer>((resolve, reject) => {
        fail = reject;
        answers(resolve);
        socket.write(request);
      }),
    end: () => void socket.end(),
  };
}

/**
 * Sends the same request again and again over connections that are kept, one at a time on each.
 *
 * Over bare sockets: a client of the runtime costs as much as the server, and would be measured instead. A status other
 * than 200 ends the measurement.
 */
export async function load(
  port: number,
  { path, body, connections, requests }: { path: string; body: string; connections: number; requests: number },
): Promise<Load> {
  const request = requestOf('POST', path, body);
  const waits: number[] = [];
  let left = requests;
  const work = async (): Promise<void> => {
    const socket = await connected(port);
    await new Promise<void>((resolve, reject) => {
      const answers = reader(socket, reject);
      const next = () => {
        if (left === 0) {
          socket.end();
          resolve();
          return;
        }
        left -= 1;
        const asked = performance.now();
        answers(() => {
          waits.push(performance.now() - asked);
          next();
        });
        socket.write(request);
      };
      next();
    });
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: connections }, work));
  const seconds = (performance.now() - started) / 1000;
  waits.sort((left_, right) => left_ - right);
  const at = (share: number) => waits[Math.floor(waits.length * share)] as number;
  return { perSecond: requests / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}

const OK = Buffer.from('HTTP/1.1 200');

/** Calls back when an answer is whole. */
function reader(socket: Socket, onError: (error: Error) => void): (onAnswer: (body: Buffer) => void) => void {
  let parts: Buffer[] = [];
  let onAnswer: (body: Buffer) => void = () => {};
  socket.on('error', onError);
  socket.on('data', (part: Buffer) => {
    parts.push(part);
    const whole = parts.length === 1 ? part : Buffer.concat(parts);
    const end = whole.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = whole.subarray(0, end).toString('latin1').toLowerCase();
    const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
    if (whole.length < end + 4 + length) return;
    parts = [];
    if (whole.subarray(0, OK.length).equals(OK)) onAnswer(whole.subarray(end + 4));
    else onError(new Error(whole.toString()));
  });
  return (callback) => {
    onAnswer = callback;
  };
}
