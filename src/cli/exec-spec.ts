import { type Axes, type Axis, combine, unevenPair } from '../core/workflow-file/expand/axes.ts';
import { template } from '../core/workflow-file/expand/template.ts';
import { axisOf, type ParameterSources } from './exec-parameter.ts';
import { jobName } from './exec-names.ts';
import { Failure } from './failure.ts';
import { shellWord } from '../core/contract/shell-word.ts';

export interface ExecRequest {
  readonly name: string;
  readonly description: string | undefined;
  readonly commands: readonly string[];
  readonly monitor: 'off' | 'summary' | 'time_series';
  readonly monitorNode: 'off' | 'summary' | 'time_series';
  readonly sampleIntervalSeconds: number | undefined;
  readonly generatePlots: boolean;
  readonly stdio: string | undefined;
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
  const templates = commands.map((command) => template(command, axes));
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
    ...(request.stdio === undefined
      ? {}
      : { execution_config: { stdio: { mode: request.stdio.replaceAll('-', '_') } } }),
    ...monitoring(request),
  };
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

/** Lines of a file of commands, without blank lines and comments. */
export function commandLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Words quoted for a shell. */
export function quoted(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}
