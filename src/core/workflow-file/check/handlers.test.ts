import { describe, expect, it } from 'vitest';
import { codesOf, errorsOf, planned, read, readText } from '../../../../tests/spec/reading.ts';

const needs = { resource_requirements: [{ name: 'small', num_cpus: 1, memory: '1g' }] };
const job = { name: 'a', command: 'x', failure_handler: 'h', resource_requirements: 'small' };
const flow = (handler: object, over: object = {}) => ({
  ...needs,
  failure_handlers: [{ name: 'h', ...handler }],
  jobs: [{ ...job, ...over }],
});

describe('failure handlers that name causes', () => {
  it('a handler may name causes instead of exit codes', () => {
    const handler = { on_oom: { memory: 'x1.5', max: '64g' }, on_timeout: { runtime: 'x2' }, on_node_fail: 'retry' };
    expect(errorsOf(flow(handler))).toEqual([]);
    expect(planned(flow(handler)).failureHandlers).toEqual([{ name: 'h', ...handler }]);
  });

  it('a wrong value is an error of creation and of the dry run, with its place', () => {
    const wrong = flow({ on_oom: { memory: '1.5', max: '64 GB' }, backoff: { initial: '30s' } });
    expect(errorsOf(wrong)).toEqual([
      'Failure handler \'h\': on_oom.memory: expected x and a factor from 1.1 to 100, such as x1.5, found "1.5"',
      'Failure handler \'h\': on_oom.max: expected a size such as 64g, found "64 GB"',
      'Failure handler \'h\': backoff.initial: expected an ISO 8601 duration such as PT30S, found "30s"',
    ]);
    expect(codesOf(read(wrong))).toEqual([
      'HANDLER_REFUSED failure_handlers[0].on_oom.memory',
      'HANDLER_REFUSED failure_handlers[0].on_oom.max',
      'HANDLER_REFUSED failure_handlers[0].backoff.initial',
    ]);
  });

  it('a field that does not exist, and a value that is no choice, are errors', () => {
    expect(errorsOf(flow({ on_oom: { memory: 'x2', maximum: '4g' } }))[0]).toContain('unknown field `maximum`');
    expect(errorsOf(flow({ on_node_fail: 'again' }))[0]).toContain('unknown variant `again`');
    expect(errorsOf(flow({ rules: [], on_ooms: { memory: 'x2' } }))[0]).toContain('unknown field `on_ooms`');
  });

  it('a handler without rules and without causes lacks its rules, as in Torc 1.0.0', () => {
    expect(errorsOf(flow({}))).toEqual([expect.stringContaining('missing field `rules`')]);
  });

  it('a job without requirements has nothing that could be raised; one that is only to survive its node needs none', () => {
    const bare = { resource_requirements: undefined };
    expect(errorsOf(flow({ on_oom: { memory: 'x2' } }, bare))).toEqual([
      "Job 'a' has no resource_requirements that on_oom of failure handler 'h' could raise; name some in the job",
    ]);
    expect(errorsOf(flow({ on_node_fail: 'retry' }, bare))).toEqual([]);
  });

  it('a max that the first raise exceeds is a warning with both amounts; one that leaves room is none', () => {
    const warnings = (onOom: object) =>
      read(flow({ on_oom: onOom })).problems.map(({ severity, message }) => [severity, message]);
    expect(warnings({ memory: 'x2', max: '2g' })).toEqual([]);
    expect(warnings({ memory: 'x4' })).toEqual([]);
    expect(warnings({ memory: 'x2', max: '1536m' })).toEqual([
      [
        'warning',
        "Failure handler 'h': jobs with resource_requirements 'small' ask for 1g, and x2 of that is more than max: " +
          'they get 1536m and no second raise; raise max to give them what the factor says',
      ],
    ]);
    expect(codesOf(read(flow({ on_oom: { memory: 'x2', max: '1536m' } })))).toEqual([
      'RAISE_LIMITED failure_handlers[0].on_oom.max',
    ]);
  });

  it('a max that jobs have already is a warning: nothing is ever raised', () => {
    const [problem] = read(flow({ on_oom: { memory: 'x2', max: '1g' } })).problems;
    expect([problem?.severity, problem?.message]).toEqual([
      'warning',
      "Failure handler 'h': jobs with resource_requirements 'small' ask for 1g, and max is 1g: on_oom never gives them more; raise max",
    ]);
  });

  it('a max is checked for each requirements that jobs of the handler name, once', () => {
    const spec = {
      resource_requirements: [1, 2, 3].map((size) => ({
        name: `r${size}`,
        num_cpus: 1,
        memory: `${size}g`,
        runtime: `PT${size}H`,
      })),
      failure_handlers: [{ name: 'h', on_timeout: { runtime: 'x2', max: 'PT4H' } }],
      jobs: [
        {
          name: 'a{i}_{k}',
          command: 'x',
          parameters: { i: '1:3', k: '1:5' },
          failure_handler: 'h',
          resource_requirements: 'r{i}',
        },
      ],
    };
    expect(read(spec).problems.map(({ message }) => message)).toEqual([expect.stringContaining("'r3' ask for PT3H")]);
  });

  it('KDL has the same fields', () => {
    const text = `
      name "flow"
      failure_handler "h" {
        on_oom { memory "x1.5"; max "64g" }
        on_timeout { runtime "x2"; max_retries 4 }
        on_node_fail "retry"
        backoff { initial "PT30S"; factor 3 }
      }
      resource_requirements "small" { num_cpus 1; memory "1g" }
      job "a" { command "x"; failure_handler "h"; resource_requirements "small" }`;
    const { plan, problems } = readText(text, 'kdl');
    expect(problems).toEqual([]);
    expect(plan?.failureHandlers).toMatchObject([
      {
        on_oom: { memory: 'x1.5', max: '64g' },
        on_timeout: { runtime: 'x2', max_retries: 4 },
        on_node_fail: 'retry',
        backoff: { initial: 'PT30S', factor: 3 },
      },
    ]);
  });
});
