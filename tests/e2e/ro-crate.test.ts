import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder } from '../support/programs.ts';
import { wordsTo } from '../support/words.ts';

let folder: string;
let server: RunningServer;
let workflow: number;
let jobs: number[];
/** A folder of two files. */
let data: string;

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  data = join(folder, 'data');
  mkdirSync(join(data, 'part'), { recursive: true });
  writeFileSync(join(data, 'a.csv'), 'a\n');
  writeFileSync(join(data, 'part/b.csv'), 'b,b\n');
});

beforeEach(async () => {
  const { client } = server;
  workflow = (await client.createWorkflow({ body: { name: 'study', user: 'tester' } })).id;
  const of = { workflow_id: workflow };
  const file = await client.createFile({ body: { ...of, name: 'in', path: 'in.csv' } });
  jobs = [];
  for (const name of ['make', 'more'])
    jobs.push(
      (await client.createJob({ body: { ...of, name, command: 'true', input_file_ids: [file.id] } })).id as number,
    );
});

const { call, json } = wordsTo(() => server.url);
const addDataset = (...words: (string | number)[]) =>
  json('ro-crate', 'add-dataset', String(workflow), '--name', 'Data', '--path', data, ...words.map(String));
const entities = async () => {
  const { items } = await server.client.listRoCrateEntities({ params: { id: workflow } });
  return new Map(items.map((entity) => [entity.entity_id, entity]));
};
const attempt = (at: number) => `#job-${jobs[at]}-attempt-1`;

describe('ro-crate add-dataset', () => {
  it('ro-crate add-dataset describes a folder: its size, its files, what it is, and a hash of what is in them', async () => {
    const words = ['--hash-mode', 'content', '-t', 2, '--description', 'All of it', '--encoding-format', 'text/csv'];
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(await addDataset(...words)).toMatchObject({
      workflow_id: workflow,
      entity_id: `${data}/`,
      entity_type: 'Dataset',
      metadata: {
        '@id': `${data}/`,
        '@type': ['Dataset', 'prov:Entity'],
        name: 'Data',
        description: 'All of it',
        encodingFormat: 'text/csv',
        contentSize: '6',
        fileCount: 2,
        hashMode: 'content',
        sha256: sha256(`a.csv:${sha256('a\n')}\npart/b.csv:${sha256('b,b\n')}\n`),
      },
    });
  });

  it('ro-crate add-dataset takes the manifest for the hash unless an option says otherwise, and none where none is wanted', async () => {
    expect(await addDataset()).toMatchObject({
      metadata: { hashMode: 'manifest', sha256: expect.stringMatching(/^[\da-f]{64}$/) },
    });
    const { metadata } = (await addDataset('--hash-mode', 'none')) as { metadata: object };
    expect(metadata).toMatchObject({ hashMode: 'none', fileCount: 2 });
    expect(metadata).not.toHaveProperty('sha256');
    expect((await entities()).size).toBe(1);
  });

  it('ro-crate add-dataset takes more metadata, which wins', async () => {
    const more = '{"name": "Mine", "license": {"@id": "https://example.org/l"}}';
    expect(await addDataset('--metadata', more)).toMatchObject({
      metadata: { name: 'Mine', license: { '@id': 'https://example.org/l' }, fileCount: 2 },
    });
  });

  it('ro-crate add-dataset says of jobs that made it what they did, where it is not said yet', async () => {
    expect(await addDataset('--job-id', jobs[0] as number)).toMatchObject({
      metadata: { 'prov:wasGeneratedBy': { '@id': attempt(0) } },
    });
    expect((await entities()).get(attempt(0))).toMatchObject({
      entity_type: 'CreateAction',
      metadata: { name: 'make', object: [{ '@id': 'in.csv' }], result: [{ '@id': `${data}/` }] },
    });
    expect(await addDataset('-j', ...jobs)).toMatchObject({
      metadata: { 'prov:wasGeneratedBy': [{ '@id': attempt(0) }, { '@id': attempt(1) }] },
    });
  });

  it('ro-crate add-dataset adds it once to what a job is known to have made, also where that is no list', async () => {
    const { client } = server;
    const known = { workflow_id: workflow, entity_type: 'CreateAction' };
    const [list, one] = [[{ '@id': 'x' }], { '@id': 'y' }];
    for (const [at, result] of [list, one].entries())
      await client.createRoCrateEntity({
        body: { ...known, entity_id: attempt(at), metadata: { '@id': attempt(at), name: 'mine', result } },
      });
    for (let again = 0; again < 2; again += 1) await addDataset('-j', ...jobs);
    const after = await entities();
    expect(after.get(attempt(0))?.metadata).toMatchObject({ name: 'mine', result: [...list, { '@id': `${data}/` }] });
    expect(after.get(attempt(1))?.metadata).toMatchObject({ name: 'mine', result: [one, { '@id': `${data}/` }] });
    expect(after.size).toBe(3);
  });

  it.each([
    ['metadata that is no JSON', () => ['--metadata', '{'], 'not valid JSON'],
    ['metadata that is no object', () => ['--metadata', '[1]'], 'must be a JSON object'],
    ['a job that is not there', () => ['-j', '999999'], 'job 999999 was not found (404)'],
    ['a folder that is not there', () => ['--path', join(folder, 'nothing')], 'the folder does not exist'],
    ['a file', () => ['--path', join(data, 'a.csv')], 'is not a folder'],
  ])('ro-crate add-dataset is refused with %s, and nothing is written', async (_, words, why) => {
    const base = ['--name', 'Data', '--path', data, '-j', String(jobs[0])];
    const { code, stdout, stderr } = await call('ro-crate', 'add-dataset', String(workflow), ...base, ...words());
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(why)]);
    expect((await entities()).size).toBe(0);
  });

  it('ro-crate add-dataset is refused with a job of another workflow, and nothing is written', async () => {
    const { id } = await server.client.createWorkflow({ body: { name: 'other', user: 'tester' } });
    const other = await server.client.createJob({ body: { workflow_id: id, name: 'a', command: 'true' } });
    await expect(addDataset('-j', other.id)).rejects.toThrow(`belongs to workflow ${id}, not ${workflow}`);
    expect((await entities()).size).toBe(0);
  });
});

describe('ro-crate export', () => {
  it('ro-crate export writes the document of the research object, on standard output or whole into a file', async () => {
    await addDataset('-j', jobs[0] as number);
    const document = await json('ro-crate', 'export', String(workflow));
    const graph = document['@graph'] as Record<string, unknown>[];
    expect(graph.map((node) => node['@id']).slice(0, 4)).toEqual([
      'ro-crate-metadata.json',
      './',
      `${data}/`,
      attempt(0),
    ]);
    expect(graph[1]).toMatchObject({ name: 'study', hasPart: [{ '@id': 'study.yaml' }, { '@id': `${data}/` }] });
    const path = join(folder, 'ro-crate-metadata.json');
    expect(await json('ro-crate', 'export', String(workflow), '-o', path)).toEqual({
      workflow_id: workflow,
      output_file: path,
      entities: 2,
    });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(document);
  });

  it('ro-crate export of a workflow that is not there writes nothing', async () => {
    const path = join(folder, 'nothing.json');
    const { code, stdout, stderr } = await call('ro-crate', 'export', '999999', '-o', path);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('workflow 999999 was not found (404)')]);
    expect(existsSync(path)).toBe(false);
  });
});
