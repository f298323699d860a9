import { connect, type Socket } from 'node:net';

/** A request as bytes, for a connection that stays. */
export function bytesOf(port: number, method: string, path: string, body?: object): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const type =
    body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${type}\r\n${text}`);
}

export const open = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.setNoDelay(true);
    socket.once('error', reject);
  });

/**
 * Requests a second of so many connections, each of which asks again as soon as it has its answer.
 *
 * Bytes on sockets, for a client with all of HTTP would take more of the machine than the server it asks.
 */
export async function load(
  port: number,
  connections: number,
  total: number,
  request: (index: number) => Buffer,
): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  let sent = 0;
  const began = performance.now();
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve, reject) => {
          let rest = '';
          const next = () => {
            if (sent >= total) return resolve();
            sent += 1;
            return socket.write(request(sent));
          };
          socket.on('error', reject);
          socket.setEncoding('latin1').on('data', (part: string) => {
            rest += part;
            const end = lengthOf(rest);
            if (end === undefined || rest.length < end) return;
            if (!rest.startsWith('HTTP/1.1 200')) reject(new Error(rest));
            rest = rest.slice(end);
            next();
          });
          next();
        }),
    ),
  );
  const seconds = (performance.now() - began) / 1000;
  for (const socket of sockets) socket.destroy();
  return total / seconds;
}

/** Bytes of the answer at the begin of the text, once its head is there. */
function lengthOf(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return undefined;
  const told = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head));
  return head + 4 + Number(told?.[1] ?? 0);
}
