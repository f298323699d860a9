import { describe, expect, it } from 'vitest';
import { testService, workflowOf } from '../../../tests/support/service.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { type RouteName, routes } from '../../core/contract/routes.ts';
import { isForJobs } from './permit.ts';
import { jobTokenOf, workflowOfToken } from './job-token.ts';

const CREDENTIAL = 'Zm9vYmFyYmF6-_0';
const refused = expect.objectContaining({ status: 403, code: 'JOB_LOGIN_REFUSED' });

it('a token of jobs names its workflow, and no other text does: not that of another workflow or server, not the credential', () => {
  const token = jobTokenOf(CREDENTIAL, 3);
  expect(workflowOfToken(token, CREDENTIAL)).toBe(3);
  expect(token).not.toContain(CREDENTIAL);
  for (const other of [token.replace('job-3', 'job-4'), token.replace('job-3', 'job-03'), `${token}x`, CREDENTIAL, ''])
    expect(workflowOfToken(other, CREDENTIAL)).toBeUndefined();
  expect(workflowOfToken(token, 'another')).toBeUndefined();
});

it('no route that deletes, starts, ends or claims jobs, or belongs to users and administrators, is for jobs', () => {
  const written = (Object.keys(routes) as RouteName[]).filter(
    (name) => isForJobs(name) && routes[name].method !== 'GET',
  );
  expect(written.toSorted()).toEqual([
    'createEvent',
    'createFile',
    'createFiles',
    'createRoCrateEntity',
    'createUserData',
    'createUserDataList',
    'deleteUserData',
    'spawnJobs',
    'updateFile',
    'updateRoCrateEntity',
    'updateUserData',
  ]);
  const read = (Object.keys(routes) as RouteName[]).filter((name) => isForJobs(name) && routes[name].method === 'GET');
  expect(read).toEqual(
    expect.arrayContaining(['ping', 'getVersion', 'getJob', 'listJobs', 'listUserData', 'getWorkflow']),
  );
  for (const other of [
    'listWorkflows',
    'listAuditLog',
    'streamApiEvents',
    'listAccessGroups',
    'listTelemetryJobs',
  ] as const)
    expect(read).not.toContain(other);
});

/** A service with a credential and two workflows, and what a job of the first one sends. */
async function twoWorkflows() {
  const service = testService({ credential: CREDENTIAL });
  const [own, other] = [await workflowOf(service, [{ name: 'a' }]), await workflowOf(service, [{ name: 'b' }])];
  for (const { id } of [own, other])
    await service.client.createUserData({ body: { workflow_id: id, name: 'value', data: { n: 1 } } });
  return { service, own, other, job: service.as('ann', jobTokenOf(CREDENTIAL, own.id)) };
}

describe('the token of jobs', () => {
  it('a job reads its workflow and writes its values, files and events with its token', async () => {
    const { own, job } = await twoWorkflows();
    const query = { workflow_id: own.id };
    expect((await job.listJobs({ query })).items).toMatchObject([{ name: 'a' }]);
    const [value] = (await job.listUserData({ query })).items;
    await job.updateUserData({
      params: { id: value?.id as number },
      body: { workflow_id: own.id, name: 'value', data: { n: 7 } },
    });
    expect((await job.listUserData({ query })).items).toMatchObject([{ data: { n: 7 } }]);
    await job.createFile({ body: { ...query, name: 'f', path: 'f' } });
    await job.createEvent({ body: { ...query, timestamp: 1, data: {} } });
    expect(await job.ping({})).toBeDefined();
  });

  it('a job neither reads nor writes another workflow with its token', async () => {
    const { other, job } = await twoWorkflows();
    const query = { workflow_id: other.id };
    await expect(job.getWorkflow({ params: { id: other.id } })).rejects.toThrow(refused);
    await expect(job.listJobs({ query })).rejects.toThrow(refused);
    await expect(job.getUserData({ params: { id: 2 } })).rejects.toThrow(refused);
    await expect(job.createEvent({ body: { ...query, timestamp: 1, data: {} } })).rejects.toThrow(
      `the login of the jobs of workflow 1 is not for workflow ${other.id}`,
    );
    await expect(job.createFiles({ body: { files: [{ ...query, name: 'f', path: 'f' }] } })).rejects.toThrow(refused);
  });

  it('a job may not do what runners, users and administrators do, in its own workflow either', async () => {
    const { service, own, job } = await twoWorkflows();
    const params = { id: own.id };
    await expect(job.createJob({ body: { workflow_id: own.id, name: 'x', command: 'x' } })).rejects.toThrow(refused);
    await expect(job.cancelWorkflow({ params })).rejects.toThrow(refused);
    await expect(job.deleteWorkflow({ params })).rejects.toThrow(refused);
    await expect(job.updateJob({ params: { id: 1 }, body: { name: 'a', command: 'x' } })).rejects.toThrow(refused);
    await expect(job.runSql({ body: { sql: 'select 1' } })).rejects.toThrow(refused);
    await expect(job.createPageToken({})).rejects.toThrow(refused);
    await expect(job.listWorkflows({ query: {} })).rejects.toThrow(refused);
    // The credential itself may.
    expect(await service.client.listWorkflows({ query: {} })).toMatchObject({ total_count: 2 });
    expect(await service.client.cancelWorkflow({ params })).toBeDefined();
  });

  it('a token of jobs begins no session of a page', async () => {
    const begun = async (password: string) => {
      const headers = { Authorization: `Bearer ${password}`, 'X-Torc-Page': '1' };
      const { service } = await twoWorkflows();
      return (await service.app.request(`${BASE_PATH}/page_session`, { method: 'POST', headers })).status;
    };
    expect(await begun(jobTokenOf(CREDENTIAL, 1))).toBe(401);
    expect(await begun(CREDENTIAL)).toBe(200);
  });
});
