import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What a line between runners and a server does with a connection. */
type Condition =
  /** Carries it to the server. */
  | 'open'
  /** Takes it and never says a word. */
  | 'silent'
  /** Breaks it as soon as it stands. */
  | 'resets'
  /** Answers every request with 500, as a server does whose database is ill. */
  | 'answers 500'
  /** Answers every request with a page, as a proxy does whose server is gone. */
  | 'answers a page';

/** The line between runners and a server: a port that stays, whatever is behind it. */
export interface Line {
  readonly port: number;
  /** Breaks what stands; new connections meet the condition. */
  becomes(condition: Condition): void;
  /** New connections go to another server. */
  leadsTo(port: number): void;
  /** Requests that began while it was not open. */
  readonly attempts: number;
  close(): void;
}

const answers: Partial<Record<Condition, string>> = {
  'answers 500': answer('500 Internal Server Error', 'application/json', '{"error":{"message":"disk I/O error"}}'),
  'answers a page': answer('200 OK', 'text/html', '<html>The service is being repaired.</html>'),
};

function answer(status: string, type: string, body: string): string {
  return `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

export async function lineTo(server: number): Promise<Line> {
  let target = server;
  let condition: Condition = 'open';
  let attempts = 0;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };

  const listener = createServer((socket) => {
    keep(socket);
    if (condition === 'open') {
      const behind = connect(target, '127.0.0.1');
      keep(behind);
      behind.on('close', () => socket.destroy());
      socket.on('close', () => behind.destroy());
      socket.pipe(behind).pipe(socket);
      return;
    }
    if (condition === 'resets') {
      attempts += 1;
      socket.resetAndDestroy();
      return;
    }
    const text = answers[condition];
    socket.on('data', () => {
      attempts += 1;
      if (text !== undefined) socket.write(text);
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');

  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (listener.address() as AddressInfo).port,
    get attempts() {
      return attempts;
    },
    becomes(next) {
      condition = next;
      breakAll();
    },
    leadsTo(port) {
      target = port;
      breakAll();
    },
    close() {
      listener.close();
      breakAll();
    },
  };
}
