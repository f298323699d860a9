import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { portOwner } from './port-owner.ts';

describe.skipIf(!existsSync('/proc/net/tcp'))('the process that listens on a port', () => {
  it('the owner of a port is found while it listens, and not afterwards', async () => {
    const server = createServer();
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    expect(portOwner(port)).toMatchObject({ pid: process.pid, command: expect.stringContaining('node') });
    await new Promise((done) => void server.close(done));
    expect(portOwner(port)).toBeUndefined();
  });

  it('the owner of a port is unknown if the kernel shows none', () => {
    expect(portOwner(80, join(temporaryFolder(), 'missing'))).toBeUndefined();
  });
});
