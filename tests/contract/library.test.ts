import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as declared from '../../api/torc.d.ts';
import * as library from '../../src/library/index.ts';
import { serve, type Service } from '../../src/server/serve.ts';

// What is declared is there, and what is there is declared: both lines are checked when the tests are compiled.
const { TorcClient, ServiceError, every }: typeof declared = library;
const asItIs: (client: declared.TorcClient) => Pick<library.TorcClient, keyof declared.TorcClient> = (client) => client;

let service: Service;
let torc: declared.TorcClient;

beforeAll(async () => {
  const fail = (error: unknown) => {
    throw error;
  };
  service = await serve({ database: ':memory:', host: '127.0.0.1', port: 0, onError: fail, onBroken: fail });
  torc = new TorcClient({ url: `http://127.0.0.1:${service.port}/torc-service/v1/` });
});
afterAll(async () => {
  torc.close();
  await service.close();
});

describe('a program that imports the library', () => {
  it('a program that imports the library makes a workflow, and hears what happens in it until it has heard enough', async () => {
    const { id } = (await torc.createWorkflow({ body: { name: 'w', user: 'me' } })) as { id: number };
    await torc.createJobs({
      query: {},
      body: { jobs: ['a', 'b', 'c'].map((name) => ({ workflow_id: id, name, command: 'true' })) },
    });
    const heard: string[] = [];
    const events = torc.events(id, { level: 'debug' });
    const first = events.next();
    // The stream stands from its first answer on, which this one waits for by being asked for behind it.
    await torc.initializeJobs({ params: { id }, query: {} });
    heard.push(((await first).value as declared.StreamEvent).event_type);
    for await (const event of events) {
      heard.push(event.event_type);
      break;
    }
    expect(heard).toEqual(['workflow_reinitialized', 'jobs_ready']);
    const names: string[] = [];
    const pages = every((paging) => torc.listJobs({ query: { workflow_id: id, ...paging } }), { limit: 2 });
    for await (const job of pages) names.push(job.name);
    expect(names).toEqual(['a', 'b']);
  });

  it('a program that imports the library is told what the server refused, with a code', async () => {
    const refused = await torc.getJob({ params: { id: 99 } }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ServiceError);
    expect(refused).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });

  it('a program that imports the library is told when there is no server', async () => {
    const nobody = new TorcClient({ url: 'http://127.0.0.1:9/torc-service/v1' });
    await expect(nobody.ping()).rejects.toBeInstanceOf(library.Unreachable);
    expect(asItIs(nobody)).toBe(nobody);
  });
});
