import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Listening, listening } from '../support/listening.ts';
import { temporaryFolder } from '../support/programs.ts';
import { fill } from './routes/world.ts';

/** A server for all tests of a file. After each it still answers, has failed at nothing, and holds what it held before. */
export function unharmedServer(): { readonly server: Listening; mayWrite(): void } {
  let server: Listening | undefined;
  let stands: Record<string, unknown[]> | undefined;

  beforeAll(async () => {
    server = await listening(temporaryFolder());
    await fill(server.client);
  });
  beforeEach(() => {
    stands = server?.everything();
  });
  afterEach(async () => {
    expect((await server?.client.ping())?.status).toBe('Server is running');
    expect(server?.errors).toEqual([]);
    if (stands !== undefined) expect(server?.everything()).toEqual(stands);
  });
  afterAll(() => server?.close());

  return {
    get server() {
      return server as Listening;
    },
    mayWrite() {
      stands = undefined;
    },
  };
}
