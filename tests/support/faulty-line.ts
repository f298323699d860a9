import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request as ask, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the line does with a request. */
export const FAULTS = [
  /** Carried out twice; the sender gets the first answer, or the second. */
  'doubled, first answer',
  'doubled, second answer',
  /** Carried out; the sender sees a reset instead of the answer. */
  'answer lost',
  /** The sender sees a reset at once; the server gets the request later, when the sender has tried again. */
  'delivered late',
  /** Never arrives; the sender sees a reset. */
  'lost',
  /** Arrives after a later request of anybody was answered. */
  'overtaken',
  /** The answer comes after a while. */
  'answer held',
  /** The connection breaks in the middle of the answer. */
  'answer torn',
  /** The answer comes whole, and the connection is closed behind it, while the sender may already use it again. */
  'closed when idle',
] as const;

export type Fault = (typeof FAULTS)[number];

export interface FaultyLineOptions {
  /** Numbers between 0 and 1, which decide about each request. */
  readonly next: () => number;
  /** Part of the requests that meet a fault. */
  readonly share: number;
}

/** A proxy for HTTP between runners and a server that does to each request what a bad network could. */
export interface FaultyLine {
  readonly port: number;
  /** How often each fault occurred. */
  readonly met: Readonly<Record<Fault, number>>;
  /** From here on every request passes; resolves when the server has answered everything that was on its way. */
  heal(): Promise<void>;
  close(): void;
}

/** Longest wait of a held, late or overtaken request: longer than a runner waits before it tries again (50 to 200 ms). */
const LONGEST_MS = 400;

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export async function faultyLineTo(server: number, { next, share }: FaultyLineOptions): Promise<FaultyLine> {
  const agent = new Agent({ keepAlive: true });
  const met = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>;
  const underWay = new Set<Promise<unknown>>();
  /** Called when a request was answered: what was to be overtaken goes on. */
  let overtaking: (() => void)[] = [];
  let isHealed = false;

  const wait = (ms: number) => new Promise<void>((done) => void setTimeout(done, ms));
  const anyWait = () => wait(next() * LONGEST_MS);
  const overtaken = () => Promise.race([wait(LONGEST_MS), new Promise<void>((done) => overtaking.push(done))]);
  const letOvertaken = () => {
    for (const go of overtaking.splice(0)) go();
    overtaking = [];
  };

  /** Carries a request to the server; undefined when the server could not be reached. */
  const carry = async (sent: IncomingMessage, body: Buffer): Promise<Reply | undefined> => {
    const { method, url, headers } = sent;
    try {
      const asked = ask({ host: '127.0.0.1', port: server, method, path: url, headers, agent });
      asked.end(body);
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      const reply = { status: answer.statusCode ?? 0, headers: answer.headers, body: await bytesOf(answer) };
      letOvertaken();
      return reply;
    } catch {
      return undefined;
    }
  };

  const answer = (response: ServerResponse, reply: Reply | undefined) => {
    if (reply === undefined) return void response.socket?.resetAndDestroy();
    response.writeHead(reply.status, reply.headers);
    response.end(reply.body);
    return undefined;
  };

  const tear = (response: ServerResponse, reply: Reply | undefined) => {
    if (reply === undefined || reply.body.length < 2) return void response.socket?.resetAndDestroy();
    response.writeHead(reply.status, { ...reply.headers, 'content-length': String(reply.body.length) });
    response.write(reply.body.subarray(0, Math.ceil(reply.body.length / 2)), () => response.socket?.resetAndDestroy());
    return undefined;
  };

  const meet = async (fault: Fault | undefined, sent: IncomingMessage, response: ServerResponse, body: Buffer) => {
    const { socket } = sent;
    switch (fault) {
      case undefined:
        return answer(response, await carry(sent, body));
      case 'doubled, first answer': {
        const first = await carry(sent, body);
        await carry(sent, body);
        return answer(response, first);
      }
      case 'doubled, second answer': {
        await carry(sent, body);
        return answer(response, await carry(sent, body));
      }
      case 'answer lost':
        await carry(sent, body);
        return socket.resetAndDestroy();
      case 'delivered late':
        socket.resetAndDestroy();
        await anyWait();
        return carry(sent, body);
      case 'lost':
        return socket.resetAndDestroy();
      case 'overtaken':
        await overtaken();
        return answer(response, await carry(sent, body));
      case 'answer held': {
        const reply = await carry(sent, body);
        await anyWait();
        return answer(response, reply);
      }
      case 'answer torn':
        return tear(response, await carry(sent, body));
      case 'closed when idle': {
        response.once('finish', () => void setImmediate(() => socket.destroy()));
        return answer(response, await carry(sent, body));
      }
    }
  };

  /** Event streams are carried as they come, and break after a while. */
  const stream = (sent: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers, socket } = sent;
    const asked = ask({ host: '127.0.0.1', port: server, method, path: url, headers });
    asked.on('error', () => socket.destroy());
    asked.on('response', (answered) => {
      answered.on('error', () => socket.destroy());
      response.writeHead(answered.statusCode ?? 0, answered.headers);
      answered.pipe(response);
    });
    asked.end();
    socket.on('close', () => asked.destroy());
    if (!isHealed && next() < 0.5) setTimeout(() => socket.resetAndDestroy(), 200 + next() * 3000).unref();
  };

  const listener = createServer((sent, response) => {
    sent.on('error', () => {});
    response.on('error', () => {});
    if (sent.url?.includes('/events/stream') === true) return stream(sent, response);
    const fault = isHealed || next() >= share ? undefined : FAULTS[Math.floor(next() * FAULTS.length)];
    if (fault !== undefined) met[fault] += 1;
    const done = bytesOf(sent)
      .then((body) => meet(fault, sent, response, body))
      .catch(() => sent.socket.destroy());
    underWay.add(done);
    void done.finally(() => underWay.delete(done));
    return undefined;
  });
  // Connections stay until the line itself closes them.
  listener.keepAliveTimeout = 0;
  listener.on('clientError', (_error, socket) => socket.destroy());
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');

  return {
    port: (listener.address() as AddressInfo).port,
    met,
    async heal() {
      isHealed = true;
      letOvertaken();
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
    close() {
      listener.close();
      listener.closeAllConnections();
      agent.destroy();
    },
  };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
