import { describe, expect, it, test } from 'vitest';
import { noteText } from '../conversion.ts';
import { convertCwl } from './convert.ts';
import type { Cwl, CwlMap } from './value.ts';

const ran = (documents: Readonly<Record<string, Cwl>>, inputs?: CwlMap, runtime?: 'apptainer' | 'podman') =>
  convertCwl({
    runtime,
    process: 'flow.cwl',
    inputs: inputs === undefined ? undefined : 'data/inputs.json',
    read: (path) => (path === 'data/inputs.json' ? (inputs as Cwl) : (documents[path] as Cwl)),
  });

const tool = (more: CwlMap): CwlMap => ({
  class: 'CommandLineTool',
  baseCommand: 'prog',
  inputs: {},
  outputs: {},
  ...more,
});

/** The words of the tool, without what goes before. */
function words(more: CwlMap, inputs: CwlMap = {}): string {
  const { workflow } = ran({ 'flow.cwl': tool(more) }, inputs);
  const [job] = workflow['jobs'] as readonly { command: string }[];
  return (job?.command ?? '').split('\n').at(-1) as string;
}

describe('the command line of a tool', () => {
  const bound = (type: Cwl, inputBinding: CwlMap, value: Cwl) =>
    words({ inputs: { x: { type, inputBinding } } }, { x: value });

  test.each<[string, Cwl, CwlMap, Cwl, string]>([
    ['a text', 'string', {}, 'a b', "prog 'a b'"],
    ['a prefix', 'int', { prefix: '-n' }, 3, 'prog -n 3'],
    ['a prefix that is not separate', 'int', { prefix: '-n', separate: false }, 3, 'prog -n3'],
    ['true', 'boolean', { prefix: '-v' }, true, 'prog -v'],
    ['false', 'boolean', { prefix: '-v' }, false, 'prog'],
    ['nothing for an optional input', 'string?', { prefix: '-o' }, null, 'prog'],
    ['a list', 'string[]', { prefix: '-l' }, ['a', 'b'], 'prog -l a b'],
    ['a list with separators', 'int[]', { prefix: '-I', itemSeparator: ',' }, [1, 2], 'prog -I 1,2'],
    [
      'a prefix for each item',
      { type: 'array', items: 'string', inputBinding: { prefix: '-y' } },
      {},
      ['a', 'b'],
      'prog -y a -y b',
    ],
    ['an empty list', 'int[]', { prefix: '-I' }, [], 'prog'],
    ['a large number without an exponent', 'double', {}, 1e21, 'prog 1000000000000000000000'],
    ['a value from another', 'string', { valueFrom: '$(self)-$(inputs.x.length)x' }, 'a', 'prog a-nullx'],
    ['what the shell would read', 'string', {}, "$(rm -rf /); it's", String.raw`prog '$(rm -rf /); it'\''s'`],
  ])('%s is written as CWL says', (_, type, binding, value, expected) => {
    expect(bound(type, binding, value)).toBe(expected);
  });

  it('words are ordered by position, then arguments before inputs, then by name', () => {
    const inputs = {
      b: { type: 'string', inputBinding: {} },
      a: { type: 'string', inputBinding: {} },
      first: { type: 'string', inputBinding: { position: -1 } },
    };
    const given = { arguments: ['one', { valueFrom: 'last', position: 9 }], inputs };
    expect(words(given, { a: 'A', b: 'B', first: 'F' })).toBe('prog F one A B last');
  });

  it('only with ShellCommandRequirement the shell reads a word that is not quoted', () => {
    const given = { arguments: [{ valueFrom: '| sort', shellQuote: false }], stdout: 'out' };
    expect(words(given)).toBe("prog '| sort' > out");
    expect(words({ ...given, requirements: { ShellCommandRequirement: {} } })).toBe(') > out');
  });

  it('a file is found from the file that names it, wherever the job runs', () => {
    const given = { inputs: { x: { type: 'File', inputBinding: {} } }, stdin: '$(inputs.x.path)' };
    const line = words(given, { x: { class: 'File', location: 'my%20reads.fq' } });
    expect(line).toBe(`prog "$start"'/data/my reads.fq' < "$start"'/data/my reads.fq'`);
  });

  it('JavaScript is not run, and a reference is no JavaScript', () => {
    const arguments_ = (text: string) => ({ arguments: [text], inputs: { x: 'int' } });
    expect(words(arguments_(String.raw`$(inputs['x'])-\$(y)`), { x: 4 })).toBe("prog '4-$(y)'");
    for (const text of ['$(inputs.x + 1)', '${return 1;}', '$(parseInt("3"))'])
      expect(() => words(arguments_(text), { x: 4 })).toThrow(expect.objectContaining({ code: 'CONVERSION_REFUSED' }));
  });
});

