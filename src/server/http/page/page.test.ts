import { describe, expect, it } from 'vitest';
import { basic, testService, type TestService } from '../../../../tests/support/service.ts';
import { BASE_PATH } from '../../../core/contract/base-path.ts';
import type { LoginCheck } from '../../access/login.ts';
import { createLoadPage } from './load.ts';

const load = createLoadPage();

describe('the page', () => {
  it.each(['/', '/dashboard'])('the page is served at %s to everybody, and holds no data', async (path) => {
    const { app } = testService({ credential: 'secret', page: load });
    const response = await app.request(path);
    expect(response.status).toBe(200);
    const text = await response.text();
    const names = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name as string);
    expect(names.filter((name) => /^(?:[a-z]+:)?\/\//.test(name) || name.startsWith('/'))).toEqual([]);
    for (const name of names.filter((each) => each.startsWith('page/'))) {
      const file = await app.request(`/${name}`);
      expect([file.status, file.headers.get('cache-control')]).toEqual([200, expect.stringContaining('immutable')]);
    }
    expect((await app.request(`${BASE_PATH}/workflows`)).status).toBe(401);
  });

  it('the page has a policy without inline scripts and other hosts, and is not framed', async () => {
    const response = await testService({ page: load }).app.request('/');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(await response.text()).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=/);
  });

  it('the page may be framed by pages of the origins that the server allows, and by no others', async () => {
    const { app } = testService({ page: load, frameOrigins: ['https://portal.example.org'] });
    const { headers } = await app.request('/');
    expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'self' https:\/\/portal\.example\.org$/);
    expect(headers.get('x-frame-options')).toBeNull();
    // Replies of routes are never framed.
    expect((await app.request(`${BASE_PATH}/ping`)).headers.get('x-frame-options')).toBe('DENY');
    expect((await testService({ page: load }).app.request('/')).headers.get('x-frame-options')).toBe('DENY');
  });

  it('the page is compressed for those who accept it, and at most 80 KB for the first view and 170 KB in all', async () => {
    const { app } = testService({ page: load });
    const sizeOf = async (path: string, encoding: string) => {
      const reply = await app.request(path, { headers: { 'Accept-Encoding': encoding } });
      expect([reply.headers.get('content-encoding'), reply.headers.get('vary')]).toEqual([
        encoding.includes('zstd') ? 'zstd' : 'gzip',
        'Accept-Encoding',
      ]);
      expect((await app.request(path)).headers.get('content-encoding')).toBeNull();
      return (await reply.arrayBuffer()).byteLength;
    };
    const document = await (await app.request('/')).text();
    const files = [...(await load()).keys()].filter((name) => name !== 'index.html');
    const first = files.filter((name) => document.includes(name));
    expect([first.length, files.length]).toEqual([2, 12]);
    for (const encoding of ['br, gzip', 'gzip, zstd']) {
      const total = async (names: readonly string[]) => {
        const sizes = await Promise.all(
          ['/', ...names.map((name) => `/page/${name}`)].map((path) => sizeOf(path, encoding)),
        );
        return sizes.reduce((sum, bytes) => sum + bytes, 0);
      };
      expect(await total(first)).toBeLessThan(80 * 1024);
      expect(await total(files)).toBeLessThan(170 * 1024);
    }
  });

  it('browsers compile the first script beside its download, and the scripts of views when they are opened', async () => {
    const texts = [...(await load())].flatMap(([name, { bytes }]) =>
      name.endsWith('.js') ? [[name, new TextDecoder().decode(bytes)] as const] : [],
    );
    const compiled = texts.filter(([, text]) => text.startsWith('//# allFunctionsCalledOnLoad\n'));
    expect(compiled.map(([name]) => name)).toEqual([expect.stringMatching(/^page-/)]);
    expect(texts.length).toBeGreaterThan(1);
  });

  it('the page has no file besides its own', async () => {
    const { app } = testService({ page: load });
    for (const name of ['none.js', '..%2fpackage.json', 'page.js%00'])
      expect((await app.request(`/page/${name}`)).status).toBe(404);
  });

  it('the page is a text about the server where no page is served, and where its files are missing', async () => {
    const notices: string[] = [];
    const failing = () => Promise.reject(new Error('no files'));
    for (const options of [{}, { page: failing, onNotice: (words: string) => void notices.push(words) }]) {
      const response = await testService(options).app.request('/');
      expect(await response.text()).toContain('torc workflows list');
    }
    expect(notices).toEqual(['The page cannot be served']);
  });
});

/** Knows ada with the password right, and serves others without a name. */
const users: LoginCheck = {
  callerOf(header) {
    if (header === undefined) return undefined;
    return header === basic('ada', 'right') ? { user: 'ada' } : undefined;
  },
  reload: () => 1,
  close: () => Promise.resolve(),
};

/** A request of a page: with the cookie of its browser and the key that the page keeps. */
const asked = (
  { app }: TestService,
  path: string,
  init: { readonly method?: string; readonly headers: Readonly<Record<string, string>> },
) => app.request(BASE_PATH + path, { ...init, headers: { Host: 'localhost:8080', ...init.headers } });

async function session(service: TestService, authorization: string) {
  const response = await asked(service, '/page_session', {
    method: 'POST',
    headers: { Authorization: authorization, 'X-Torc-Page': 'new', Origin: 'http://localhost:8080' },
  });
  const { key = '' } = response.status === 200 ? ((await response.json()) as { key: string }) : {};
  const set = response.headers.get('set-cookie') ?? '';
  return {
    status: response.status,
    key,
    set,
    cookie: set.split(';')[0] ?? '',
    challenge: response.headers.get('www-authenticate'),
  };
}

