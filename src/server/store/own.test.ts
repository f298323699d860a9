import {
  chmodSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { serve } from '../serve.ts';
import { ownDatabase, ownerOf } from './own.ts';

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
  expect(readdirSync(place).sort()).toEqual(['link.db', 'new.db']);
});

it('a database is accepted when the other server has ended', () => {
  const path = join(folder(), 'torc.db');
  ownDatabase(path, 1).release();
  ownDatabase(path, 2).release();
});

it('a server that ends removes its lock, and looking for the owner makes none', () => {
  const place = folder();
  const path = join(place, 'torc.db');
  const owned = ownDatabase(path, 4711);
  expect(readdirSync(place).sort()).toEqual(['torc.db', 'torc.db-owner']);
  expect(ownerOf(path)).toMatchObject({ pid: 4711 });
  owned.release();
  expect(ownerOf(path)).toBeUndefined();
  expect(readdirSync(place)).toEqual(['torc.db']);
});

it('the lock of an earlier server that was killed, with a table, is taken', () => {
  const path = join(folder(), 'torc.db');
  const earlier = new DatabaseSync(`${path}-owner`);
  earlier.exec("create table owner (pid integer, host text, since text); insert into owner values (1, 'h', 't')");
  expect(ownerOf(path)).toBeUndefined();
  const owned = ownDatabase(path, 4711);
  expect(ownerOf(path)).toMatchObject({ pid: 4711 });
  owned.release();
  earlier.close();
});

it('a server does not remove the lock of another one that took the name of the file', () => {
  const path = join(folder(), 'torc.db');
  const first = ownDatabase(path, 1);
  rmSync(`${path}-owner`);
  const second = ownDatabase(path, 2);
  first.release();
  expect(ownerOf(path)).toMatchObject({ pid: 2 });
  second.release();
});

it('of many processes that take and give back a database, never two have it', async () => {
  const place = folder();
  const take = `
    import { ownDatabase } from ${JSON.stringify(join(import.meta.dirname, 'own.ts'))};
    import { closeSync, openSync, rmSync } from 'node:fs';
    let taken = 0;
    for (const path = ${JSON.stringify(join(place, 'torc.db'))}; taken < 60;) {
      let owned;
      try { owned = ownDatabase(path, process.pid); } catch (error) { if (error.code === 'DATABASE_IN_USE') continue; throw error; }
      // Fails where another process is between these two lines.
      closeSync(openSync(path + '-alone', 'wx'));
      rmSync(path + '-alone');
      owned.release();
      taken += 1;
    }`;
  const taking = Array.from({ length: 6 }, () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', take], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    return new Promise((ended) => child.once('close', (code) => ended({ code, said: code === 0 ? '' : said })));
  });
  expect(await Promise.all(taking)).toEqual(Array(6).fill({ code: 0, said: '' }));
  expect(readdirSync(place)).toEqual(['torc.db']);
});

it('an empty file is accepted as a new database', async () => {
  const path = join(folder(), 'torc.db');
  writeFileSync(path, '');
  const fail = (error: unknown) => {
    throw error;
  };
  const service = await serve({ database: path, host: '127.0.0.1', port: 0, onError: fail, onBroken: fail });
  const answer = await fetch(`http://127.0.0.1:${service.port}/torc-service/v1/ping`);
  expect(await answer.json()).toMatchObject({ status: 'Server is running' });
  await service.close();
});

it('a database is refused if everybody may write it, its folder, or what SQLite plays back beside it', () => {
  const refused = expect.objectContaining({ code: 'NOT_TRUSTED' });
  for (const end of ['', '-wal', '-journal', '-shm', '-owner', '-commits']) {
    const path = join(folder(), 'torc.db');
    ownDatabase(path, 1).release();
    writeFileSync(`${path}${end}`, '');
    chmodSync(`${path}${end}`, 0o666);
    expect(() => ownDatabase(path, 2)).toThrow(refused);
  }
  const place = folder();
  chmodSync(place, 0o777);
  const path = join(place, 'torc.db');
  expect(() => ownDatabase(path, 1)).toThrow(refused);
  expect(readdirSync(place)).toEqual([]);
  ownDatabase(path, 1, { trustsOwner: true }).release();
  chmodSync(place, 0o700);
  ownDatabase(path, 2).release();
});

it('a database with a trigger or a view that is not ours is refused and not changed; further tables are let be', async () => {
  const path = join(folder(), 'torc.db');
  const fail = (error: unknown) => {
    throw error;
  };
  const open = () => serve({ database: path, host: '127.0.0.1', port: 0, onError: fail, onBroken: fail });
  const change = (sql: string) => {
    const db = new DatabaseSync(path);
    db.exec(sql);
    db.close();
  };
  await (await open()).close();
  change('create table notes (text text)');
  await (await open()).close();
  const evil = "begin update job set command = 'id > PWN' where id = new.id; end";
  const ways = [
    ['create view evil as select 1', 'drop view evil'],
    [`create trigger evil after insert on job ${evil}`, 'drop trigger evil'],
    // Under a name of ours.
    [`drop trigger result_gone; create trigger result_gone after insert on job ${evil}`, ''],
  ] as const;
  for (const [make, undo] of ways) {
    change(make);
    const before = readFileSync(path);
    await expect(open()).rejects.toThrow(expect.objectContaining({ code: 'NOT_TRUSTED' }));
    expect(readFileSync(path).equals(before)).toBe(true);
    change(undo);
  }
});