describe('a workflow', () => {
  const upper = tool({
    baseCommand: 'tr',
    arguments: ['a-z', 'A-Z'],
    inputs: { text: 'File' },
    outputs: { big: 'stdout' },
    stdin: '$(inputs.text.path)',
    stdout: 'big.txt',
  });
  const join = tool({
    baseCommand: 'cat',
    inputs: { parts: { type: 'File[]', inputBinding: {} } },
    outputs: { all: { type: 'File', outputBinding: { glob: 'all.txt' } } },
    stdout: 'all.txt',
  });
  const flow = (steps: CwlMap, more: CwlMap = {}): CwlMap => ({
    class: 'Workflow',
    inputs: { texts: 'File[]' },
    outputs: { all: { type: 'File', outputSource: 'join/all' } },
    steps,
    ...more,
  });
  const steps = {
    join: { run: 'join.cwl', in: { parts: 'upper/big' }, out: ['all'] },
    upper: { run: 'upper.cwl', scatter: 'text', in: { text: 'texts' }, out: ['big'] },
  };
  const texts = ['a', 'b'].map((name) => ({ class: 'File', path: `${name}.txt` }));
  const all = { 'flow.cwl': flow(steps), 'upper.cwl': upper, 'join.cwl': join };

  it('a step that is scattered is a job for each item, and its files decide which job waits for which', () => {
    const { workflow, notes } = ran(all, { texts });
    const jobs = workflow['jobs'] as readonly { name: string; input_files?: string[]; output_files?: string[] }[];
    expect(jobs.map(({ name, input_files: reads, output_files: writes }) => [name, reads, writes])).toEqual([
      ['upper_1', ['data_a.txt'], ['flow_output_upper_1_big.txt']],
      ['upper_2', ['data_b.txt'], ['flow_output_upper_2_big.txt']],
      ['join', ['flow_output_upper_1_big.txt', 'flow_output_upper_2_big.txt'], ['flow_output_join_all.txt']],
    ]);
    expect(notes.map(noteText)).toEqual(['flow.cwl: note: output all: it is flow_output/join/all.txt']);
  });

  it('a step that computes with JavaScript is left out with what needs it, and the report names both', () => {
    const script = { class: 'ExpressionTool', inputs: { text: 'File' }, outputs: { big: 'File' }, expression: '${}' };
    const other = { run: 'upper.cwl', in: { text: { source: 'texts', valueFrom: '$(self[0])' } }, out: ['big'] };
    const { workflow, notes } = ran({ ...all, 'flow.cwl': flow({ ...steps, other }), 'join.cwl': script }, { texts });
    expect((workflow['jobs'] as readonly { name: string }[]).map(({ name }) => name)).toEqual([
      'upper_1',
      'upper_2',
      'other',
    ]);
    expect(notes.filter(({ isLeftOut }) => isLeftOut).map(({ found }) => found)).toEqual(['step join', 'output all']);
  });

  it('a condition that is known decides about a step', () => {
    const maybe = (when: boolean) => {
      const once = {
        run: 'upper.cwl',
        when: '$(inputs.go)',
        in: { go: { default: when }, text: { source: 'texts', valueFrom: '$(self[0])' } },
        out: ['big'],
      };
      return (ran({ ...all, 'flow.cwl': flow({ ...steps, once }) }, { texts }).workflow['jobs'] as readonly unknown[])
        .length;
    };
    expect([maybe(true), maybe(false)]).toEqual([4, 3]);
  });

  test.each([
    ['dotproduct', ['upper_1', 'upper_2']],
    ['flat_crossproduct', ['upper_1', 'upper_2', 'upper_3', 'upper_4']],
    ['nested_crossproduct', ['upper_1', 'upper_2', 'upper_3', 'upper_4']],
  ])('scatterMethod %s has its jobs', (scatterMethod, expected) => {
    const pair = tool({ inputs: { a: 'string', b: 'string' } });
    const upperTwo = {
      run: pair,
      scatter: ['a', 'b'],
      scatterMethod,
      in: { a: { default: ['1', '2'] }, b: { default: ['3', '4'] } },
      out: [],
    };
    const { workflow } = ran({ 'flow.cwl': flow({ upper: upperTwo }, { inputs: {}, outputs: {} }) }, {});
    expect((workflow['jobs'] as readonly { name: string }[]).map(({ name }) => name)).toEqual(expected);
  });

  it('steps that wait for each other, and inputs without a value, are refused', () => {
    const circle = flow({ join: { run: 'join.cwl', in: { parts: 'join/all' }, out: ['all'] } });
    expect(() => ran({ ...all, 'flow.cwl': circle }, { texts })).toThrow(
      /no job can be made of it: step join: the step join waits for itself/,
    );
    expect(() => ran(all, {})).toThrow(/flow\.cwl: the input texts has no value/);
  });

  it('a workflow that runs itself, also through another, is refused by its name', () => {
    const itself = (file: string) => flow({ again: { run: file, in: { texts: 'texts' }, out: [] } }, { outputs: {} });
    const circle = /no job can be made of it: step again: flow\.cwl runs itself$/;
    expect(() => ran({ 'flow.cwl': itself('flow.cwl') }, { texts })).toThrow(circle);
    expect(() => ran({ 'flow.cwl': itself('b.cwl'), 'b.cwl': itself('flow.cwl') }, { texts })).toThrow(circle);
  });

  it('a source that is no input and no output of a step leaves out the step that reads it', () => {
    const reads = (source: string) =>
      ran(
        { ...all, 'flow.cwl': flow({ ...steps, join: { run: 'join.cwl', in: { parts: source }, out: ['all'] } }) },
        { texts },
      );
    for (const source of ['upper/bigg', 'textss'])
      expect(reads(source).notes.map(noteText)[0]).toBe(
        `flow.cwl: left out: step join: the source ${source} is no input, and no output of a step`,
      );
    expect(reads('texts').notes.map(({ isLeftOut }) => isLeftOut)).toEqual([false]);
  });
});

