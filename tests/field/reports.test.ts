import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { WorkflowReport } from '../../src/core/report/workflow-report.ts';
import { temporaryFolder, torc } from '../support/programs.ts';

/** What public reports say of the reports that other programs write, as jobs that would show the same here, and what ours says of them. */

const FLOW = `name: reports
resource_requirements: [{ name: small, num_cpus: 1, memory: 200m, runtime: PT5M }]
jobs:
  - { name: 'tiny_{i}', command: 'sleep 0.2', parameters: { i: '1:12' }, resource_requirements: small }
  - { name: long, command: 'sleep 1', resource_requirements: small }
  - { name: 'a & b', command: 'true' }
  - { name: ignored, command: 'exit 4' }
  - { name: behind, command: 'true', depends_on: [ignored], cancel_on_blocking_job_failure: false }
  - { name: one_line, command: 'head -c 3000000 /dev/zero | tr "\\0" x >&2; exit 5' }
`;

let html: string;
let report: WorkflowReport;

beforeAll(async () => {
  const folder = temporaryFolder();
  const call = (...args: string[]) => torc(['-s', ...args], { cwd: folder });
  writeFileSync(join(folder, 'reports.yaml'), FLOW);
  await call('run', 'reports.yaml');
  await call('report', '1', '-o', 'report.html');
  await call('report', '1', '-o', 'report.json');
  html = readFileSync(join(folder, 'report.html'), 'utf8');
  [report] = (JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as { reports: [WorkflowReport] }).reports;
});

const hoursOf = (name: string) => report.resources.families.find((family) => family.name === name)?.core_hours ?? 0;

const ROWS: readonly (readonly [report: string, found: () => unknown, expected: unknown])[] = [
  [
    'https://github.com/nextflow-io/nextflow/issues/6298 (many short jobs did not stand out, which cost most together)',
    () => [hoursOf('tiny_#') > hoursOf('long'), html.indexOf('<td>tiny_#</td>') < html.indexOf('<td>long</td>')],
    [true, true],
  ],
  [
    'https://github.com/nextflow-io/nextflow/issues/534 (a failure that was ignored was not in the report)',
    () => [report.verdict.state, html.includes('15 of 17 jobs completed, 2 failed')],
    ['failed', true],
  ],
  [
    'https://github.com/snakemake/snakemake/issues/282 (styles and scripts came from the internet)',
    () => html.match(/https?:|@import|url\(/g),
    null,
  ],
  [
    'https://github.com/galaxyproject/galaxy/issues/18354 (the & of a name was escaped twice)',
    () => [html.includes('a &amp; b'), html.includes('&amp;amp;')],
    [true, false],
  ],
  [
    'https://github.com/darold/pgbadger/issues/225 (a few very long lines made 325 MB)',
    () => html.length < 200_000,
    true,
  ],
];

it.each(ROWS)('%s', (_, found, expected) => {
  expect(found()).toEqual(expected);
});
