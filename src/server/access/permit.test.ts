import { beforeEach, describe, expect, it } from 'vitest';
import { testService, type TestService, workflowOf } from '../../../tests/support/service.ts';
import { pathOf, queryOf } from '../../client/client.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { type Route, type RouteName, routes } from '../../core/contract/routes.ts';
import { ANONYMOUS } from '../caller.ts';
import type { LoginCheck } from './login.ts';
import { createPermissions } from './permit.ts';

/** Accepts every name, because passwords are not tested here. */
const believing: LoginCheck = {
  callerOf(header) {
    const name = Buffer.from((header ?? '').replace('Basic ', ''), 'base64')
      .toString()
      .split(':')[0];
    return name === undefined || name === '' ? ANONYMOUS : { user: name };
  },
  reload: () => 4,
  close: () => Promise.resolve(),
};

const people = ['anonymous', 'stranger', 'member', 'lead', 'owner', 'admin'] as const;
type Person = (typeof people)[number];

const access = { enforce: true, administrators: ['admin'] };

/**
 * A workflow of `owner` that is shared with a group of `member`, who sees it, and of `lead`, who administers the group: each time
 * as it was at first.
 */
async function shared() {
  const { image, ...ids } = (sharedOnce ??= await makeShared());
  return { service: testService({ login: believing, access, image }), ...ids };
}
let sharedOnce: Awaited<ReturnType<typeof makeShared>> | undefined;

async function makeShared() {
  const service = testService({ login: believing, access });
  const [owner, admin] = [service.as('owner'), service.as('admin')];
  const { id: group } = (await admin.createAccessGroup({ body: { name: 'lab' } })) as { id: number };
  for (const [user, role] of [
    ['member', 'member'],
    ['lead', 'admin'],
  ] as const) {
    await admin.addGroupMember({ params: { id: group }, body: { user_name: user, group_id: group, role } });
  }
  const { id } = await workflowOf({ ...service, client: owner }, [{ name: 'a' }]);
  await owner.addWorkflowToGroup({ params: { id, group_id: group } });
  const of = { workflow_id: id };
  await owner.createFile({ body: { ...of, name: 'f', path: 'f' } });
  await owner.createUserData({ body: { ...of, name: 'd' } });
  await owner.createEvent({ body: { ...of, timestamp: 1, data: {} } });
  await owner.createSlurmScheduler({ body: { ...of, name: 's', account: 'x', nodes: 1, walltime: '01:00:00' } });
  await owner.createLocalScheduler({ body: { ...of, memory: '1g', num_cpus: 1 } });
  await owner.createFailureHandler({ body: { ...of, name: 'h', rules: '[]' } });
  await owner.createScheduledComputeNode({
    body: { ...of, scheduler_id: 1, scheduler_config_id: 1, scheduler_type: 'slurm', status: 'pending' },
  });
  await owner.createRoCrateEntity({ body: { ...of, entity_id: 'e', entity_type: 'File', metadata: {} } });
  await owner.createWorkflowAction({
    params: { id },
    body: { ...of, trigger_type: 'on_workflow_start', action_type: 'run_commands', action_config: { commands: ['x'] } },
  });
  await owner.createResult({
    body: {
      ...of,
      job_id: 1,
      run_id: 1,
      attempt_id: 1,
      compute_node_id: 1,
      return_code: 0,
      exec_time_minutes: 1,
      completion_time: '2026-03-01T12:00:00Z',
      status: 'completed',
    },
  });
  await owner.initializeJobs({ params: { id }, query: { async: true } });
  return { image: service.store.db.image(), id, group };
}

const PARAMETERS = {
  id: 1,
  workflow_id: 1,
  user_name: 'member',
  group_id: 1,
  run_id: 1,
  compute_node_id: 1,
  action_id: 1,
  message_id: 1,
  limit: 1,
  status: 'completed',
  worker: 'w',
};

const QUERY = { workflow_id: 1, max_retries: 1, token: 1, job: 1, kind: 'users' };

