import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';
import { said } from '../support/words.ts';

/** What stands in front of a server and answers every request with 200 and this text. */
async function portal(text: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'Content-Type': 'application/json' }).end(text));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE_PATH}`;
}

it.each(['{}', 'null', '[]', '<html>Log in</html>'])(
  'where a portal replies %s to everything, commands say that no Torc server replied, and what to compare',
  async (text) => {
    const url = await portal(text);
    for (const words of [
      'status 1',
      'workflows list',
      'jobs list 1',
      'jobs explain 1',
      'run 1',
      'cancel 1 --no-prompts',
      'recover 1',
      'ping',
    ]) {
      const { code, stdout, stderr } = await said(words.split(' '), { TORC_API_URL: url });
      expect([words, code, stdout]).toEqual([words, 1, '']);
      expect(stderr).toContain('no Torc server replied');
      expect(stderr).toContain('--cookie-header');
      expect(stderr).not.toContain('bug in torc');
    }
  },
);