describe('a session of the page', () => {
  it('a session begins with a login and serves requests with its cookie and its key, and no request with one of them', async () => {
    const service = testService({ login: users });
    const { status, key, cookie, set } = await session(service, basic('ada', 'right'));
    expect([status, set]).toEqual([
      200,
      expect.stringMatching(/^torc_page_8080=[\w-]{43}; HttpOnly; SameSite=Strict$/),
    ]);
    const list = (headers: Record<string, string>) => asked(service, '/workflow_overviews', { headers });
    expect((await list({ Cookie: cookie, 'X-Torc-Page': key })).status).toBe(200);
    expect((await list({ Cookie: `a=b; ${cookie}`, 'X-Torc-Page': key })).status).toBe(200);
    for (const headers of [
      { Cookie: cookie },
      { 'X-Torc-Page': key },
      { Cookie: cookie, 'X-Torc-Page': 'guessed' },
      {},
    ])
      expect((await list(headers as Record<string, string>)).status).toBe(401);
  });

  it('a session is that of the user who logged in, and over TLS its cookie is sent over TLS alone', async () => {
    const service = testService({ login: users, access: { enforce: true, administrators: [] } });
    await service.as('ada', 'right').createWorkflow({ body: { name: 'of ada', user: 'ada' } });
    const { key, cookie } = await session(service, basic('ada', 'right'));
    const reply = await asked(service, '/workflow_overviews', { headers: { Cookie: cookie, 'X-Torc-Page': key } });
    expect(await reply.json()).toMatchObject({ items: [{ name: 'of ada' }] });
    const secure = await asked(service, '/page_session', {
      method: 'POST',
      headers: { Authorization: basic('ada', 'right'), 'X-Torc-Page': 'new', Origin: 'https://localhost:8080' },
    });
    expect(secure.headers.get('set-cookie')).toContain('; Secure');
  });

  it('a session does not begin with a wrong password, without a login, or for a page of another origin', async () => {
    const service = testService({ login: users });
    expect(await session(service, basic('ada', 'wrong'))).toMatchObject({ status: 401, set: '', challenge: null });
    const without = await asked(service, '/page_session', { method: 'POST', headers: { 'X-Torc-Page': 'new' } });
    expect(without.status).toBe(401);
    // Only a page of this origin can send the header.
    const headers = { Authorization: basic('ada', 'right') };
    expect((await asked(service, '/page_session', { method: 'POST', headers })).status).toBe(401);
  });

  it('a session ends with a logout, and when the users are read again', async () => {
    const service = testService({ login: users });
    const list = (headers: Record<string, string>) => asked(service, '/workflow_overviews', { headers });
    const one = await session(service, basic('ada', 'right'));
    const other = await session(service, basic('ada', 'right'));
    const headersOf = ({ key, cookie }: { key: string; cookie: string }) => ({ Cookie: cookie, 'X-Torc-Page': key });
    await asked(service, '/page_session', {
      method: 'DELETE',
      headers: { Cookie: one.cookie, 'X-Torc-Page': other.key },
    });
    expect((await list(headersOf(one))).status).toBe(200);
    await asked(service, '/page_session', { method: 'DELETE', headers: headersOf(one) });
    expect((await list(headersOf(one))).status).toBe(401);
    await service.as('ada', 'right').reloadAuth();
    expect((await list(headersOf(other))).status).toBe(401);
  });

  it('the status stream of a session ends with its logout, and those of other sessions go on', async () => {
    const service = testService({ login: users });
    const { id } = await service.as('ada', 'right').createWorkflow({ body: { name: 'of ada', user: 'ada' } });
    const open = async () => {
      const { key, cookie } = await session(service, basic('ada', 'right'));
      const headers = { Cookie: cookie, 'X-Torc-Page': key };
      const { body } = await asked(service, `/workflows/${id}/status/stream`, { headers });
      const stream = (body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()).getReader();
      for (const text of [': connected', 'event: status']) expect((await stream.read()).value).toContain(text);
      return { headers, stream };
    };
    const [one, other] = [await open(), await open()];
    await asked(service, '/page_session', { method: 'DELETE', headers: one.headers });
    expect(await one.stream.read()).toMatchObject({ done: true });
    await service.as('ada', 'right').cancelWorkflow({ params: { id } });
    expect((await other.stream.read()).value).toContain('"is_canceled":true');
    await service.as('ada', 'right').reloadAuth();
    expect(await other.stream.read()).toMatchObject({ done: true });
  });

  it('a session of a server with a credential begins with a start token, once', async () => {
    const service = testService({ credential: 'secret' });
    const { token } = await service.client.createPageToken();
    const { status, key, cookie } = await session(service, `Bearer ${token}`);
    const list = await asked(service, '/workflow_overviews', { headers: { Cookie: cookie, 'X-Torc-Page': key } });
    expect([status, list.status]).toEqual([200, 200]);
    expect((await session(service, `Bearer ${token}`)).status).toBe(401);
    expect((await session(service, 'Bearer guessed')).status).toBe(401);
    expect((await asked(service, '/page_tokens', { method: 'POST', headers: {} })).status).toBe(401);
  });
});