/** Bodies of routes that name their workflow in the body. */
const bodies: Partial<Record<RouteName, object>> = {
  createJob: { workflow_id: 1, name: 'j', command: 'c' },
  createJobs: { jobs: [{ workflow_id: 1, name: 'j', command: 'c' }] },
  createFile: { workflow_id: 1, name: 'f', path: 'p' },
  createFiles: { files: [{ workflow_id: 1, name: 'f', path: 'p' }] },
  createUserData: { workflow_id: 1, name: 'd' },
  createUserDataList: { user_data: [{ workflow_id: 1, name: 'd' }] },
  createEvent: { workflow_id: 1, timestamp: 1, data: {} },
  createResourceRequirements: { workflow_id: 1, name: 'r' },
  createFailureHandler: { workflow_id: 1, name: 'h', rules: '[]' },
  createSlurmScheduler: { workflow_id: 1, name: 's', account: 'x', nodes: 1, walltime: '01:00:00' },
  createLocalScheduler: { workflow_id: 1, memory: '1g', num_cpus: 1 },
  createScheduledComputeNode: {
    workflow_id: 1,
    scheduler_id: 1,
    scheduler_config_id: 1,
    scheduler_type: 'slurm',
    status: 'pending',
  },
  createScheduledComputeNodes: {
    scheduled_compute_nodes: [
      { workflow_id: 1, scheduler_id: 0, scheduler_config_id: 1, scheduler_type: 'slurm', status: 'planned' },
    ],
  },
  createComputeNode: {
    workflow_id: 1,
    hostname: 'h',
    pid: 1,
    start_time: '2026-03-01T12:00:00Z',
    num_cpus: 1,
    memory_gb: 1,
    num_gpus: 0,
    num_nodes: 1,
    compute_node_type: 'local',
  },
  createRoCrateEntity: { workflow_id: 1, entity_id: 'x', entity_type: 'File', metadata: {} },
  createResult: {
    workflow_id: 1,
    job_id: 1,
    run_id: 7,
    compute_node_id: 1,
    return_code: 0,
    exec_time_minutes: 1,
    completion_time: '2026-03-01T12:00:00Z',
    status: 'completed',
  },
  createSlurmStats: { workflow_id: 1, job_id: 1, run_id: 1, attempt_id: 1, slurm_job_id: '1' },
};

/** Who may use a route; repeated here by path, so that a wrong rule in the table is detected. */
function allowed({ method, path }: Route): readonly Person[] {
  if (path === '/ping' || path === '/version') return people;
  if (['/workflows', '/workflow_overviews', '/page_tokens'].includes(path) || path.startsWith('/sonar/show/'))
    return people.filter((person) => person !== 'anonymous');
  if (path.startsWith('/admin/')) return ['admin'];
  if (path.startsWith('/access_groups/{id}/members') && method !== 'GET') return ['lead', 'admin'];
  if (path.startsWith('/access_groups')) return ['admin'];
  if (path.startsWith('/users/') || path.startsWith('/access_check/')) return ['member', 'admin'];
  if (path.endsWith('/access_users/{user_name}')) return ['owner', 'admin'];
  if (path.includes('{group_id}')) return ['lead', 'owner', 'admin'];
  return ['member', 'lead', 'owner', 'admin'];
}

async function answer(
  { app }: TestService,
  name: RouteName,
  person: Person,
  group: number,
  isKept = false,
): Promise<Response> {
  const route: Route = routes[name];
  const parameters = { ...PARAMETERS, group_id: group, ...(route.path.startsWith('/access_groups/') && { id: group }) };
  const path = pathOf(route.path, parameters);
  const authorization = person === 'anonymous' ? {} : { Authorization: `Basic ${btoa(`${person}:x`)}` };
  const query = queryOf(
    Object.fromEntries(Object.entries(QUERY).filter(([field]) => route.query?.shape[field] !== undefined)),
  );
  const stop = new AbortController();
  const response = await app.request(BASE_PATH + path + query, {
    method: route.method,
    headers: { 'Content-Type': 'application/json', ...authorization },
    signal: stop.signal,
    ...(route.body === undefined ? {} : { body: JSON.stringify(bodies[name] ?? {}) }),
  });
  if (route.kind === 'stream' && !isKept) await response.body?.cancel();
  return response;
}

