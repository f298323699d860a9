import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';
import { type RouteName, routes } from '../../src/core/contract/routes.ts';
import { contents } from '../support/contents.ts';
import { testService } from '../support/service.ts';
import { ask, type Cases, expectShape } from './routes/case.ts';
import { accessCases } from './routes/access.ts';
import { actionCases } from './routes/action.ts';
import { adminCases } from './routes/admin.ts';
import { claimCases } from './routes/claim.ts';
import { entityCases } from './routes/entity.ts';
import { factCases } from './routes/facts.ts';
import { fileCases } from './routes/file.ts';
import { initializeCases } from './routes/initialize.ts';
import { jobCases } from './routes/job.ts';
import { lifeCases } from './routes/life.ts';
import { nodeCases } from './routes/node.ts';
import { notifyCases } from './routes/notify.ts';
import { outcomeCases } from './routes/outcome.ts';
import { columnCases } from './routes/columns.ts';
import { progressCases } from './routes/progress.ts';
import { requirementsCases } from './routes/requirements.ts';
import { reviseJobCases } from './routes/revise-job.ts';
import { runnerCases } from './routes/runner.ts';
import { schedulerCases } from './routes/scheduler.ts';
import { spawnCases } from './routes/spawn.ts';
import { systemCases } from './routes/system.ts';
import { telemetryCases } from './routes/telemetry.ts';
import { userDataCases } from './routes/user-data.ts';
import { viewCases } from './routes/view.ts';
import { workflowCases } from './routes/workflow.ts';
import { createWorld, type World } from './routes/world.ts';

const cases: Cases = {
  ...accessCases,
  ...actionCases,
  ...adminCases,
  ...claimCases,
  ...entityCases,
  ...factCases,
  ...fileCases,
  ...initializeCases,
  ...jobCases,
  ...lifeCases,
  ...nodeCases,
  ...notifyCases,
  ...outcomeCases,
  ...columnCases,
  ...progressCases,
  ...requirementsCases,
  ...reviseJobCases,
  ...runnerCases,
  ...schedulerCases,
  ...spawnCases,
  ...systemCases,
  ...telemetryCases,
  ...userDataCases,
  ...viewCases,
  ...workflowCases,
};

/** The world of cases that leave it as it is: readings, and refusals, which are held to that. */
const sharedWorld = createWorld();

/** All that the world holds, but for a table in which something else goes on. */
const everything = ({ store }: World, goesOn = '') => {
  const { [goesOn]: _, ...rest } = contents((sql) => store.db.prepare(sql).all({}));
  if (goesOn === '') return rest;
  // What goes on makes commits, and they are counted.
  const counts = rest['sqlite_sequence'] as { name: string }[];
  return { ...rest, sqlite_sequence: counts.filter(({ name }) => name !== 'commit_count') };
};

/** The status of each job by its id. */
const standing = ({ store }: World) =>
  new Map(
    store.db
      .prepare<Record<string, never>, { id: number; status: number }>('select id, status from job')
      .all({})
      .map(({ id, status }) => [id, status]),
  );

/** Has a job that was there another status, or is it gone? Jobs that are created are in the reply alone. */
const hasMoved = (before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>) =>
  [...before].some(([id, status]) => after.get(id) !== status);

const names = Object.keys(routes) as RouteName[];
/** These answer as long as a client listens: stream.test.ts. */
const streams = names.filter((name) => routes[name].kind === 'stream');

for (const name of names.filter((each) => !streams.includes(each))) {
  const { answers = [], refuses = [] } = cases[name] ?? {};
  describe(`${routes[name].method} ${routes[name].path}`, () => {
    it.each(answers.map((each) => [each.says, each] as const))(
      `${routes[name].method} ${routes[name].path} %s`,
      async (_, { before, after, reply, ...asked }) => {
        const world = before === undefined && routes[name].kind === 'read' ? await sharedWorld : await createWorld();
        await before?.(world);
        const stood = standing(world);
        const reportedBefore = world.store.changes.lastId;
        const { status, json } = await ask(world, name, asked);
        expect([status, json]).toEqual([asked.status ?? 200, reply]);
        // No client has to ask for what the event stream could report.
        if (hasMoved(stood, standing(world))) expect(world.store.changes.lastId).toBeGreaterThan(reportedBefore);
        expectShape(name, json);
        await after?.(world);
        expect(world.errors).toEqual([]);
      },
    );

    it.each(refuses.map((each) => [each.says, each] as const))(
      `${routes[name].method} ${routes[name].path} %s`,
      async (_, { before, goesOn, ...asked }) => {
        const world = before === undefined ? await sharedWorld : await createWorld();
        await before?.(world);
        const stands = everything(world, goesOn);
        const { status, json } = await ask(world, name, asked);
        const { error } = json as { error: Record<string, unknown> };
        expect({ status, ...error }).toMatchObject({
          status: asked.status,
          code: asked.code,
          message: expect.stringContaining(asked.message),
          remedy: expect.stringMatching(/\.$/),
        });
        expect(everything(world, goesOn)).toEqual(stands);
        expect(world.errors).toEqual([]);
      },
    );
  });
}

describe('the cases', () => {
  // These answer whatever they are asked, as long as one may ask: permit.test.ts.
  const CANNOT_REFUSE: readonly RouteName[] = ['ping', 'getVersion', 'createPageToken', 'listTelemetryClusters'];
  // These answer only where there is a file of users (login.test.ts, htpasswd.test.ts), or a receiver (notifier.test.ts).
  const ELSEWHERE: readonly RouteName[] = ['reloadAuth', 'wantMessages'];

  it('the cases have an answer and a refusal of every route of the table', () => {
    const without = (part: 'answers' | 'refuses') =>
      names.filter((name) => !streams.includes(name) && (cases[name]?.[part].length ?? 0) === 0);
    expect(without('answers')).toEqual(ELSEWHERE);
    expect(without('refuses')).toEqual(CANNOT_REFUSE);
    expect(streams).toEqual(['streamEvents', 'streamApiEvents', 'streamWorkflowStatus']);
  });
});

// Torc's document is not part of this repository; where it is beside the repository, this compares with it.
const ORIGINAL = join(import.meta.dirname, '../../../shared/reference/torc/openapi.yaml');

describe.skipIf(!existsSync(ORIGINAL))('every operation of the original’s document', () => {
  const { paths } = load(existsSync(ORIGINAL) ? readFileSync(ORIGINAL, 'utf8') : 'paths: {}') as {
    paths: Record<string, Record<string, unknown>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    ['get', 'put', 'post', 'delete'].filter((method) => method in methods).map((method) => `${method} ${path}`),
  );

  it('every operation of the original’s document is served', () => {
    const { app } = testService();
    const plain = (path: string) => path.replaceAll(/\{\w+\}|:\w+/g, '{}');
    const served = new Set(
      app.routes.map(({ method, path }) => `${method.toLowerCase()} ${plain(path.replace(BASE_PATH, ''))}`),
    );
    expect(operations.length).toBeGreaterThan(130);
    expect(operations.filter((each) => !served.has(plain(each)))).toEqual([]);
  });
});
