import { linkSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serve } from '../serve.ts';
import { ownDatabase } from './own.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'torc-own-'));

it('a database that another server has open is refused, and the refusal names the server', () => {
  const path = join(folder(), 'torc.db');
  const owned = ownDatabase(path, 4711);
  expect(() => ownDatabase(path, 4712)).toThrow(`is in use by torc-server 4711 on ${hostname()}`);
  owned.release();
});

it('a database that another server has open under a symbolic link is refused', () => {
  const place = folder();
  const path = join(place, 'torc.db');
  const owned = ownDatabase(path, 4711);
  symlinkSync(path, join(place, 'link.db'));
  expect(() => ownDatabase(join(place, 'link.db'), 4712)).toThrow('is in use by torc-server 4711');
  owned.release();
  ownDatabase(join(place, 'link.db'), 4712).release();
});

it('a database with several hard links is refused, and accepted when one is left', () => {
  const place = folder();
  const path = join(place, 'torc.db');
  ownDatabase(path, 1).release();
  linkSync(path, join(place, 'other.db'));
  for (const name of ['torc.db', 'other.db'])
    expect(() => ownDatabase(join(place, name), 2)).toThrow(expect.objectContaining({ code: 'DATABASE_HAS_NAMES' }));
  rmSync(join(place, 'other.db'));
  ownDatabase(path, 3).release();
});

it('a dangling symbolic link names a new database', () => {
  const place = folder();
  symlinkSync(join(place, 'new.db'), join(place, 'link.db'));
  ownDatabase(join(place, 'link.db'), 1).release();
  expect(readdirSync(place).sort()).toEqual(['link.db', 'new.db', 'new.db-owner']);
});

it('a database is accepted when the other server has ended', () => {
  const path = join(folder(), 'torc.db');
  ownDatabase(path, 1).release();
  ownDatabase(path, 2).release();
});

it('an empty file is accepted as a new database', async () => {
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