it('requirements become resources; a container that is required is left out, and a hint is a note', () => {
  const needs = { ResourceRequirement: { coresMin: 2, ramMin: 4096 }, ToolTimeLimit: { timelimit: 90 } };
  const container = { DockerRequirement: { dockerPull: 'debian' } };
  const { workflow, notes } = ran({ 'flow.cwl': tool({ requirements: needs, hints: container }) });
  expect(workflow['resource_requirements']).toEqual([
    { name: 'needs_1', num_cpus: 2, memory: '4096m', runtime: 'PT2M' },
  ]);
  expect(notes.map(({ isLeftOut }) => isLeftOut)).toEqual([false]);
  expect(ran({ 'flow.cwl': tool({ requirements: container }) }).notes.map(({ isLeftOut }) => isLeftOut)).toEqual([
    true,
  ]);
});

it('a tool with an image runs in a container of the runtime that is asked for, under the name that the runtime takes', () => {
  const container = { DockerRequirement: { dockerPull: 'debian:12' } };
  const contained = (runtime: 'apptainer' | 'podman') => {
    const { workflow, notes } = ran({ 'flow.cwl': tool({ requirements: container }) }, undefined, runtime);
    return [(workflow['jobs'] as readonly { container: object }[])[0]?.container, notes];
  };
  expect(contained('apptainer')).toEqual([{ image: 'docker://debian:12', runtime: 'apptainer' }, []]);
  expect(contained('podman')).toEqual([{ image: 'debian:12', runtime: 'podman' }, []]);
});

