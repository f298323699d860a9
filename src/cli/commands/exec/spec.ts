import { type Axes, type Axis, combine, indexIn, unevenPair } from '../../../core/workflow-file/expand/axes.ts';
import { templateOf } from '../../../core/workflow-file/expand/template.ts';
import { axisOf, type ParameterSources } from './parameter.ts';
import { Failure } from '../../command/failure.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { printerOf } from '../../../core/workflow-file/expand/parameter-value.ts';

export interface ExecRequest {
  readonly name: string;
  readonly description: string | undefined;
  readonly commands: readonly string[];
  readonly monitor: 'off' | 'summary' | 'time_series';
  readonly monitorNode: 'off' | 'summary' | 'time_series';
  readonly sampleIntervalSeconds: number | undefined;
  readonly generatePlots: boolean;
  readonly stdio: string | undefined;
  /** The longest time of each job, as an ISO 8601 duration. */
  readonly timeout?: string | undefined;
  /** Of the runner: it takes only jobs that have labels, so the jobs have the same. */
  readonly labels?: readonly string[];
}

interface ParameterRequest {
  /** `NAME=VALUE`, as typed. */
  readonly parameters: readonly string[];
  readonly link: 'product' | 'zip';
  readonly sources: ParameterSources;
}

/** The maximum number of values of a parameter and of jobs. */
const MOST = 10_000_000;

/** The parameters of a call and their combinations. */
export function execAxes({ parameters, link, sources }: ParameterRequest): Axes {
  const axes = parameters.map((text) => axisOf(text, sources, MOST));
  return combine(linked(axes, link), link);
}

/** The workflow of a list of commands: job1, job2 … for each command with each combination of the parameters. */
export function execSpec(request: ExecRequest, axes: Axes): object {
  const { commands, labels = [] } = request;
  const count = commands.length * axes.count;
  const empty = axes.axes.find(({ values }) => values.length === 0);
  if (empty !== undefined) throw new Failure(`there are no jobs: parameter ${empty.name} has no values`);
  if (count > MOST) throw new Failure(`${count} jobs are more than the maximum of ${MOST}`);
  const templates = commands.map((command) => templateOf(command, axes));
  const jobs = templates.flatMap((each, index) =>
    Array.from({ length: axes.count }, (_, combination) => ({
      name: jobName(index * axes.count + combination + 1, axes, combination),
      command: each.render(combination),
      cancel_on_blocking_job_failure: false,
      ...(labels.length === 0 ? {} : { labels }),
    })),
  );
  return {
    name: request.name,
    ...(request.description === undefined ? {} : { description: request.description }),
    jobs,
    ...execution(request),
    ...monitoring(request),
  };
}

function execution({ stdio, timeout }: ExecRequest): object {
  const config = {
    ...(timeout === undefined ? {} : { timeout }),
    ...(stdio === undefined ? {} : { stdio: { mode: stdio.replaceAll('-', '_') } }),
  };
  return Object.keys(config).length === 0 ? {} : { execution_config: config };
}

function linked(axes: readonly Axis[], link: 'product' | 'zip'): readonly Axis[] {
  const twice = axes.find(({ name }, index) => axes.findIndex((other) => other.name === name) !== index);
  if (twice !== undefined) throw new Failure(`--param ${twice.name}: duplicate parameter`);
  const uneven = link === 'zip' ? unevenPair(axes) : undefined;
  if (uneven === undefined) return axes;
  const [first, other] = uneven;
  throw new Failure(
    `All parameters must have the same number of values when using 'zip' mode. Parameter '${first.name}' has ${first.values.length} values, but '${other.name}' has ${other.values.length} values.`,
  );
}

function monitoring({ monitor, monitorNode, sampleIntervalSeconds, generatePlots }: ExecRequest): object {
  if (monitor === 'off' && monitorNode === 'off') return {};
  return {
    resource_monitor: {
      ...(sampleIntervalSeconds === undefined ? {} : { sample_interval_seconds: sampleIntervalSeconds }),
      generate_plots: generatePlots,
      ...(monitor === 'off' ? {} : { jobs: { enabled: true, granularity: monitor } }),
      ...(monitorNode === 'off' ? {} : { compute_node: { enabled: true, granularity: monitorNode } }),
    },
  };
}

export function quoted(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** Most characters of one value, and of all values together, in the name of a job. */
const VALUE_LENGTH = 40;
const VALUES_LENGTH = 80;
/** Of a value of more characters only both ends are looked at. */
const LONG = 400;

const plain = printerOf(undefined);

/**
 * The name of a job of `exec`: `job3`, and with parameters the values behind it, `job3_0.1_adam`.
 *
 * The number makes it unique, because different values may look the same here: other characters than letters, digits and
 * `.+=,@%-` become `_`, and a long value loses its middle.
 */
function jobName(number: number, { axes }: Axes, combination: number): string {
  const values = axes.flatMap((axis) => {
    const value = axis.values.at(indexIn(axis, combination));
    const word = value === undefined ? '' : wordOf(plain(value));
    return word === '' ? [] : [shortened(word, VALUE_LENGTH)];
  });
  return [`job${number}`, ...(values.length === 0 ? [] : [shortened(values.join('_'), VALUES_LENGTH)])].join('_');
}

const wordOf = (text: string): string =>
  (text.length > LONG ? `${text.slice(0, LONG / 2)} ${text.slice(-LONG / 2)}` : text)
    .replace(/^(?:\.\/)+/, '')
    .replaceAll(/[^\p{L}\p{N}.+=,@%-]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '');

/** The end says more than the beginning: paths differ there. */
function shortened(word: string, length: number): string {
  const letters = Array.from(word);
  if (letters.length <= length) return word;
  const head = Math.floor((length - 2) / 3);
  return `${letters.slice(0, head).join('')}..${letters.slice(head + 2 - length).join('')}`;
}