describe('while access is enforced', () => {
  it.each(Object.keys(routes) as RouteName[])('%s serves exactly the users whom it should', async (name) => {
    const route: Route = routes[name];
    let made: Awaited<ReturnType<typeof shared>> | undefined;
    const refusal = route.path.includes('task') ? 404 : 403;
    for (const person of people) {
      const { service, group } = (made ??= await shared());
      const { status } = await answer(service, name, person, group);
      const isAllowed = allowed(route).includes(person);
      const isRefused = status === refusal || status === 403;
      expect([person, isRefused]).toEqual([person, !isAllowed]);
      expect([person, status < 500]).toEqual([person, true]);
      expect(service.errors).toEqual([]);
      // The effect of one user's request must not influence the next user's.
      if (isAllowed && route.method !== 'GET') made = undefined;
    }
  });

  it('every path that is served is in the table, but for the document, the page, its sessions and metrics, which contain nothing of users', async () => {
    const { service } = await shared();
    const inTable = new Set(
      Object.values(routes).map(({ method, path }) => `${method} ${BASE_PATH}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    const served = service.app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path}`);
    expect(served.length).toBeGreaterThan(inTable.size);
    expect(served.filter((each) => !inTable.has(each))).toEqual([
      'GET /',
      'GET /dashboard',
      'GET /dashboard/',
      'GET /metrics',
      `POST ${BASE_PATH}/page_session`,
      `DELETE ${BASE_PATH}/page_session`,
      `GET ${BASE_PATH}/openapi.json`,
    ]);
  });

  it('every route has a rule', async () => {
    const { service } = await shared();
    const { check } = createPermissions(service.store, { enforce: true, administrators: ['admin'] });
    for (const name of Object.keys(routes) as RouteName[])
      expect(() => check(name, { params: { id: 1 }, query: {}, body: {} }, { user: 'admin' })).not.toThrow();
  });

  describe('access to a workflow', () => {
    let service: TestService;
    let id: number;
    let group: number;
    beforeEach(async () => {
      ({ service, id, group } = await shared());
    });
    const listed = async (person: Person, query = {}) =>
      (await service.as(person).listWorkflows({ query })).items.map((each) => each.id);

    it('a workflow is listed for users who may see it, also with a filter by user', async () => {
      expect(await listed('stranger')).toEqual([]);
      expect(await listed('stranger', { user: 'owner' })).toEqual([]);
      expect(await listed('stranger', { access_group: 'lab' })).toEqual([]);
      for (const person of ['member', 'owner', 'admin'] as const) expect(await listed(person)).toEqual([id]);
    });

    it('a workflow belongs to the user who is logged in, regardless of the body', async () => {
      const made = await service.as('stranger').createWorkflow({ body: { name: 'w', user: 'owner' } });
      expect(made.user).toBe('stranger');
      expect(await listed('owner')).toEqual([id]);
    });

    it('only the owner of a workflow gives it away', async () => {
      const give = (person: Person) =>
        service.as(person).updateWorkflow({ params: { id }, body: { user: 'stranger' } });
      await expect(give('member')).rejects.toMatchObject({ status: 403 });
      await service.as('member').updateWorkflow({ params: { id }, body: { user: 'owner', name: 'renamed' } });
      expect(await give('owner')).toMatchObject({ user: 'stranger', name: 'renamed' });
    });

    it('an administrator of a group may share only workflows that he may see', async () => {
      const { id: other } = (await service.as('owner').createWorkflow({ body: { name: 'w', user: 'x' } })) as {
        id: number;
      };
      const share = service.as('lead').addWorkflowToGroup({ params: { id: other, group_id: group } });
      await expect(share).rejects.toThrow(`User 'lead' does not have access to workflow ${other}`);
      expect(await listed('lead')).toEqual([id]);
    });

    it('a workflow that is shared with a user is his to see and to change, and not to share or to give away', async () => {
      const friend = { params: { id, user_name: 'stranger' } };
      await expect(service.as('member').shareWorkflow(friend)).rejects.toThrow(
        `User 'member' is not the owner of workflow ${id}`,
      );
      await service.as('owner').shareWorkflow(friend);
      expect(await listed('stranger')).toEqual([id]);
      const stranger = service.as('stranger');
      const { items: overviews } = await stranger.listWorkflowOverviews({ query: {} });
      expect(overviews.map((each) => each.id)).toEqual([id]);
      expect(await stranger.updateWorkflow({ params: { id }, body: { description: 'ours' } })).toMatchObject({ id });
      await expect(stranger.shareWorkflow({ params: { id, user_name: 'third' } })).rejects.toMatchObject({
        status: 403,
      });
      await expect(stranger.unshareWorkflow(friend)).rejects.toMatchObject({ status: 403 });
      const given = stranger.updateWorkflow({ params: { id }, body: { user: 'stranger' } });
      await expect(given).rejects.toMatchObject({ status: 403 });
      await expect(service.as('third').getWorkflow({ params: { id } })).rejects.toMatchObject({ status: 403 });
      expect((await stranger.listWorkflowUsers({ params: { id }, query: {} })).is_enforced).toBe(true);
      await service.as('owner').unshareWorkflow(friend);
      await expect(stranger.getWorkflow({ params: { id } })).rejects.toMatchObject({ status: 403 });
    });

    it('what is shared with a user is listed for that user and for administrators, without workflows of his own', async () => {
      const of = async (person: string, user: string) =>
        (await service.as(person).listSharedWorkflows({ params: { user_name: user }, query: {} })).items.map(
          (each) => each.id,
        );
      await service.as('member').createWorkflow({ body: { name: 'own', user: 'member' } });
      expect([await of('member', 'member'), await of('admin', 'member')]).toEqual([[id], [id]]);
      expect([await of('owner', 'owner'), await of('stranger', 'stranger')]).toEqual([[], []]);
      await expect(of('stranger', 'member')).rejects.toMatchObject({ status: 403 });
      await service.as('owner').shareWorkflow({ params: { id, user_name: 'member' } });
      expect(await of('member', 'member')).toEqual([id]);
    });

    it('a user who leaves the group loses access at once', async () => {
      await service.as('lead').removeGroupMember({ params: { id: group, user_name: 'member' } });
      await expect(service.as('member').getWorkflow({ params: { id } })).rejects.toMatchObject({ status: 403 });
    });

    it.each([
      [
        'the member leaves the group',
        () => service.as('lead').removeGroupMember({ params: { id: group, user_name: 'member' } }),
      ],
      [
        'the workflow is taken from the group',
        () => service.as('owner').removeWorkflowFromGroup({ params: { id, group_id: group } }),
      ],
      ['the group is deleted', () => service.as('admin').deleteAccessGroup({ params: { id: group } })],
    ])(
      'the event stream of a member ends when %s, before the next event, and that of the owner goes on',
      async (_when, take) => {
        const streams = await Promise.all(
          ['member', 'owner', 'admin'].map(async (person) => {
            const { body } = await answer(service, 'streamEvents', person as Person, group, true);
            return (body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()).getReader();
          }),
        );
        for (const stream of streams) expect((await stream.read()).value).toBe(': connected\n\n');
        const note = () => service.as('owner').cancelWorkflow({ params: { id } });
        // Both writes in one transaction.
        await Promise.all([take(), note()]);
        const [ofMember, ...others] = streams.map((stream) => stream.read());
        expect((await ofMember)?.value).toContain('you may no longer see this workflow');
        expect(await streams[0]?.read()).toMatchObject({ done: true });
        for (const each of others) expect((await each).value).toContain('event: workflow_canceled');
        for (const stream of streams) await stream.cancel();
      },
    );

    it('the event stream of a user ends when the workflow is no longer shared with him by name', async () => {
      const friend = { params: { id, user_name: 'stranger' } };
      await service.as('owner').shareWorkflow(friend);
      const { body } = await answer(service, 'streamEvents', 'stranger', group, true);
      const stream = (body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()).getReader();
      expect((await stream.read()).value).toBe(': connected\n\n');
      const owner = service.as('owner');
      await Promise.all([owner.unshareWorkflow(friend), owner.cancelWorkflow({ params: { id } })]);
      expect((await stream.read()).value).toContain('you may no longer see this workflow');
    });

    it('the status stream of a member ends when he leaves the group, and that of the owner goes on', async () => {
      const open = async (person: Person) => {
        const { body } = await answer(service, 'streamWorkflowStatus', person, group, true);
        return (body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()).getReader();
      };
      const [ofMember, ofOwner] = [await open('member'), await open('owner')];
      for (const stream of [ofMember, ofOwner])
        expect([(await stream.read()).value, (await stream.read()).value]).toEqual([
          ': connected\n\n',
          expect.stringContaining('event: status'),
        ]);
      await service.as('lead').removeGroupMember({ params: { id: group, user_name: 'member' } });
      expect(await ofMember.read()).toMatchObject({ done: true });
      await service.as('owner').cancelWorkflow({ params: { id } });
      expect((await ofOwner.read()).value).toContain('"is_canceled":true');
      await ofOwner.cancel();
    });

    it('the event stream of an owner ends when he gives the workflow away', async () => {
      const { body } = await answer(service, 'streamEvents', 'owner', group, true);
      const stream = (body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()).getReader();
      await stream.read();
      await service.as('owner').updateWorkflow({ params: { id }, body: { user: 'stranger' } });
      expect((await stream.read()).value).toContain('you may no longer see this workflow');
    });

    it('an unknown workflow is missing for everybody, and so is a task of another user', async () => {
      await expect(service.as('stranger').getWorkflow({ params: { id: 99 } })).rejects.toMatchObject({ status: 404 });
      await expect(service.as('stranger').getTask({ params: { id: 1 } })).rejects.toThrow('Task not found');
      expect(await service.as('member').getTask({ params: { id: 1 } })).toMatchObject({ workflow_id: id });
    });

    it('a refusal names the user and the workflow', async () => {
      await expect(service.as('stranger').getWorkflow({ params: { id } })).rejects.toThrow(
        `User 'stranger' does not have access to workflow ${id}`,
      );
      await expect(service.client.getWorkflow({ params: { id } })).rejects.toThrow(
        'Anonymous access not allowed when access control is enabled',
      );
      await expect(service.as('owner').listAccessGroups({ query: {} })).rejects.toThrow(
        "User 'owner' is not a system administrator",
      );
    });

    it('access_check says whether a user may see the workflow, without regard to administrators', async () => {
      const may = async (person: string) =>
        (await service.as('admin').checkAccess({ params: { workflow_id: id, user_name: person } })).has_access;
      expect([await may('owner'), await may('member'), await may('stranger'), await may('admin')]).toEqual([
        true,
        true,
        false,
        false,
      ]);
    });

    it('a workflow is not accessible through records of another one', async () => {
      const mine = await workflowOf({ ...service, client: service.as('stranger') }, [{ name: 'b' }]);
      const job = { workflow_id: mine.id, name: 'c', command: 'c', depends_on_job_ids: [1] };
      await expect(service.as('stranger').createJob({ body: job })).rejects.toMatchObject({ status: 422 });
      const entries = {
        jobs: [
          { ...job, depends_on_job_ids: [] },
          { ...job, workflow_id: id },
        ],
      };
      await expect(service.as('stranger').createJobs({ body: entries })).rejects.toMatchObject({ status: 403 });
    });
  });

  it('the administrators are those in the present settings', async () => {
    const { service } = await shared();
    const members = await service.as('admin').listGroupMembers({ params: { id: 1 }, query: {} });
    expect(members.items.map(({ user_name: name }) => name)).toEqual(['admin']);
    const next = createPermissions(service.store, { enforce: true, administrators: ['owner'] });
    expect([next.listedFor({ user: 'owner' }), next.listedFor({ user: 'admin' })]).toEqual([undefined, 'admin']);
  });
});

it('while access is not enforced everybody may do everything', async () => {
  const service = testService({ login: believing });
  const { id } = await workflowOf({ ...service, client: service.as('ann') }, [{ name: 'a' }]);
  expect((await service.as('bob').getWorkflow({ params: { id } })).user).toBe('ann');
  expect((await service.client.listAccessGroups({ query: {} })).items).toHaveLength(1);
});
