import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkflow } from '../../src/client/create-workflow.ts';
import { storedPlan } from '../../src/client/stored-plan.ts';
import { formatOfName } from '../../src/core/workflow-file/text/read-text.ts';
import type { Plan } from '../../src/core/workflow-file/plan/plan.ts';
import { isAcceptable, readSpec } from '../../src/core/workflow-file/read/read.ts';
import { writeStored } from '../../src/core/workflow-file/write/write-stored.ts';
import { testService, type TestService } from '../support/service.ts';
import { planText, spec } from '../update/specs.ts';
import { planned } from './reading.ts';

let service: TestService;

beforeEach(() => {
  service = testService();
});
afterEach(() => expect(service.errors).toEqual([]));

const create = (plan: Plan) =>
  createWorkflow(service.client, plan, {
    user: 'tester',
    submissionDirectory: '/tmp',
    monitorsJobs: true,
    mtimeOf: async () => 1,
  });

/** Writes and reads what is stored; the writer itself compares, and names what differs. */
async function written(plan: Plan, format: 'yaml' | 'kdl', isBegun: boolean) {
  const id = await create(plan);
  if (isBegun) await service.client.initializeJobs({ params: { id } });
  const stored = await storedPlan(service.client, id);
  return { ...writeStored(stored, format), stored };
}

const formats = ['yaml', 'kdl'] as const;
const IDENTICAL = { notes: [], errors: [] };

/** Texts that a format could take for something else. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    'yes',
    '1',
    '1.0',
    '0o7',
    'null',
    '~',
    '- a',
    'a: b',
    '# no',
    '{x}',
    '${y}',
    'a\nb\n',
    ' a ',
    "it's",
    '"',
    '\\',
    '#true',
    '\u2028',
  ),
);
const scalar = fc.oneof(text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());

/** What no other law gives a workflow: odd texts everywhere, fields that Torc does not know, causes, data. */
const more = fc.record({
  description: text,
  project: text,
  metadata: fc.dictionary(text, scalar, { maxKeys: 3 }),
  env: fc.dictionary(fc.constantFrom('A', 'B', 'C'), text),
  commands: fc.array(text, { minLength: 6, maxLength: 6 }),
  rules: fc.constantFrom<object>(
    { rules: [{ exit_codes: [1, 2], recovery_script: 'a; b' }, { match_all_exit_codes: true }] },
    { rules: [], on_oom: { memory: 'x1.5', max: '64g' }, on_node_fail: 'retry' },
  ),
  data: fc.jsonValue({ noUnicodeString: false, maxDepth: 2 }),
  limits: fc.constantFrom(undefined, { matlab: 2 }),
  timeout: fc.constantFrom(undefined, 'PT2H'),
  execution: fc.constantFrom(
    undefined,
    { pipefail: true },
    { rerun: 'content', sigterm_lead_seconds: 9, stdio: { mode: 'none' } },
  ),
  fate: fc.constantFrom({}, { protected: true }),
});

const odd = fc.record({ of: spec, more }).map(({ of, more: with_ }) => ({
  ...of,
  description: with_.description,
  project: with_.project,
  metadata: with_.metadata,
  env: with_.env,
  limits: with_.limits,
  execution_config: with_.execution,
  files: of.files.map((file) => ({ ...file, ...with_.fate })),
  user_data: [{ name: 'settings', data: with_.data }],
  failure_handlers: [{ name: 'again', ...with_.rules }],
  jobs: of.jobs.map((job, index) => ({
    ...job,
    command: `${with_.commands[index]} x`,
    resource_requirements: 'small',
    timeout: with_.timeout,
    licenses: with_.limits && { matlab: 1 },
    stdio: index === 0 ? { mode: 'combined' } : undefined,
  })),
}));

describe('a workflow that is exported as a file', () => {
  it('an exported workflow file is read as the same jobs, files and settings, also when it has been initialized', async () => {
    await fc.assert(
      fc.asyncProperty(spec, fc.constantFrom(...formats), fc.boolean(), async (of, format, isBegun) => {
        expect(await written(planned(of), format, isBegun)).toMatchObject(IDENTICAL);
      }),
      { numRuns: 40 },
    );
  });

  it('an exported workflow file makes the same workflow again, whatever its texts and settings are', async () => {
    await fc.assert(
      fc.asyncProperty(odd, fc.constantFrom(...formats), async (of, format) => {
        const { text: file, stored, notes, errors } = await written(planned(of), format, true);
        expect({ notes, errors }).toEqual(IDENTICAL);
        const { plan } = readSpec({ text: file, name: `x.${format}` }, { readFile: () => '' });
        const again = await create(plan as Plan);
        await service.client.initializeJobs({ params: { id: again } });
        expect(planText(await storedPlan(service.client, again))).toEqual(planText(stored));
      }),
      { numRuns: 60 },
    );
  });
});

const root = join(import.meta.dirname, '../..');
const CORPUS = join(root, '../shared/corpus');

const filesBelow = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => formatOfName(name) !== undefined)
        .map((name) => join(folder, name))
    : [];

describe.each([
  ['examples', join(root, 'examples')],
  ['corpus', CORPUS],
])('%s', (name, folder) => {
  const plans = filesBelow(folder).flatMap((path) => {
    const readFile = (table: string) => {
      const found = [
        join(root, table),
        join(dirname(path), table),
        join(dirname(path), '..', table.replace(/^examples\//, '')),
      ].find(existsSync);
      return readFileSync(found ?? table, 'utf8');
    };
    const reading = readSpec({ text: readFileSync(path, 'utf8'), name: path }, { readFile });
    return reading.plan !== undefined && isAcceptable(reading) && reading.plan.jobs.length > 0
      ? [{ path: relative(folder, path), plan: reading.plan }]
      : [];
  });

  it.skipIf(!existsSync(folder))(`${name}: there are workflow files to export`, () => {
    expect(plans.length).toBeGreaterThan(5);
  });

  it.each(plans)('$path is exported as YAML and KDL and read as the same workflow', async ({ plan }) => {
    for (const format of formats) expect(await written(plan, format, true)).toMatchObject(IDENTICAL);
  });
});
