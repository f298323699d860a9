import { expect, it } from 'vitest';
import { testService } from '../../../tests/support/service.ts';

it.each(['/', '/dashboard'])('a browser that opens %s gets a page about this server', async (path) => {
  const { app } = testService({ credential: 'secret' });
  const response = await app.request(path);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
  expect(await response.text()).toContain('/torc-service/v1/openapi.json');
});
