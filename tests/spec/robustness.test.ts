import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Refusal } from '../../src/core/contract/refusals.ts';
import { dryRunReport } from '../../src/core/workflow-file/read/dry-run.ts';
import { executionPlan } from '../../src/core/workflow-file/plan/execution-plan.ts';
import { formatProblem } from '../../src/core/workflow-file/problems/problems.ts';
import { planOfSpec, readSpec, type SpecReading } from '../../src/core/workflow-file/read/read.ts';
import { each } from '../../src/core/lists/sequence.ts';
import { workflow } from '../../src/core/workflow-file/shape/workflow.ts';
import type { SpecFormat } from '../../src/core/workflow-file/text/read-text.ts';

const names = fc.constantFrom('a', 'b', 'f', 'u', 'r', 's', 'h', 'a_{i}', '{i}', '', 'a,b', '^a', '[', '(a+)+$', 'x');
const texts = fc.oneof(
  names,
  fc.constantFrom(
    '1:3',
    '[1,2]',
    '@f',
    'PT1H',
    '1g',
    '01:00:00',
    'gpu:1',
    'zip',
    'direct',
    'slurm',
    'on_jobs_ready',
    'on_workflow_start',
  ),
  fc.constantFrom(
    'schedule_nodes',
    'run_commands',
    't.csv',
    '${files.input.f}',
    '${user_data.output.u} {i}',
    'combined',
    '{v}',
  ),
);
const anything = fc.oneof({ weight: 3, arbitrary: texts }, fc.jsonValue({ maxDepth: 2 }));

/** Any value for a field; mostly of about the right kind. */
const fieldValue = (kind: string, of: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => {
  const right: Record<string, fc.Arbitrary<unknown>> = {
    string: texts,
    choice: texts,
    integer: fc.integer({ min: -2, max: 5 }),
    float: fc.double(),
    boolean: fc.boolean(),
    list: fc.array(of, { maxLength: 3 }),
    map: fc.dictionary(fc.constantFrom('i', 'k', 'v', 'A', '1A'), of, { maxKeys: 2 }),
    object: of,
  };
  return fc.oneof({ weight: 12, arbitrary: right[kind] ?? anything }, anything);
};

type AnyShape = { kind: string; of?: unknown; fields?: unknown };
const valueOf = (shape: AnyShape): fc.Arbitrary<unknown> => {
  if (shape.kind === 'object') {
    const fields = Object.entries((shape.fields ?? {}) as Record<string, { shape: AnyShape; isNeeded: boolean }>);
    const optional = fields.map(([name, field]) => [name, valueOf(field.shape)] as const);
    const needed = fields.filter(([, field]) => field.isNeeded).map(([name]) => name);
    const all = fc.record(Object.fromEntries(optional), { requiredKeys: needed });
    // A few fields a record, or every one would be refused for something.
    return fc
      .tuple(all, fc.infiniteStream(fc.nat({ max: 3 })))
      .map(([record, dice]) =>
        Object.fromEntries(Object.entries(record).filter(([name]) => needed.includes(name) || dice.next().value === 0)),
      );
  }
  return fieldValue(shape.kind, shape.of === undefined ? anything : valueOf(shape.of as AnyShape));
};

const files: Record<string, string> = { f: '1\n2\n', 't.csv': 'i,k\n1,x\n2,y\n' };
const options = {
  maxJobs: 1000,
  maxEdges: 10_000,
  readFile: (path: string): string => {
    const text = files[path];
    if (text === undefined) throw new Error('No such file or directory');
    return text;
  },
};

/** Everything that a command would do with a reading. */
function exercise(reading: SpecReading): void {
  const report = dryRunReport(reading);
  expect(report.valid).toBe(report.errors.length === 0);
  expect(reading.problems.map(formatProblem).every((line) => line.length > 0)).toBe(true);
  expect(JSON.parse(JSON.stringify(report))).toMatchObject({ valid: report.valid });
  if (reading.plan === undefined) {
    expect(report.valid).toBe(false);
    return;
  }
  expect([...each(reading.plan.jobs)].map(({ name }) => name)).toEqual(report.summary.job_names);
  expect([...each(reading.plan.files), ...each(reading.plan.userData)]).toBeDefined();
  reading.plan.executionConfig();
  reading.plan.consumedFiles();
  executionPlan(reading.plan);
}

test('no workflow, however wrong, is more than a list of problems', () => {
  fc.assert(
    fc.property(valueOf(workflow as AnyShape), (spec) => exercise(planOfSpec(spec, 'w', options))),
    { numRuns: 1000 },
  );
});

test('no text, in any format, is more than a list of problems', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'name',
      'jobs',
      'job',
      ':',
      ': ',
      '- ',
      '\n',
      '\n  ',
      '{',
      '}',
      '[',
      ']',
      ',',
      '"',
      "'",
      '"a"',
      '#',
      '/*',
      '//',
      '\\',
      '&a',
      '*a',
      '|',
      '<<',
      '\t',
      '\0',
      '1',
      '1.0',
      '#true',
      '!',
      '%',
      '\ufeff',
    ),
    fc.string({ maxLength: 3 }),
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const format = fc.constantFrom<(SpecFormat | undefined)[]>('yaml', 'json', 'json5', 'kdl', undefined);
  fc.assert(
    fc.property(text, format, fc.boolean(), (written, as, strict) => {
      const source = { text: written, name: as === undefined ? '-' : 'w', ...(as && { format: as }) };
      exercise(readSpec(source, { ...options, strict }));
    }),
    { numRuns: 2000 },
  );
});

test('a refusal is the only thing that a value of a parameter may throw', async () => {
  const { parameterValues } = await import('../../src/core/workflow-file/expand/parameter-values.ts');
  const text = fc.array(
    fc.constantFrom('1', '-', ':', '[', ']', '{', '}', ',', '@', 'f', '.', 'e', 'inf', 'nan', ' ', "'"),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(text, (pieces) => {
      try {
        expect(
          parameterValues(pieces.join(''), { readFile: options.readFile, limit: 100 }).length,
        ).toBeGreaterThanOrEqual(0);
      } catch (cause) {
        expect(cause).toBeInstanceOf(Refusal);
      }
    }),
    { numRuns: 2000 },
  );
});
