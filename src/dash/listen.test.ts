import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../tests/support/programs.ts';
import { listenOnSocket } from './listen.ts';

it('the path of a socket of torc-dash is counted in bytes, and one that is too long is named with the limit', async () => {
  const most = process.platform === 'darwin' ? 103 : 107;
  const folder = temporaryFolder();
  const pathOf = (bytes: number) => {
    const left = bytes - Buffer.byteLength(folder) - 1;
    return join(folder, '語'.repeat(Math.floor(left / 3)) + 'x'.repeat(left % 3));
  };
  const server = createServer();
  onTestFinished(() => void server.close());
  await expect(listenOnSocket(server, pathOf(most + 1))).rejects.toThrow(
    `has ${most + 1} bytes, and a socket takes at most ${most}`,
  );
  expect(await listenOnSocket(server, pathOf(most))).toBe(pathOf(most));
});
