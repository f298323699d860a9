import { expect, it, test } from 'vitest';
import { printedJob } from '../../../tests/support/snakemake.ts';
import { planned } from '../../../tests/spec/reading.ts';
import { noteText } from '../conversion.ts';
import { attemptsToAsk, usualRetries } from './attempts.ts';
import { convertSnakemake } from './convert.ts';

/** A rule, and what a dry run prints for each attempt of its job. */
const convert = (
  directives: string,
  ...attempts: readonly { readonly resources?: string; readonly shell?: string }[]
) => {
  const [printed = '', ...later] = attempts.map(({ resources = 'tmpdir=/tmp', shell = 'x' }) =>
    printedJob('r', { output: 'o', resources }, shell),
  );
  const text = `rule r:\n  ${directives}\n  shell: "x"\n`;
  const { workflow, notes } = convertSnakemake({ files: [{ path: 'Snakefile', text }], printed, later });
  planned(workflow);
  return { workflow, notes: notes.map(noteText) };
};
const memory = (...values: readonly number[]) => values.map((mb) => ({ resources: `mem_mb=${mb}` }));

it.each(['retries: 3', 'retries:\n    3  # of the network', 'retries: 7\n  retries: 3'])(
  'a rule with %j becomes a job of four attempts, whatever the exit code',
  (directives) => {
    const { workflow, notes } = convert(directives, {});
    expect(workflow).toMatchObject({
      jobs: [{ failure_handler: 'retry_1' }],
      failure_handlers: [{ name: 'retry_1', rules: [{ match_all_exit_codes: true, max_retries: 4 }] }],
    });
    expect(notes).toEqual([]);
  },
);

it('without retries there is no handler', () => {
  expect(convert('retries: 0', {}).workflow).not.toHaveProperty('failure_handlers');
  expect(convert('threads: 1', {}).workflow).not.toHaveProperty('failure_handlers');
});

test.each([
  [[1000, 2000, 3000, 4000], { memory: 'x2', max: '4g', max_retries: 4 }],
  [[1000, 1000, 1500, 1500], { memory: 'x1.5', max: '2g', max_retries: 4 }],
])('memory of %j MB by attempt is raised up to that of the last one', (values, expected) => {
  const { workflow, notes } = convert('retries: 3', ...memory(...values));
  expect(workflow).toMatchObject({ failure_handlers: [{ on_oom: expected }] });
  expect(notes).toEqual([expect.stringContaining('Snakefile:1: note: memory of rule r by attempt')]);
});

it('a runtime by attempt is raised too', () => {
  const { workflow } = convert('retries: 1', { resources: 'runtime=10' }, { resources: 'runtime=30' });
  expect(workflow).toMatchObject({
    failure_handlers: [{ on_timeout: { runtime: 'x3', max: 'PT30M', max_retries: 2 } }],
  });
});

test.each([
  [memory(2000, 1000), 'left out: memory of rule r by attempt: it falls'],
  [[{ shell: 'x 1' }, { shell: 'x 2' }], 'left out: the command of rule r by attempt'],
  [[{ resources: 'gpu=1' }, { resources: 'gpu=2' }], 'left out: threads or GPUs of rule r by attempt'],
])('what no handler can change is left out: %j', (attempts, expected) => {
  expect(convert('retries: 1', ...attempts).notes).toEqual([expect.stringContaining(expected)]);
});

it('a rule that Snakemake runs makes its attempts itself, with room for the last one', () => {
  const { workflow } = convert('retries: 1\n  conda: "e.yaml"', ...memory(1000, 4000));
  expect(workflow).not.toHaveProperty('failure_handlers');
  expect(workflow).toMatchObject({ resource_requirements: [{ memory: '4g' }] });
});

test.each([
  ['rule r:\n  retries: 3\n', 1],
  ['rule r:\n  retries: 3 # attempt\n', 1],
  ['rule r:\n  resources: mem_mb=lambda wc, attempt: attempt\n', 1],
  ['rule r:\n  retries: 3\n  resources: mem_mb=lambda wc, attempt: attempt\n', 4],
  ['rule r:\n  retries: 30\n  resources: mem_mb=lambda wc, attempt: attempt\n', 6],
])('of the Snakefile %j the attempts to ask for are %i', (text, expected) => {
  const files = [{ path: 'Snakefile', text }];
  expect(attemptsToAsk(files, [])).toBe(expected);
});

it('a profile sets the retries of rules that say nothing of them', () => {
  const profiles = [
    { path: 'profiles/default/config.yaml', text: 'retries: 2\ndefault-resources:\n  mem_mb: attempt * 300\n' },
  ];
  const files = [
    { path: 'Snakefile', text: 'rule r:\n  shell: "x"\nrule once:\n  retries: 0\n  shell: "x"\n' },
  ] as const;
  expect([usualRetries(profiles), usualRetries([]), attemptsToAsk(files, profiles)]).toEqual([2, 0, 3]);
  const job = (rule: string) => printedJob(rule, { output: rule }, 'x');
  const { workflow } = convertSnakemake({ files, printed: `${job('r')}${job('once')}`, profiles });
  expect(workflow).toMatchObject({ jobs: [{ failure_handler: 'retry_1' }, {}] });
  expect((workflow['jobs'] as object[])[1]).not.toHaveProperty('failure_handler');
});
