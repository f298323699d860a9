import { beforeEach, describe, expect, it } from 'vitest';
import { openLogin } from './login.ts';
import { testService, type TestService } from '../../../tests/support/service.ts';

let service: TestService;

beforeEach(() => {
  service = testService();
});

const AT = '2026-03-01T12:00:00.000Z';
const group = async (name: string) =>
  (await service.client.createAccessGroup({ body: { name, description: `of ${name}` } })).id;
const workflow = async (over: object = {}) =>
  ((await service.client.createWorkflow({ body: { name: 'w', user: 'u', ...over } })) as { id: number }).id;
const of = (id: number) => ({ params: { id } });

describe('a group of users', () => {
  it('a group is created once by its name, read, listed by name, and deleted', async () => {
    const { client } = service;
    const lab = await group('lab');
    await group('class');
    expect(await client.getAccessGroup(of(lab))).toEqual({
      id: lab,
      name: 'lab',
      description: 'of lab',
      created_at: AT,
    });
    await expect(group('lab')).rejects.toThrow("Group 'lab' already exists");
    const { items, ...page } = await client.listAccessGroups({ query: { limit: 2 } });
    expect(items.map(({ name }) => name)).toEqual(['admin', 'class']);
    expect(page).toEqual({ offset: 0, limit: 2, total_count: 3, has_more: true });
    expect((await client.listAccessGroups({ query: { offset: 2 } })).items.map(({ name }) => name)).toEqual(['lab']);
    expect(await client.deleteAccessGroup(of(lab))).toMatchObject({ name: 'lab' });
    await expect(client.getAccessGroup(of(lab))).rejects.toThrow(`group ${lab} was not found (404)`);
    await expect(client.listAccessGroups({ query: { offset: -1 } })).rejects.toThrow('offset cannot be negative');
  });

  it('a user is a member of a group once, listed and found until removed', async () => {
    const { client } = service;
    const [lab, other] = [await group('lab'), await group('class')];
    const add = (id: number, user: string, role = 'member') =>
      client.addGroupMember({ params: { id }, body: { user_name: user, group_id: 99, role } });
    expect(await add(lab, 'ann', 'admin')).toMatchObject({
      user_name: 'ann',
      group_id: lab,
      role: 'admin',
      created_at: AT,
    });
    await add(lab, 'bob');
    await add(other, 'ann');
    await expect(add(lab, 'ann')).rejects.toThrow(`User 'ann' is already a member of group ${lab}`);
    const members = async () =>
      (await client.listGroupMembers({ params: { id: lab }, query: {} })).items.map(({ user_name: name }) => name);
    expect(await members()).toEqual(['ann', 'bob']);
    const groupsOf = async (user: string) =>
      (await client.listUserGroups({ params: { user_name: user }, query: {} })).items.map(({ name }) => name);
    expect([await groupsOf('ann'), await groupsOf('unknown')]).toEqual([['class', 'lab'], []]);
    const out = { params: { id: lab, user_name: 'ann' } };
    expect(await client.removeGroupMember(out)).toMatchObject({ user_name: 'ann' });
    await expect(client.removeGroupMember(out)).rejects.toMatchObject({ status: 404 });
    expect(await members()).toEqual(['bob']);
  });

  it('a system group cannot be changed through the API', async () => {
    const { client } = service;
    await expect(client.deleteAccessGroup(of(1))).rejects.toThrow('Cannot delete system groups');
    const member = { params: { id: 1 }, body: { user_name: 'me', group_id: 1, role: 'member' } };
    await expect(client.addGroupMember(member)).rejects.toThrow(
      'Admin group membership is managed via server configuration',
    );
    await expect(client.removeGroupMember({ params: { id: 1, user_name: 'me' } })).rejects.toMatchObject({
      status: 403,
    });
  });
});

