import { describe, expect, it } from 'vitest';
import type { Result } from '../../core/contract/result.ts';
import { surroundingsScript } from '../../core/workflow-file/surroundings/script.ts';
import { personOf } from './person.ts';
import { runCrate, type RunRecords, type CrateSaid } from './run-crate.ts';

type Node = Record<string, unknown>;

const result = (jobId: number, over: Partial<Result> = {}): Result => ({
  id: jobId,
  job_id: jobId,
  workflow_id: 1,
  run_id: 1,
  attempt_id: 1,
  compute_node_id: 1,
  return_code: 0,
  exec_time_minutes: 0.5,
  completion_time: '2026-03-01T12:01:00.000Z',
  status: 'completed',
  ...over,
});
const job = (id: number, over: object = {}) => ({ id, workflow_id: 1, name: `j${id}`, command: 'true', ...over });

const records: RunRecords = {
  workflow: { id: 1, name: 'study', user: 'ann', timestamp: '2026-03-01T12:00:00.000Z', run_id: 1 },
  entities: [],
  files: [
    { id: 1, path: 'in.csv' },
    { id: 2, path: 'out.csv' },
  ],
  jobs: [job(1, { command: 'sort in.csv > out.csv', input_file_ids: [1], output_file_ids: [2] })],
  results: [result(1)],
  userData: [],
};
const sharing: CrateSaid = { authors: [], workflowFile: 'study.yaml' };

function graphOf(more: Partial<RunRecords> = {}, said: Partial<CrateSaid> = {}): Map<string, Node> {
  const { '@graph': graph } = runCrate({ ...records, ...more }, { ...sharing, ...said }) as { '@graph': Node[] };
  return new Map(graph.map((node) => [node['@id'] as string, node]));
}
const at = (id: string) => ({ '@id': id });

