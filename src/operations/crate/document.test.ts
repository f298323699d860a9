import { describe, expect, it } from 'vitest';
import type { RoCrateEntity } from '../../core/contract/artifact.ts';
import { crateDocument } from './document.ts';

type Node = Record<string, unknown>;

const workflow = { name: 'study', description: 'A study', timestamp: '2026-03-01T12:00:00.000Z' };
const files = [
  { id: 1, path: 'in.csv' },
  { id: 2, path: 'out.csv' },
];

const entity = (
  id: string,
  type: string,
  metadata: RoCrateEntity['metadata'] = {},
  fileId?: number,
): RoCrateEntity => ({
  id: 1,
  workflow_id: 1,
  entity_id: id,
  entity_type: type,
  metadata,
  file_id: fileId,
});

const graphOf = (entities: readonly RoCrateEntity[]) => {
  const { '@graph': graph } = crateDocument({ workflow, files, entities }) as { '@graph': Node[] };
  return new Map(graph.map((node) => [node['@id'], node]));
};

describe('the document of a research object', () => {
  it('a file that was deleted is described as such, and is no part of the object; the attempt that made it still names it', () => {
    const entities = [
      entity('in.csv', 'File', {}, 1),
      entity('out.csv', 'File', {}, 2),
      entity('#job-1-attempt-1', 'CreateAction', { result: [{ '@id': 'out.csv' }] }),
    ];
    const removed = files.map((file) => (file.id === 2 ? { ...file, removal: 'deleted' as const } : file));
    const { '@graph': nodes } = crateDocument({ workflow, files: removed, entities }) as { '@graph': Node[] };
    const graph = new Map(nodes.map((node) => [node['@id'], node]));
    expect(graph.get('./')).toMatchObject({ hasPart: [{ '@id': 'in.csv' }] });
    expect(graph.get('out.csv')).toMatchObject({ creativeWorkStatus: 'Deleted' });
    expect(graph.get('in.csv')).not.toHaveProperty('creativeWorkStatus');
    expect(graph.get('#job-1-attempt-1')).toMatchObject({ result: [{ '@id': 'out.csv' }] });
  });

  it('the document describes itself, and its root lists files and datasets as parts and attempts as their producers', () => {
    const graph = graphOf([
      entity('in.csv', 'File', { '@type': ['File', 'prov:Entity'] }, 1),
      entity('made/', 'Dataset'),
      entity('#job-1-attempt-1', 'CreateAction'),
      entity('#software', 'SoftwareApplication'),
    ]);
    expect([...graph.keys()]).toEqual([
      'ro-crate-metadata.json',
      './',
      'in.csv',
      'made/',
      '#job-1-attempt-1',
      '#software',
    ]);
    expect(graph.get('ro-crate-metadata.json')).toMatchObject({
      '@type': 'CreativeWork',
      about: { '@id': './' },
      conformsTo: { '@id': 'https://w3id.org/ro/crate/1.1' },
    });
    expect(graph.get('./')).toEqual({
      '@id': './',
      '@type': 'Dataset',
      name: 'study',
      description: 'A study',
      datePublished: '2026-03-01T12:00:00.000Z',
      hasPart: [{ '@id': 'in.csv' }, { '@id': 'made/' }],
      mentions: [{ '@id': '#job-1-attempt-1' }],
    });
    expect(graph.get('#software')).toEqual({ '@id': '#software', '@type': 'SoftwareApplication' });
  });

  it('stored properties of the root have precedence over generated ones', () => {
    const graph = graphOf([entity('./', 'Dataset', { name: 'My study', license: { '@id': 'https://example.org/l' } })]);
    expect([...graph.keys()]).toEqual(['ro-crate-metadata.json', './']);
    expect(graph.get('./')).toMatchObject({
      name: 'My study',
      license: { '@id': 'https://example.org/l' },
      datePublished: workflow.timestamp,
      hasPart: [],
    });
  });

  it('a file with an identifier is named by it in every reference, at any depth', () => {
    const at = (id: string) => ({ '@id': id });
    const graph = graphOf([
      entity('urn:in', 'File', { '@type': ['File', 'prov:Entity'], sameAs: at('in.csv') }, 1),
      entity('out.csv', 'File', { 'prov:wasDerivedFrom': at('in.csv') }, 2),
      entity('#job-1-attempt-1', 'CreateAction', {
        object: [at('in.csv'), at('other.csv')],
        result: [at('out.csv')],
        nested: { deep: [{ '@id': 'in.csv', role: 'in.csv' }] },
      }),
      entity('copy', 'Thing', { sameAs: at('in.csv'), name: 'in.csv' }),
    ]);
    expect(graph.get('urn:in')).toMatchObject({ '@id': 'urn:in', sameAs: at('in.csv') });
    expect(graph.get('out.csv')).toMatchObject({ 'prov:wasDerivedFrom': at('urn:in') });
    expect(graph.get('#job-1-attempt-1')).toMatchObject({
      object: [at('urn:in'), at('other.csv')],
      result: [at('out.csv')],
      nested: { deep: [{ '@id': 'urn:in', role: 'in.csv' }] },
    });
    expect(graph.get('copy')).toMatchObject({ sameAs: at('urn:in'), name: 'in.csv' });
  });

  it('the name of an entity does not change, also if it is the path of a file with an identifier', () => {
    const graph = graphOf([entity('urn:in', 'File', {}, 1), entity('in.csv', 'Thing')]);
    expect([...graph.keys()]).toEqual(['ro-crate-metadata.json', './', 'urn:in', 'in.csv']);
  });
});
