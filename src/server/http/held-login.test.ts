import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { basic, testService, type TestService } from '../../../tests/support/service.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { usersLogin } from '../access/login.ts';

/** A server with a file of users, and a function that replaces its users: their names and passwords. */
async function serverOf(users: Readonly<Record<string, string>>) {
  const path = join(temporaryFolder(), 'users');
  const hashes = new Map<string, string>();
  const write = (given: Readonly<Record<string, string>>) => {
    const lines = Object.entries(given).map(([name, password]) => {
      const key = `${name}:${password}`;
      hashes.set(key, hashes.get(key) ?? hashSync(password, 4));
      return `${name}:${hashes.get(key)}\n`;
    });
    writeFileSync(path, lines.join(''));
  };
  write(users);
  const login = usersLogin(path, { requireLogin: true, cacheSeconds: 60 }, Date.now);
  onTestFinished(() => login.close());
  const service = testService({ login });
  const { id } = await service.as('eve', 'eves').createWorkflow({ body: { name: 'w', user: 'eve' } });
  const replace = async (given: Readonly<Record<string, string>>) => {
    write(given);
    await service.as('eve', 'eves').reloadAuth();
  };
  return { service, id, replace };
}

const open = async ({ app }: TestService, path: string, user: string, password: string) => {
  const response = await app.request(BASE_PATH + path, { headers: { Authorization: basic(user, password) } });
  expect(response.status).toBe(200);
  return (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()).getReader();
};

/** The rest of a stream that ends. */
async function rest(stream: ReadableStreamDefaultReader<string>): Promise<string> {
  let text = '';
  for (;;) {
    const { value, done } = await stream.read();
    if (done) return text;
    text += value;
  }
}

const STREAMS = ['/workflows/ID/events/stream', '/workflows/ID/status/stream', '/admin/api-events/stream'];

it.each(STREAMS)('%s ends when its user is removed or gets another password, and not for others', async (path) => {
  const before = { ada: 'right', bob: 'bobs', eve: 'eves' };
  const { service, id, replace } = await serverOf(before);
  const of = async (user: string, password: string) => open(service, path.replace('ID', `${id}`), user, password);
  const [ada, bob, eve] = [await of('ada', 'right'), await of('bob', 'bobs'), await of('eve', 'eves')];
  await replace({ ada: 'new', eve: 'eves' });
  for (const stream of [ada, bob]) await rest(stream);
  let isOver = false;
  void rest(eve).then(() => (isOver = true));
  await service.as('eve', 'eves').ping();
  expect(isOver).toBe(false);
  await eve.cancel();
});

it('a stream goes on when the users are read again and its user is as before', async () => {
  const { service, id, replace } = await serverOf({ ada: 'right', eve: 'eves' });
  const stream = await open(service, `/workflows/${id}/events/stream`, 'ada', 'right');
  await replace({ ada: 'right', eve: 'eves', new: 'one' });
  await service.as('eve', 'eves').cancelWorkflow({ params: { id } });
  for (let text = ''; !text.includes('workflow_canceled');) {
    const { value, done } = await stream.read();
    expect(done).toBe(false);
    text += value;
  }
  await stream.cancel();
});