describe('values of inputs', () => {
  const inputs = {
    n: 'int?',
    on: 'boolean?',
    kind: { type: { type: 'enum', symbols: ['x', 'y'] }, default: 'x' },
    in: 'File?',
  };
  const given = (values: CwlMap) => ran({ 'flow.cwl': tool({ inputs }) }, values);

  test.each<[string, Cwl]>([
    ['n', 'abc'],
    ['n', 1.5],
    ['on', 7],
    ['kind', 'z'],
    ['in', 'a.txt'],
    ['in', { class: 'Directory', path: 'a' }],
    ['n', [1]],
  ])('%s: %j is refused, as it has another type', (name, value) => {
    expect(() => given({ [name]: value })).toThrow(new RegExp(`the input ${name} is of type .*; found `));
  });

  it('values of their type are taken', () => {
    expect(given({ n: 3, on: false, kind: 'y', in: { class: 'File', path: 'a.txt' } }).notes).toEqual([]);
  });

  it('a value for an input that the tool does not have is a note, as a misspelled name would be', () => {
    expect(given({ m: 3 }).notes.map(noteText)).toEqual([
      'data/inputs.json: note: input m: flow.cwl has no input of this name, and its value is not used',
    ]);
  });

  it('the folder of the inputs itself is a folder with a path', () => {
    const { workflow } = convertCwl({
      process: 'flow.cwl',
      inputs: 'inputs.json',
      read: (path) =>
        path === 'flow.cwl' ? tool({ inputs: { d: 'Directory' } }) : { d: { class: 'Directory', path: '.' } },
    });
    expect(workflow['files']).toEqual([{ name: expect.any(String), path: '.' }]);
  });
});

describe('workflows that multiply', () => {
  const flow = (steps: CwlMap, more: CwlMap = {}): CwlMap => ({
    class: 'Workflow',
    inputs: {},
    outputs: {},
    steps,
    ...more,
  });
  const isTooLarge = expect.objectContaining({ code: 'EXPANSION_TOO_LARGE' }) as Error;

  it('workflows in workflows that would make billions of jobs are refused, and a few levels are converted', () => {
    const levels = (count: number): Record<string, Cwl> => {
      const four = (run: string) =>
        Object.fromEntries(['a', 'b', 'c', 'd'].map((id) => [id, { run, in: {}, out: [] }]));
      const nested = Array.from({ length: count }, (_, at) => [`${at}.cwl`, flow(four(`${at + 1}.cwl`))] as const);
      return { ...Object.fromEntries(nested), [`${count}.cwl`]: tool({}), 'flow.cwl': flow(four('0.cwl')) };
    };
    expect(ran(levels(3)).workflow['jobs']).toHaveLength(4 ** 4);
    expect(() => ran(levels(25))).toThrow(isTooLarge);
  });

  it('a crossproduct of a billion combinations is refused before it is made', () => {
    const over = ['x', 'y', 'z'];
    const step = {
      run: 'tool.cwl',
      scatter: over,
      scatterMethod: 'flat_crossproduct',
      in: Object.fromEntries(over.map((name) => [name, { source: name }])),
      out: [],
    };
    const inputs = Object.fromEntries(over.map((name) => [name, { type: 'int[]' }]));
    const documents = {
      'flow.cwl': flow({ each: step }, { inputs }),
      'tool.cwl': tool({ inputs: Object.fromEntries(over.map((name) => [name, 'int'])) }),
    };
    const given = (length: number) =>
      Object.fromEntries(over.map((name) => [name, Array.from({ length }, (_, at) => at)]));
    expect(ran(documents, given(3)).workflow['jobs']).toHaveLength(27);
    expect(() => ran(documents, given(1_000))).toThrow(isTooLarge);
  });
});
