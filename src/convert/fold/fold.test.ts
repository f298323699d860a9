import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { planned } from '../../../tests/spec/reading.ts';
import { each } from '../../core/lists/sequence.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import { uniqueNames } from '../unique-names.ts';
import { foldFamilies } from './fold.ts';

/** All that a plan says of its jobs, by name, with the paths and the fates of their files. */
function jobsOf(workflow: ValueMap): readonly object[] {
  const { jobs, files } = planned(workflow);
  const pathsOf = (numbers: Iterable<number>) =>
    [...numbers].map((at) => files.at(at)).map(({ path, fate }) => ({ path, fate }));
  return [...each(jobs)]
    .map(({ inputFiles, outputFiles, ...job }) => ({
      ...job,
      inputs: pathsOf(inputFiles),
      outputs: pathsOf(outputFiles),
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

type Values = Readonly<Record<string, string>>;

const filled = (template: string, values: Values): string =>
  template.replaceAll(/<(\w+)>/g, (_, name: string) => values[name] ?? '');

/** The jobs of one rule: `<name>` in its texts stands for the value of a wildcard. */
function ruleOf(texts: { command: string; input?: string; output?: string }, rows: readonly Values[]) {
  const unique = uniqueNames();
  const wildcards = new Map<ValueMap, Values>();
  const jobs = rows.map((values) => {
    const job: ValueMap = {
      name: unique(['r', ...Object.values(values)].join('_')),
      command: filled(texts.command, values),
      ...(texts.input === undefined ? {} : { inputs: [filled(texts.input, values)] }),
      ...(texts.output === undefined ? {} : { outputs: [{ path: filled(texts.output, values), protected: true }] }),
    };
    wildcards.set(job, values);
    return job;
  });
  const workflow = { name: 'w', jobs };
  const fold = (exact: ValueMap) =>
    foldFamilies(exact, (job) => {
      const values = wildcards.get(job);
      return values === undefined ? undefined : { rule: 'r', wildcards: new Map(Object.entries(values)) };
    });
  return { workflow, folded: fold(workflow), fold };
}

const entriesOf = (workflow: ValueMap): readonly ValueMap[] => workflow['jobs'] as readonly ValueMap[];
const product = (one: readonly string[], other: readonly string[]): Values[] =>
  one.flatMap((s) => other.map((u) => ({ s, u })));

describe('the jobs of a rule become an entry with parameters', () => {
  const texts = { command: 'sort <s>.<u> > out/<s>/<u>', input: '<s>.<u>', output: 'out/<s>/<u>' };

  it('of every combination of two wildcards two lists are left, which stand at the top', () => {
    const { workflow, folded } = ruleOf(texts, product(['a', 'b'], ['1', '2', '3']));
    expect(folded).toEqual({
      name: 'w',
      parameters: { s: '[a, b]', u: '1:3' },
      jobs: [
        {
          name: 'r_{s}_{u}',
          use_parameters: ['s', 'u'],
          command: 'sort {s}.{u} > out/{s}/{u}',
          inputs: ['{s}.{u}'],
          outputs: [{ path: 'out/{s}/{u}', protected: true }],
        },
      ],
    });
    expect(jobsOf(folded)).toEqual(jobsOf(workflow));
  });

  it('of some of the combinations the values stand side by side', () => {
    const { workflow, folded } = ruleOf(texts, product(['a', 'b'], ['1', '2', '3']).slice(1));
    expect(folded).toMatchObject({ parameters: { s: '[a, a, b, b, b]', u: '[2, 3, 1, 2, 3]' } });
    expect(entriesOf(folded)).toMatchObject([{ use_parameters: ['s', 'u'], parameter_mode: 'zip' }]);
    expect(jobsOf(folded)).toEqual(jobsOf(workflow));
  });

  it('values that stand side by side keep the order of the wildcards, whichever of them changes more often', () => {
    const { folded } = ruleOf(texts, [
      { s: 'a', u: '1' },
      { s: 'b', u: '1' },
      { s: 'c', u: '2' },
    ]);
    expect(entriesOf(folded)).toMatchObject([{ use_parameters: ['s', 'u'], parameter_mode: 'zip' }]);
  });

  it('a wildcard with one value is no parameter', () => {
    const { folded } = ruleOf(texts, product(['a', 'b'], ['hg38']));
    expect(folded).toMatchObject({ parameters: { s: '[a, b]' }, jobs: [{ name: 'r_{s}_hg38' }] });
  });

  it('a job alone stays as it is', () => {
    const { workflow, folded } = ruleOf(texts, [{ s: 'a', u: '1' }]);
    expect(folded).toBe(workflow);
  });

  it('entries with other values of the same parameter have them themselves', () => {
    const one = ruleOf({ command: 'a <s>' }, [{ s: 'x' }, { s: 'y' }]);
    const other = ruleOf({ command: 'b <s>' }, [{ s: '5' }, { s: '8' }, { s: '9' }]);
    const more = entriesOf(other.workflow).map((job) => ({ ...job, name: `t${job['name'] as string}` }));
    const all = { name: 'w', jobs: [...entriesOf(one.workflow), ...more] };
    const folded = foldFamilies(all, (job) => ({
      rule: (job['command'] as string).slice(0, 1),
      wildcards: new Map([['s', (job['command'] as string).slice(2)]]),
    }));
    expect(folded).toMatchObject({
      parameters: { s: '[x, y]' },
      jobs: [{ use_parameters: ['s'] }, { parameters: { s: '[5, 8, 9]' } }],
    });
    expect(jobsOf(folded)).toEqual(jobsOf(all));
  });
});

test.each([
  ['leading zeros', ['001', '002', '010'], "['001', '002', '010']"],
  ['numbers with a point', ['1.0', '1.5'], "['1.0', 1.5]"],
  ['numbers at equal distances', ['0', '5', '10'], '0:10:5'],
  ['numbers at other distances', ['1', '2', '4'], '[1, 2, 4]'],
  ['blanks', ['a b', 'c d'], "['a b', 'c d']"],
  ['colons, as of a range', ['1:3', '4:5'], "['1:3', '4:5']"],
  ['braces, as of a parameter', ['{s}', '{t}', '${s}'], "['{s}', '{t}', '${s}']"],
  ['an at sign, as of a file', ['@a', '@b'], '[@a, @b]'],
  ['words of YAML', ['true', 'null'], '[true, null]'],
  ['a value that is a part of other text', ['1', '11', 'r'], '[1, 11, r]'],
])('values with %s keep their text', (_, values, written) => {
  const { workflow, folded } = ruleOf(
    { command: 'run 11 r1 <s>1 "<s>"', output: 'r1/<s>' },
    values.map((s) => ({ s })),
  );
  expect(Object.values((folded['parameters'] ?? {}) as object)[0]).toBe(written);
  expect(entriesOf(folded)).toHaveLength(1);
  expect(jobsOf(folded)).toEqual(jobsOf(workflow));
});

test.each([
  ['a comma', 'x,y'],
  ['a quote at an end', "it'"],
  ['blanks in the command, in quotes there alone', 'a b'],
])('a job whose value has %s stays as it is beside the entry of the others', (_, odd) => {
  const quoted = (s: string) => (s.includes(' ') ? `'${s}'` : s);
  const rows = ['a', odd, 'c', 'd'].map((s) => ({ s, q: quoted(s) }));
  const { workflow } = ruleOf({ command: 'run <q>' }, rows);
  const values = new Map(entriesOf(workflow).map((job, at) => [job, rows[at]?.s ?? '']));
  const folded = foldFamilies(workflow, (job) => ({ rule: 'r', wildcards: new Map([['s', values.get(job) ?? '']]) }));
  expect(entriesOf(folded)).toHaveLength(2);
  expect(folded).toMatchObject({ parameters: { s: '[a, c, d]' } });
});

it('a parameter has another name than what stands in braces in a text, which stays as it is', () => {
  const { workflow, folded } = ruleOf({ command: 'echo ${s} {s:02d} <s>' }, [{ s: 'a' }, { s: 'b' }]);
  expect(entriesOf(folded)).toMatchObject([{ name: 'r_{s_value}', command: 'echo ${s} {s:02d} {s_value}' }]);
  expect(jobsOf(folded)).toEqual(jobsOf(workflow));
});

it('an input that no wildcard explains becomes a parameter of its own, and so does a name', () => {
  const sheet: Values = { 'x/1': 'raw/q7.fq', 'y/2': 'raw/b-2.fq', 'z/1': 'raw/0.fq' };
  const jobs = Object.entries(sheet).map(([s, input]) => ({
    name: `map_${s.replace('/', '_')}`,
    command: `map ${input} > ${s}.bam`,
    inputs: [input],
    outputs: [`${s}.bam`],
  }));
  const workflow = { name: 'w', jobs };
  const folded = foldFamilies(workflow, (job) => ({
    rule: 'map',
    wildcards: new Map([['s', String((job['outputs'] as string[])[0]).replace('.bam', '')]]),
  }));
  expect(folded).toMatchObject({
    parameters: { s: '[x/1, y/2, z/1]', input: '[raw/q7.fq, raw/b-2.fq, raw/0.fq]', label: '[x_1, y_2, z_1]' },
    jobs: [{ name: 'map_{label}', parameter_mode: 'zip', command: 'map {input} > {s}.bam', inputs: ['{input}'] }],
  });
  expect(jobsOf(folded)).toEqual(jobsOf(workflow));
});

it('a parameter for names has another name than every wildcard, whatever name a wildcard got because of a text', () => {
  const jobs = ['x/1', 'y/2', 'z/1'].map((label) => ({
    name: `map_${label.replace('/', '_')}`,
    command: `map {label} ${label} > ${label}.bam`,
    outputs: [`${label}.bam`],
  }));
  const folded = foldFamilies({ name: 'w', jobs }, (job) => ({
    rule: 'map',
    wildcards: new Map([['label', String((job['outputs'] as string[])[0]).replace('.bam', '')]]),
  }));
  expect(folded).toMatchObject({
    parameters: { label_value: '[x/1, y/2, z/1]', label_value_value: '[x_1, y_2, z_1]' },
    jobs: [{ name: 'map_{label_value_value}', command: 'map {label} {label_value} > {label_value}.bam' }],
  });
  expect(jobsOf(folded)).toEqual(jobsOf({ name: 'w', jobs }));
});

it('two wildcards have two names, where one is wanted for the other because of a text', () => {
  const rows = [
    { s: 'a', s_value: 'u' },
    { s: 'b', s_value: 'v' },
  ];
  const { workflow, folded } = ruleOf({ command: 'echo {s} <s> <s_value>' }, rows);
  expect(entriesOf(folded)).toMatchObject([{ command: 'echo {s} {s_value} {s_value_value}' }]);
  expect(jobsOf(folded)).toEqual(jobsOf(workflow));
});

it('jobs that need other resources, or have another number of files, are other entries', () => {
  const rows = ['a', 'b', 'c', 'd'].map((s) => ({ s }));
  const { workflow, fold } = ruleOf({ command: 'run <s>' }, rows);
  for (const [at, job] of entriesOf(workflow).entries()) if (at > 1) Object.assign(job, { priority: 2 });
  expect(entriesOf(fold(workflow))).toMatchObject([{ name: 'r_{s}' }, { name: 'r_{s}', priority: 2 }]);
  expect(jobsOf(fold(workflow))).toEqual(jobsOf(workflow));
});

const word = fc.stringMatching(/^[a-z0-9]{1,3}$/);
const anyText = fc.oneof(
  word,
  fc.string({ minLength: 1, maxLength: 4 }),
  fc.constantFrom('{s}', '{t:02d}', 'a,b', "'", '01', '1:2', '[', ']', '{', '}'),
);
const piece = fc.oneof(word, fc.constantFrom('<s>', '<t>', ' ', '/', '{s}', '1'), fc.string({ maxLength: 3 }));
const textOf = (parts: fc.Arbitrary<string>) => fc.array(parts, { maxLength: 8 }).map((each) => each.join(''));
const rowsOf = (value: fc.Arbitrary<string>) =>
  fc.uniqueArray(fc.record({ s: value, t: value }), {
    minLength: 1,
    maxLength: 12,
    selector: ({ s, t }) => `${s}\n${t}`,
  });

test('an entry makes the jobs that it was made of, whatever stands in their texts and values', () => {
  fc.assert(
    fc.property(rowsOf(anyText), textOf(piece), textOf(piece), (rows, command, path) => {
      const { workflow, folded } = ruleOf({ command: `x${command}`, output: `o/<s>/<t>/${path}` }, rows);
      const exact = (() => {
        try {
          return jobsOf(workflow);
        } catch {
          return undefined;
        }
      })();
      // Paths that are the same for two jobs, and such: no converter makes them.
      fc.pre(exact !== undefined);
      expect(jobsOf(folded)).toEqual(exact);
    }),
    { numRuns: 500 },
  );
});

test('jobs that differ by words alone always become one entry, in their order', () => {
  fc.assert(
    fc.property(rowsOf(word), textOf(fc.oneof(word, fc.constantFrom('<s>', '<t>', ' ', '/'))), (rows, command) => {
      const { workflow, folded } = ruleOf({ command: `x${command}`, output: 'o/<s>/<t>' }, rows);
      expect(entriesOf(folded)).toHaveLength(1);
      const namesOf = (flow: ValueMap) => [...each(planned(flow).jobs)].map(({ name }) => name);
      expect(namesOf(folded)).toEqual(namesOf(workflow));
    }),
    { numRuns: 500 },
  );
});
