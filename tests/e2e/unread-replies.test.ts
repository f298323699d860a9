import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { startServer, temporaryFolder } from '../support/programs.ts';

const MEBIBYTE = 2 ** 20;
/** What a server may use, whatever its clients read: without requests it uses 100 MiB. */
const MOST_BYTES = 500 * MEBIBYTE;
const JOBS = 20_000;
const CLIENTS = 100;
const LIST = `/torc-service/v1/jobs?workflow_id=1&limit=${JOBS}`;

/** The most memory that the process ever had. Source: proc(5), VmHWM. */
const mostBytesOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

it(`${CLIENTS} lists of 12 MiB that no client reads leave a server below 500 MiB, and another client gets its list`, async () => {
  const { client, port, program } = await startServer(temporaryFolder());
  await client.createWorkflow({ body: { name: 'w', user: 'u' } });
  for (let from = 0; from < JOBS; from += 1_000) {
    const jobs = Array.from({ length: 1_000 }, (_, index) => ({
      workflow_id: 1,
      name: `job_${from + index}`,
      command: `work ${Array.from({ length: 20 }, () => Math.random()).join(' ')}`,
    }));
    await client.createJobs({ body: { jobs } });
  }
  const ask = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    socket.write(`GET ${LIST} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    return socket;
  };
  const unread = await Promise.all(Array.from({ length: CLIENTS }, ask));
  // Those that leave give their places to the next.
  for (const socket of unread.slice(CLIENTS / 2)) socket.destroy();
  // In its order behind them: when it has its list, all others were made.
  const response = await fetch(`http://127.0.0.1:${port}${LIST}`);
  const { items } = (await response.json()) as { items: unknown[] };
  expect([response.status, items.length]).toEqual([200, JOBS]);
  expect(mostBytesOf(program.child.pid as number)).toBeLessThan(MOST_BYTES);
  for (const socket of unread) socket.destroy();
});
