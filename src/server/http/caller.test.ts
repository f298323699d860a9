import { expect, it } from 'vitest';
import { basic, testService } from '../../../tests/support/service.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { type RouteName, routes } from '../../core/contract/routes.ts';
import { pathOf } from '../../client/client.ts';

it('a server with a credential refuses requests without it, on any route', async () => {
  const { app } = testService({ credential: 'secret' });
  for (const name of Object.keys(routes) as RouteName[]) {
    const { method, path } = routes[name];
    const response = await app.request(
      BASE_PATH + pathOf(path, { id: 1, run_id: 1, compute_node_id: 1, status: 'ready', limit: 1 }),
      { method },
    );
    expect([name, response.status, await response.text()]).toEqual([name, 401, 'Unauthorized']);
  }
});

it.each([
  ['as a bearer token', 'Bearer secret', 200],
  ['as the password of a login', basic('anybody', 'secret'), 200],
  ['wrong as a token', 'Bearer other', 401],
  ['wrong as a password', basic('anybody', 'other'), 401],
  ['as a user name', basic('secret', ''), 401],
])('the credential %s', async (_, authorization, status) => {
  const { app } = testService({ credential: 'secret' });
  const response = await app.request(`${BASE_PATH}/ping`, { headers: { authorization } });
  expect(response.status).toBe(status);
});

it('a server without a credential requires none', async () => {
  const { app } = testService();
  expect((await app.request(`${BASE_PATH}/ping`)).status).toBe(200);
});
