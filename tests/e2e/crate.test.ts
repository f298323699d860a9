import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';

const spec = (over: object) => ({
  name: 'crate',
  files: [
    { name: 'numbers', path: 'numbers.txt' },
    { name: 'sum', path: 'sum.txt' },
  ],
  jobs: [
    { name: 'count', command: 'seq 3 > numbers.txt', output_files: ['numbers'] },
    { name: 'add', command: 'echo 6 > sum.txt', input_files: ['numbers'], output_files: ['sum'] },
    { name: 'nothing', command: 'true' },
  ],
  ...over,
});

async function entitiesOf(over: object, runs = 1) {
  const folder = temporaryFolder();
  const path = join(folder, 'flow.json');
  writeFileSync(path, JSON.stringify(spec(over)));
  const { url, client } = await startServer(folder);
  const { stderr } = await torc(['--url', url, 'run', path], { cwd: folder });
  expect(stderr).toContain('3 jobs completed');
  expect(stderr).not.toContain('The research object is incomplete');
  for (let again = 1; again < runs; again += 1) {
    await torc(['--url', url, 'workflows', 'reset-status', '1', '-r', '--no-prompts'], { cwd: folder });
    expect((await torc(['--url', url, 'run', '1'], { cwd: folder })).stderr).not.toContain(
      'The research object is incomplete',
    );
  }
  const { items } = await client.listRoCrateEntities({ params: { id: 1 }, query: {} });
  return new Map(items.map((entity) => [entity.entity_id, entity]));
}

it('a workflow that asks for provenance says of each output which attempt made it, from what, and what is in it', async () => {
  const entities = await entitiesOf({ enable_ro_crate: true });
  expect([...entities.keys()].toSorted()).toEqual([
    '#job-1-attempt-1',
    '#job-2-attempt-1',
    '#software-torc-run-id-1',
    '#software-torc-server-run-id-1',
    '#torc-run-id-1',
    '#torc-workflow',
    'numbers.txt',
    'sum.txt',
  ]);
  expect(entities.get('#job-2-attempt-1')?.metadata).toMatchObject({
    '@type': ['CreateAction', 'prov:Activity'],
    name: 'add',
    'prov:hadPlan': { '@id': '#torc-workflow' },
    instrument: { '@id': '#software-torc-run-id-1' },
    isPartOf: { '@id': '#torc-run-id-1' },
    object: [{ '@id': 'numbers.txt' }],
    'prov:used': { '@id': 'numbers.txt' },
    result: [{ '@id': 'sum.txt' }],
  });
  const sum = entities.get('sum.txt');
  expect(sum).toMatchObject({ entity_type: 'File', file_id: 2 });
  expect(sum?.metadata).toMatchObject({
    contentSize: '2',
    sha256: createHash('sha256').update('6\n').digest('hex'),
    'prov:wasGeneratedBy': { '@id': '#job-2-attempt-1' },
    'prov:wasDerivedFrom': { '@id': 'numbers.txt' },
    'prov:wasAttributedTo': { '@id': '#torc-run-id-1' },
    encodingFormat: 'text/plain',
  });
  expect(entities.get('#torc-workflow')?.metadata).toMatchObject({ name: 'crate', '@type': ['HowTo', 'prov:Plan'] });
  expect(entities.get('#software-torc-run-id-1')?.metadata).toMatchObject({
    '@type': ['SoftwareApplication', 'prov:SoftwareAgent'],
    version: expect.stringMatching(/^\d/),
  });
  expect(entities.get('#torc-run-id-1')?.metadata).toMatchObject({
    name: 'crate Run 1',
    startTime: expect.stringMatching(/Z$/),
    endTime: expect.stringMatching(/Z$/),
  });
});

it('a workflow that does not says nothing of its files', async () => {
  expect([...(await entitiesOf({})).keys()]).toEqual(['#software-torc-server-run-id-1']);
});

it('a second run says anew what it made, in the place of what the first one said', async () => {
  const entities = await entitiesOf({ enable_ro_crate: true }, 2);
  expect(entities.get('#job-2-attempt-1')?.metadata).toMatchObject({ isPartOf: { '@id': '#torc-run-id-2' } });
  expect(entities.get('sum.txt')?.metadata).toMatchObject({
    'prov:wasAttributedTo': { '@id': '#torc-run-id-2' },
  });
  expect(entities.has('#torc-run-id-1')).toBe(true);
});
