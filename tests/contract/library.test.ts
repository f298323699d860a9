import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as declared from '../../api/torc.d.ts';
import * as library from '../../src/library/index.ts';
import { temporaryFolder } from '../support/programs.ts';
import { serve, type RunningServer } from '../../src/server/serve.ts';

// What is declared is there, and what is there is declared: both lines are checked when the tests are compiled.
const { TorcClient, ServiceError, every }: typeof declared = library;
const asItIs: (client: declared.TorcClient) => Pick<library.TorcClient, keyof declared.TorcClient> = (client) => client;

let service: RunningServer;
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
    const { id } = await torc.createWorkflow({ body: { name: 'w', user: 'me' } });
    await torc.createJobs({
      query: {},
      body: { jobs: ['a', 'b', 'c'].map((name) => ({ workflow_id: id, name, command: 'true' })) },
    });
    const heard: string[] = [];
    const events = torc.events(id, { level: 'debug' });
    const first = events.next();
    // The stream stands from its first answer on, which this one waits for by being asked for behind it.
    await torc.initializeJobs({ params: { id }, query: {} });
    heard.push(((await first).value as declared.WorkflowEvent).event_type);
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

  it('a program that imports the library learns what the server refused, with a code', async () => {
    const refused = await torc.getJob({ params: { id: 99 } }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ServiceError);
    expect(refused).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });

  it('a program that imports the library learns when there is no server', async () => {
    const away = new TorcClient({ url: 'http://127.0.0.1:9/torc-service/v1' });
    await expect(away.ping()).rejects.toBeInstanceOf(library.Unreachable);
    await expect(away.wait(1).next()).rejects.toBeInstanceOf(library.Unreachable);
    expect(asItIs(away)).toBe(away);
  });

  it('a program whose URL lacks the path of the service learns this from every call, also one that waits', async () => {
    const astray = new TorcClient({ url: `http://127.0.0.1:${service.port}` });
    const missing = {
      code: 'ROUTE_UNKNOWN',
      message: expect.stringContaining('all paths begin with /torc-service/v1'),
    };
    await expect(astray.create({ name: 'w', jobs: [] })).rejects.toMatchObject(missing);
    await expect(astray.wait(1).next()).rejects.toMatchObject(missing);
    await expect(astray.events(1).next()).rejects.toMatchObject(missing);
    await expect(astray.run(1)).rejects.toMatchObject(missing);
    astray.close();
  });

  it('a program that imports the library creates a workflow from an object, runs it, reads its output and recovers it', async () => {
    const outputDir = temporaryFolder();
    const id = await torc.create({
      name: 'two',
      jobs: [
        { name: 'good', command: 'echo hello' },
        { name: 'bad', command: `test -e ${outputDir}/corrected` },
      ],
    });
    const ends: string[] = [];
    const waiting = (async () => {
      for await (const event of torc.wait(id, { types: ['job_completed', 'job_failed'] })) ends.push(event.event_type);
    })();
    expect(await torc.run(id, { outputDir })).toMatchObject({ ending: 'complete', completed: 1, failed: 1 });
    await waiting;
    expect(ends.toSorted()).toEqual(['job_completed', 'job_failed']);

    const { items } = await torc.listJobs({ query: { workflow_id: id, name: 'good' } });
    expect(await torc.output((items[0] as declared.Job).id, { outputDir })).toBe('hello\n');

    // The command itself failed: only its user knows whether it may succeed now.
    expect(await torc.recover(id, { outputDir })).toEqual({ reset: 0, submitted: 0, left: 1 });
    writeFileSync(join(outputDir, 'corrected'), '');
    expect(await torc.recover(id, { outputDir, retryUnknown: true })).toMatchObject({ reset: 1 });
    expect(await torc.run(id, { outputDir })).toMatchObject({ ending: 'complete', completed: 1, failed: 0 });

    // It has ended: there is nothing to wait for, and nothing to recover.
    for await (const event of torc.wait(id)) ends.push(event.event_type);
    expect(ends).toHaveLength(2);
    await expect(torc.recover(id, { outputDir })).rejects.toMatchObject({ code: 'RECOVERY_REFUSED' });
  });

  it('a workflow with errors is thrown with all its problems, and nothing is created', async () => {
    const count = async () => (await torc.listWorkflows()).total_count;
    const before = await count();
    const jobs = [{ name: 'a', command: 'true', depends_on: ['nothing'] }];
    const refused = await torc.create({ name: 'w', jobs }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(library.InvalidWorkflow);
    expect((refused as declared.InvalidWorkflow).problems).toMatchObject([{ path: 'jobs[0].depends_on[0]' }]);
    expect(await count()).toBe(before);
  });

  it('a program that aborts its wait hears no more of a workflow that goes on', async () => {
    const { id } = await torc.createWorkflow({ body: { name: 'w', user: 'me' } });
    await torc.createJob({ body: { workflow_id: id, name: 'a', command: 'true' } });
    const enough = new AbortController();
    const wait = torc.wait(id, { signal: enough.signal }).next();
    enough.abort();
    expect(await wait).toEqual({ done: true, value: undefined });
  });
});