describe('a run in a research object', () => {
  it('an attempt has its command line, its times, its end and its files, without an entity that was stored', () => {
    expect(graphOf().get('#job-1-attempt-1')).toMatchObject({
      '@type': ['CreateAction', 'prov:Activity'],
      name: 'j1',
      description: 'sort in.csv > out.csv',
      startTime: '2026-03-01T12:00:30.000Z',
      endTime: '2026-03-01T12:01:00.000Z',
      actionStatus: 'http://schema.org/CompletedActionStatus',
      exitCode: 0,
      instrument: at('#software-torc-run-id-1'),
      agent: at('#person-ann'),
      object: [at('in.csv')],
      result: [at('out.csv')],
    });
  });

  it('the run is an action of the workflow file: from what it read outside to what it left, and the root names both', () => {
    const graph = graphOf();
    expect(graph.get('#workflow-run-1')).toMatchObject({
      instrument: at('study.yaml'),
      object: at('in.csv'),
      result: at('out.csv'),
      actionStatus: 'http://schema.org/CompletedActionStatus',
    });
    expect(graph.get('./')).toMatchObject({
      mainEntity: at('study.yaml'),
      hasPart: [at('study.yaml'), at('in.csv'), at('out.csv')],
      mentions: [at('#workflow-run-1'), at('#job-1-attempt-1')],
    });
    expect(graph.get('study.yaml')).toMatchObject({
      '@type': ['File', 'SoftwareSourceCode', 'ComputationalWorkflow'],
      encodingFormat: 'application/yaml',
    });
  });

  it('a failed attempt has the reason, and no file that it did not make; a run whose last attempt completed is completed', () => {
    const failed = result(1, { status: 'failed', return_code: 3, cause_code: 'exit' });
    const one = graphOf({ results: [failed] });
    expect(one.get('#job-1-attempt-1')).toMatchObject({
      actionStatus: 'http://schema.org/FailedActionStatus',
      error: 'the command itself ended with 3',
      result: [],
    });
    expect(one.has('out.csv')).toBe(false);
    expect(one.get('#workflow-run-1')).toMatchObject({ error: '1 of 1 jobs did not complete' });
    const two = graphOf({ results: [failed, result(1, { id: 2, attempt_id: 2 })] });
    expect(two.get('#workflow-run-1')).not.toHaveProperty('error');
    expect([...two.keys()].filter((id) => id.startsWith('#job-1'))).toEqual(['#job-1-attempt-1', '#job-1-attempt-2']);
  });

  it('of a job that ran again the last run is described, whose attempts begin with one again', () => {
    const results = [result(1, { completion_time: '2026-02-01T12:00:00.000Z' }), result(1, { id: 2, run_id: 2 })];
    expect(graphOf({ results }).get('#job-1-attempt-1')).toMatchObject({
      endTime: '2026-03-01T12:01:00.000Z',
      instrument: at('#software-torc-run-id-2'),
    });
  });

  it('a stored entity keeps its properties and gets those that it lacks', () => {
    const id = '#job-1-attempt-1';
    const metadata = {
      '@id': id,
      '@type': 'CreateAction',
      name: 'mine',
      description: 'said by me',
      instrument: at('#x'),
    };
    const entities = [{ id: 1, workflow_id: 1, entity_id: id, entity_type: 'CreateAction', metadata }];
    expect(graphOf({ entities }).get(id)).toMatchObject({ ...metadata, startTime: '2026-03-01T12:00:30.000Z' });
  });

  it('values that jobs read are parameters of the workflow, and one whose name says that it is secret is masked', () => {
    const userData = [
      { id: 1, workflow_id: 1, name: 'threshold', data: 7 },
      { id: 2, workflow_id: 1, name: 'db_password', data: 'hidden' },
    ];
    const graph = graphOf({ userData, jobs: [job(1, { input_user_data_ids: [1, 2] })] });
    expect(graph.get('#user-data-1')).toMatchObject({ name: 'threshold', value: 7, exampleOfWork: at('#parameter-1') });
    expect(graph.get('study.yaml')).toMatchObject({ input: [at('#parameter-1'), at('#parameter-2')] });
    expect(graph.get('#job-1-attempt-1')).toMatchObject({ object: [at('#user-data-1'), at('#user-data-2')] });
    expect(graph.get('#user-data-2')).toMatchObject({ value: '***' });
  });

  it('a value that was never written is no parameter', () => {
    const userData = [{ id: 1, workflow_id: 1, name: 'later' }];
    const graph = graphOf({ userData, jobs: [job(1, { input_user_data_ids: [1] })] });
    expect([graph.has('#user-data-1'), graph.has('#parameter-1')]).toEqual([false, false]);
    expect(graph.get('#job-1-attempt-1')).toMatchObject({ object: [] });
  });

  it('no variable of a job is in it, and the value of one that is secret is masked in its command', () => {
    const env = { API_TOKEN: 'hidden-in-job', MODE: 'not-exported' };
    const jobs = [job(1, { command: 'run hidden-in-job hidden-in-flow --password hidden-too', env })];
    const workflow = { ...records.workflow, env: { DB_SECRET: 'hidden-in-flow' } };
    const text = JSON.stringify(runCrate({ ...records, jobs, workflow }, sharing));
    expect(text).toContain('run *** *** --password ***');
    expect(text).not.toMatch(/hidden|not-exported/);
  });

  it('container, modules and environment of a job are named, and a job without has none', () => {
    const script = surroundingsScript(
      {
        container: { image: 'quay.io/lab/tool:1.2', runtime: 'podman', binds: [] },
        conda: 'analysis',
        module: 'gcc/12.2 R',
      },
      { variables: [], folders: [] },
    );
    const jobs = [job(1, { invocation_script: script }), job(2)];
    const graph = graphOf({ jobs, results: [result(1), result(2)] });
    const image = '#container-quay.io%2Flab%2Ftool%3A1.2';
    expect(graph.get('#job-1-attempt-1')).toMatchObject({
      containerImage: at(image),
      softwareRequirements: [at('#conda-analysis'), at('#module-gcc%2F12.2'), at('#module-R')],
    });
    expect(graph.get(image)).toMatchObject({ name: 'lab/tool', registry: 'quay.io', tag: '1.2' });
    expect(graph.get('#module-gcc%2F12.2')).toMatchObject({ name: 'gcc', softwareVersion: '12.2' });
    expect(graph.get('#job-2-attempt-1')).not.toHaveProperty('containerImage');
    expect(graph.get('#job-2-attempt-1')).not.toHaveProperty('softwareRequirements');
  });

  it('authors, licence and description are those that were said, and one author is the agent', () => {
    const authors = [personOf('Ada Lovelace 0000-0002-1825-0097')];
    const graph = graphOf({}, { authors, license: 'https://example.org/l', description: 'Sorted' });
    expect(graph.get('./')).toMatchObject({
      author: at('https://orcid.org/0000-0002-1825-0097'),
      license: at('https://example.org/l'),
      description: 'Sorted',
    });
    expect(graph.get('#job-1-attempt-1')).toMatchObject({ agent: at('https://orcid.org/0000-0002-1825-0097') });
    expect(graphOf().get('./')).not.toHaveProperty('license');
  });
});

describe('a person', () => {
  it.each([
    ['Ada Lovelace', { name: 'Ada Lovelace' }],
    ['Ada Lovelace 0000-0002-1825-0097', { name: 'Ada Lovelace', orcid: 'https://orcid.org/0000-0002-1825-0097' }],
    ['Ada <https://orcid.org/0000-0002-9079-593X>', { name: 'Ada', orcid: 'https://orcid.org/0000-0002-9079-593X' }],
  ])('%s is read', (text, person) => {
    expect(personOf(text)).toEqual(person);
  });

  it('an iD with a wrong digit is refused', () => {
    expect(() => personOf('Ada 0000-0002-1825-0098')).toThrow('is no ORCID iD');
  });
});
