import { expect, it } from 'vitest';
import { createClient } from './client.ts';
import { Unreachable } from './errors.ts';

const replying = (text: string) => createClient(() => Promise.resolve({ status: 200, text }));
const PORTALS = [
  '{}',
  'null',
  '[]',
  '7',
  '"hi"',
  '',
  '<html>Log in</html>',
  '{"error":"login"}',
  '{"items":null}',
  '{"items":{}}',
];

it.each(PORTALS)(
  'a reply %s of a portal is named as one of another program, on reads, lists and writes',
  async (text) => {
    const client = replying(text);
    for (const call of [
      () => client.getVersion({}),
      () => client.getWorkflow({ params: { id: 1 } }),
      () => client.getWorkflowStatus({ params: { id: 1 } }),
      () => client.listJobs({ query: { workflow_id: 1 } }),
      () => client.archiveWorkflow({ params: { id: 1 }, body: { is_archived: true } }),
      () => client.getKnownJob({ params: { id: 1 } }),
    ])
      await expect(call()).rejects.toSatisfy(
        (error) => error instanceof Unreachable && error.message.includes('no Torc server replied'),
      );
  },
);

it.each(['{}', '7', '<html>'])('a list of records is a list: %s is none', async (text) => {
  await expect(replying(text).listWorkflowActions({ params: { id: 1 } })).rejects.toThrow('expected a list');
});

it('the message says what was expected and found, and the remedy names the portal', async () => {
  await expect(replying('{}').getVersion({})).rejects.toThrow(
    'get version: no Torc server replied: expected an object with version, api_version, found an object with no field',
  );
  await expect(replying('<html>Log in</html>').listJobs({ query: { workflow_id: 1 } })).rejects.toMatchObject({
    message: 'list jobs: no Torc server replied: expected an object with a list "items", found a page',
    remedy: expect.stringContaining('--cookie-header'),
  });
});

it('a reply of a server is accepted, also of one that lacks some fields or has others', async () => {
  expect(await replying('{"version":"1.0.0"}').getVersion({})).toEqual({ version: '1.0.0' });
  expect(await replying('{"items":[],"later":1}').listJobs({ query: { workflow_id: 1 } })).toMatchObject({ items: [] });
  expect(await replying('[]').listWorkflowActions({ params: { id: 1 } })).toEqual([]);
  expect(await replying('{}').claimNextJobs({ params: { id: 1 } })).toEqual({});
});

it('where Torc promises no field, any JSON is accepted, and a page is not', async () => {
  expect(await replying('null').cancelWorkflow({ params: { id: 1 } })).toBeNull();
  await expect(replying('<html>').cancelWorkflow({ params: { id: 1 } })).rejects.toThrow('no Torc server replied');
});