describe('a workflow', () => {
  it('a workflow is shared with groups when it is created or later, and found by them', async () => {
    const { client } = service;
    const [lab, other] = [await group('lab'), await group('class')];
    const mine = await workflow({ access_groups: ['lab'] });
    const later = await workflow();
    expect(await client.addWorkflowToGroup({ params: { id: later, group_id: other } })).toEqual({
      workflow_id: later,
      group_id: other,
      created_at: AT,
    });
    const foundBy = async (name: string) =>
      (await client.listWorkflows({ query: { access_group: name } })).items.map(({ id }) => id);
    expect([await foundBy('lab'), await foundBy('class'), await foundBy('unknown')]).toEqual([[mine], [later], []]);
    const groups = await client.listWorkflowGroups({ params: { id: mine }, query: {} });
    expect(groups.items.map(({ name }) => name)).toEqual(['lab']);

    const share = { params: { id: mine, group_id: lab } };
    await expect(client.addWorkflowToGroup(share)).rejects.toThrow(
      `Workflow ${mine} is already associated with group ${lab}`,
    );
    await client.removeWorkflowFromGroup(share);
    await expect(client.removeWorkflowFromGroup(share)).rejects.toMatchObject({ status: 404 });
    expect(await foundBy('lab')).toEqual([]);
  });

  it('a workflow is shared with a user once, until that is taken back, and never with its owner', async () => {
    const { client } = service;
    const id = await workflow({ user: 'ann' });
    const bob = { params: { id, user_name: 'bob' } };
    const users = async () => (await client.listWorkflowUsers({ params: { id }, query: {} })).items;
    expect(await client.shareWorkflow(bob)).toEqual({ workflow_id: id, user_name: 'bob', created_at: AT });
    await client.shareWorkflow({ params: { id, user_name: 'al/ice é' } });
    expect((await users()).map((each) => each.user_name)).toEqual(['al/ice é', 'bob']);
    await expect(client.shareWorkflow(bob)).rejects.toThrow(`Workflow ${id} is already shared with user 'bob'`);
    await expect(client.shareWorkflow({ params: { id, user_name: 'ann' } })).rejects.toMatchObject({
      code: 'SHARE_REFUSED',
      message: `Workflow ${id} belongs to 'ann'`,
    });
    await client.unshareWorkflow(bob);
    await expect(client.unshareWorkflow(bob)).rejects.toMatchObject({ status: 404 });
    await client.deleteWorkflow({ params: { id } });
    await expect(users()).rejects.toMatchObject({ status: 404 });
    await expect(client.shareWorkflow(bob)).rejects.toMatchObject({ status: 404 });
  });

  it('a workflow is not shared with a user whom the file of users does not have', async () => {
    const { client } = (service = testService({ login: { ...openLogin, knows: (user) => user === 'bob' } }));
    const id = await workflow();
    await client.shareWorkflow({ params: { id, user_name: 'bob' } });
    await expect(client.shareWorkflow({ params: { id, user_name: 'bobb' } })).rejects.toMatchObject({
      code: 'USER_UNKNOWN',
      message: "This server has no user 'bobb'",
    });
  });

  it.each([
    [['lab', 'lab'], "access_groups contains duplicate entry 'lab'"],
    [['lab', 'ghost'], "Unknown access group 'ghost': create the group before referencing it"],
  ])('a workflow that names %j is refused, and nothing is created', async (names, words) => {
    await group('lab');
    await expect(workflow({ access_groups: names })).rejects.toThrow(words);
    expect((await service.client.listWorkflows({ query: {} })).items).toEqual([]);
  });

  it('a workflow is visible to its owner and the members of its groups, and access_check says so while access is not enforced', async () => {
    const lab = await group('lab');
    const { id, user } = await service.client.getWorkflow({
      params: { id: await workflow({ access_groups: ['lab'] }) },
    });
    const check = async (name: string, workflowId = id) =>
      (await service.client.checkAccess({ params: { workflow_id: workflowId, user_name: name } })).has_access;
    expect([await check(user), await check('ann')]).toEqual([true, false]);
    const member = { user_name: 'ann', group_id: lab, role: 'member' };
    await service.client.addGroupMember({ params: { id: lab }, body: member });
    expect([await check('ann'), await check('ben'), await check('ann', 99)]).toEqual([true, false, false]);
  });
});
