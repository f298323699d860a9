import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../../tests/support/programs.ts';
import { connectByFile, expectSocket } from './keyed-socket.ts';

const expected = async () => {
  const file = join(temporaryFolder(), 'key');
  const socket = await expectSocket(file, 'localhost');
  onTestFinished(() => socket.close());
  return { file, socket };
};
const addressIn = (file: string) =>
  JSON.parse(readFileSync(file, 'utf8')) as { host: string; port: number; key: string };

describe('a connection by a file that both sides read', () => {
  it('both sides get what the other one writes, and the file is private and gone when they are connected', async () => {
    const { file, socket } = await expected();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [far, near] = await Promise.all([connectByFile(file), socket.connected]);
    onTestFinished(() => void far.destroy());
    near.write('order\n');
    far.write('report\n');
    const [[order], [report]] = await Promise.all([once(far, 'data'), once(near, 'data')]);
    expect([String(order), String(report), existsSync(file)]).toEqual(['order\n', 'report\n', false]);
  });

  it('who has another key is not connected, and the right one still is', async () => {
    const { file, socket } = await expected();
    const address = addressIn(file);
    const other = join(temporaryFolder(), 'other');
    writeFileSync(other, JSON.stringify({ ...address, key: 'ab'.repeat(32) }));
    await expect(connectByFile(other)).rejects.toThrow();
    const plain = connect(address.port, 'localhost');
    plain.end('not a word of TLS\n');
    await once(plain, 'close');
    const [far] = await Promise.all([connectByFile(file), socket.connected]);
    far.destroy();
  });

  it('a process that took the port of one that has gone is not obeyed: it does not have the key', async () => {
    const { file } = await expected();
    const imposter = await expected();
    const { port } = addressIn(imposter.file);
    const moved = join(temporaryFolder(), 'moved');
    writeFileSync(moved, JSON.stringify({ ...addressIn(file), port }));
    await expect(connectByFile(moved)).rejects.toThrow();
  });

  it('the end of one side is the end of the other, and nothing is listening after the first connection', async () => {
    const { file, socket } = await expected();
    const address = addressIn(file);
    const [far, near] = await Promise.all([connectByFile(file), socket.connected]);
    const second = join(temporaryFolder(), 'second');
    writeFileSync(second, JSON.stringify(address));
    await expect(connectByFile(second)).rejects.toThrow(/ECONNREFUSED/);
    const ended = once(near, 'close');
    near.resume();
    far.destroy();
    await ended;
  });
});
