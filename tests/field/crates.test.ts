import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { temporaryFolder, torc } from '../support/programs.ts';

/** What public reports say of the research objects of other programs, as a workflow that would show the same here, and what ours says. */

const FLOW = `name: shared
enable_ro_crate: true
user_data: [{ name: chosen, data: 3 }, { name: never }]
files: [{ name: in, path: in.txt }, { name: out, path: out.txt }]
jobs:
  - { name: silent, command: 'true', output_user_data: [never] }
  - name: count
    command: wc -l < in.txt > out.txt
    input_files: [in]
    output_files: [out]
    input_user_data: [chosen, never]
`;

type Node = Record<string, unknown>;
let nodes: Map<unknown, Node>;
let text: string;
let warnings: string;

beforeAll(async () => {
  const cwd = temporaryFolder();
  const call = (...args: string[]) => torc(['-s', ...args], { cwd });
  writeFileSync(join(cwd, 'shared.yaml'), FLOW);
  writeFileSync(join(cwd, 'in.txt'), 'a\nb\n');
  mkdirSync(join(cwd, 'results'));
  await call('run', 'shared.yaml');
  await call('ro-crate', 'export', '1', '-o', 'ro-crate-metadata.json', '--author', 'Ada 0000-0002-1825-0097');
  text = readFileSync(join(cwd, 'ro-crate-metadata.json'), 'utf8');
  nodes = new Map((JSON.parse(text) as { '@graph': Node[] })['@graph'].map((node) => [node['@id'], node]));
  warnings = (await call('ro-crate', 'export', '1', '-o', 'results/ro-crate-metadata.json')).stderr;
});

const ROWS: readonly (readonly [report: string, found: () => unknown, expected: unknown])[] = [
  [
    'https://github.com/nextflow-io/nf-prov/issues/51 (how long did the workflow and a step of it run? No action had the workflow as its instrument)',
    () =>
      [...nodes.values()]
        .filter((node) => /^#(workflow-run|job)/.test(String(node['@id'])))
        .map(({ startTime, endTime }) => [typeof startTime, typeof endTime]),
    Array.from({ length: 3 }, () => ['string', 'string']),
  ],
  [
    'https://github.com/nextflow-io/nf-prov/pull/19 (outputs had paths that were wrong in the folder of the document)',
    () => /results lacks 2 files \(in\.txt, out\.txt\): the document belongs into the folder of the run/.test(warnings),
    true,
  ],
  [
    'https://github.com/nextflow-io/nf-prov/pull/39 (parameters that were not given had the value null)',
    () =>
      [...nodes.values()].flatMap(({ '@type': type, name, value }) =>
        type === 'PropertyValue' ? [[name, value]] : [],
      ),
    [['chosen', 3]],
  ],
  [
    'https://github.com/BSC-ES/autosubmit/issues/2573 (user name and home folder were published)',
    () => [text.includes('tester'), /"\/(?:home|tmp|root|work|usr)\//.test(text)],
    [false, false],
  ],
];

it.each(ROWS)('%s', (_, found, expected) => {
  expect(found()).toEqual(expected);
});
