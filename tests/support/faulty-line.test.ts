import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, test } from 'vitest';
import { FAULTS, type Fault, faultyLineTo } from './faulty-line.ts';

/** A server that answers with the number of the request, and a line to it that does the same to each request. */
async function lineWith(fault: Fault | undefined) {
  const arrived: string[] = [];
  const server = createServer((asked, answer) => {
    asked.on('data', (part: Buffer) => arrived.push(part.toString()));
    asked.on('end', () => answer.end(`answer ${arrived.length}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The first number is below the share, the second chooses the fault, the third is the time that a message is late.
  const chosen = fault === undefined ? 0 : (FAULTS.indexOf(fault) + 0.1) / FAULTS.length;
  let drawn = 0;
  const next = () => [0, chosen][drawn++] ?? 0.9;
  const line = await faultyLineTo((server.address() as AddressInfo).port, { next, share: fault === undefined ? 0 : 1 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
    line.close();
    server.close();
    server.closeAllConnections();
  });
  const send = async (body: string): Promise<string> => {
    const asked = request({ port: line.port, host: '127.0.0.1', method: 'POST', agent });
    asked.on('error', () => {});
    asked.end(body);
    try {
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      let text = '';
      for await (const part of answer) text += String(part);
      return text;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? 'error';
    }
  };
  return { line, send, arrived };
}

test.each<[Fault | undefined, number, string | RegExp]>([
  [undefined, 1, 'answer 1'],
  ['doubled, first answer', 2, 'answer 1'],
  ['doubled, second answer', 2, 'answer 2'],
  ['answer lost', 1, 'ECONNRESET'],
  ['delivered late', 1, 'ECONNRESET'],
  ['lost', 0, 'ECONNRESET'],
  ['overtaken', 1, 'answer 1'],
  ['answer held', 1, 'answer 1'],
  ['answer torn', 1, 'ECONNRESET'],
  ['closed when idle', 1, 'answer 1'],
])('a request whose fate is %s arrives %d times, and its sender gets %s', async (fault, times, seen) => {
  const { line, send, arrived } = await lineWith(fault);
  expect(await send('x')).toBe(seen);
  await line.heal();
  expect(arrived).toEqual(Array.from({ length: times }, () => 'x'));
  if (fault !== undefined) expect(line.met[fault]).toBe(1);
});

it('a faulty line delivers a late request after the one by which its sender tried again', async () => {
  const { line, send, arrived } = await lineWith('delivered late');
  expect(await send('first')).toBe('ECONNRESET');
  const healed = line.heal();
  expect(await send('again')).toBe('answer 1');
  await healed;
  expect(arrived).toEqual(['again', 'first']);
});

it('a faulty line lets every request pass once it is healed', async () => {
  const { line, send, arrived } = await lineWith('lost');
  await line.heal();
  expect([await send('a'), await send('b')]).toEqual(['answer 1', 'answer 2']);
  expect(arrived).toEqual(['a', 'b']);
});
