import { expect, it } from 'vitest';
import { renamedEntity } from './entity-ids.ts';

const renamed = renamedEntity({
  jobs: new Map([
    [1, 2],
    [2, 1],
  ]),
  files: new Map([[7, 70]]),
});

it('an entity gets the new ids of jobs and files in its name, and in every @id in it, at any depth', () => {
  const entity = renamed({
    entity_id: '#job-1-attempt-3',
    metadata: {
      '@id': '#job-1-attempt-3',
      object: [{ '@id': '#file-7' }, { '@id': 'data.csv' }],
      nested: { deeper: [{ '@id': '#job-2-attempt-1', '@type': 'CreateAction' }] },
    },
  });
  expect(entity).toEqual({
    entity_id: '#job-2-attempt-3',
    metadata: {
      '@id': '#job-2-attempt-3',
      object: [{ '@id': '#file-70' }, { '@id': 'data.csv' }],
      nested: { deeper: [{ '@id': '#job-1-attempt-1', '@type': 'CreateAction' }] },
    },
  });
});

it('text that only looks like an id stays, and so do names of runs and programs', () => {
  const metadata = { name: '#job-1-attempt-1', list: ['#file-7'], at: { '@id': '#torc-run-id-1' }, n: [1, null, true] };
  for (const entityId of ['#job-1-attempt-1x', 'x#job-1-attempt-1', '#torc-run-id-1', './']) {
    const entity = { entity_id: entityId, metadata };
    expect(renamed(entity)).toEqual(entity);
  }
});

it('the id of a job that is not in the file is distinguished from every job here', () => {
  const entity = renamed({ entity_id: '#job-9-attempt-1', metadata: { 'prov:used': { '@id': '#file-9' } } });
  expect(entity).toEqual({
    entity_id: '#elsewhere-job-9-attempt-1',
    metadata: { 'prov:used': { '@id': '#elsewhere-file-9' } },
  });
});
