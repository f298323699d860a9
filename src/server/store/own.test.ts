import { mkdtempSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serve } from '../serve.ts';
import { ownDatabase } from './own.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'torc-own-'));

it('refuses a database that another server has open, and says which', () => {
  const path = join(folder(), 'torc.db');
  const owned = ownDatabase(path, 4711);
  expect(() => ownDatabase(path, 4712)).toThrow(`is in use by torc-server 4711 on ${hostname()}`);
  owned.release();
});

it('takes it when the other has ended', () => {
  const path = join(folder(), 'torc.db');
  ownDatabase(path, 1).release();
  ownDatabase(path, 2).release();
});

it('takes a file of no bytes for a new database', async () => {
  const path = join(folder(), 'torc.db');
  writeFileSync(path, '');
  const fail = (error: unknown) => {
    throw error;
  };
  const service = await serve({ database: path, host: '127.0.0.1', port: 0, onError: fail, onBroken: fail });
  const answer = await fetch(`http://127.0.0.1:${service.port}/torc-service/v1/ping`);
  expect(await answer.json()).toEqual({ status: 'Server is running' });
  await service.close();
});
