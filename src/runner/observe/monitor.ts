import { METRICS_FOLDER, metricsPath } from '../../core/contract/files/runner.ts';
import { repeatEvery } from '../../client/long-timers.ts';
import { hostname } from 'node:os';
import { createEnergyMeter } from '../../cluster/host/energy-meter.ts';
import { createNodeMeter } from '../../cluster/host/node-load.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { labelOf } from '../../core/contract/files/runner.ts';
import type { Log } from '../facts/log.ts';
import type { RunnerOptions } from '../facts/options.ts';
import type { CurrentRun } from '../ledger/current-run.ts';
import { type JobWatchOptions, watchJobs } from './job-watch.ts';
import type { MetricsFile } from './metrics-file.ts';
import { watchNode } from './node-watch.ts';
import { type MonitorPlan, monitorPlanOf } from './plan.ts';

export interface MonitorOptions extends JobWatchOptions {
  readonly workflow: Workflow;
  readonly run: CurrentRun;
  readonly scheduler: RunnerOptions['scheduler'];
}

export type Monitor = Awaited<ReturnType<typeof startMonitor>>;

/**
 * Starts all measurements of a runner: of its jobs, its node, and the file of both. Parts that the workflow does not request are
 * absent.
 */
export async function startMonitor(options: MonitorOptions) {
  const { reads, workflow, run, steps, mode, scheduler } = options;
  const { outputDir, log } = run;
  const plan = planFor(workflow, log);
  const label = labelOf({ ...run, hostname: hostname(), scheduler });
  const file = await fileFor(plan, metricsPath(outputDir, label), log);
  const timer = file && repeatEvery(plan.flushSeconds * 1000, () => file.flush());
  const watch = plan.jobs && (await watchJobs(plan, { reads, steps, mode }, plan.jobs.isTimeSeries ? file : undefined));
  const node =
    plan.node &&
    watchNode({
      ...plan.node,
      intervalSeconds: plan.sampleSeconds,
      now: Date.now,
      look: createNodeMeter().look,
      energy: createEnergyMeter(),
      onSample: plan.node.isTimeSeries ? file?.node : undefined,
      onUnable: (reason) => log.write('warn', 'The node cannot be measured', { reason }),
    });

  return {
    watch,
    /** Stores the figures of an attempt that ended in the file of its samples. */
    onMeasured: plan.jobs?.isTimeSeries === true ? file?.attempt : undefined,
    /** Stops monitoring, writes the remaining samples, and returns the summary of the node. */
    close() {
      timer?.cancel();
      watch?.close();
      const summary = node?.close();
      file?.close(summary);
      return summary;
    },
    /** Draws plots, if the workflow requests them. To be called after `close`. */
    async draw() {
      if (!plan.generatePlots) return;
      if (!isOverTime(plan)) {
        log.write('warn', 'No plots: generate_plots needs granularity time_series for jobs or for compute_node');
        return;
      }
      // The reason was reported when the file could not be created.
      if (file === undefined) {
        log.write('warn', 'No plots: there is no file of measurements');
        return;
      }
      try {
        const { drawPlots } = await import('../plots/draw.ts');
        const folder = `${outputDir}/${METRICS_FOLDER}`;
        const { paths, jobs } = drawPlots([file.path], {
          folder,
          prefix: label,
          format: 'html',
          withoutJobs: plan.jobs?.isTimeSeries === true ? NO_SAMPLES : undefined,
        });
        if (jobs === 0 && plan.jobs?.isTimeSeries === true) log.write('warn', `No plots of jobs: ${NO_SAMPLES}`);
        log.write('info', 'Plots written', { folder, count: paths.length });
      } catch (error) {
        log.write('warn', 'Plots could not be written', { database: file.path, reason: (error as Error).message });
      }
    },
  };
}

const NO_SAMPLES =
  'No job was sampled; the first sample comes 0.1 s after the start of a job, or 0.5 s in a step of Slurm.';

const isOverTime = ({ jobs, node }: MonitorPlan) => jobs?.isTimeSeries === true || node?.isTimeSeries === true;

const nothing: MonitorPlan = monitorPlanOf({});

function planFor(workflow: Workflow, log: Log): MonitorPlan {
  try {
    return monitorPlanOf(workflow);
  } catch (error) {
    const reason = (error as Error).message;
    log.write(
      'warn',
      `Failed to initialize resource monitor: ${reason}; nothing is measured and no memory limit is enforced`,
    );
    return nothing;
  }
}

/** SQLite is loaded only if measurements over time are requested. */
async function fileFor(plan: MonitorPlan, path: string, log: Log): Promise<MetricsFile | undefined> {
  if (!isOverTime(plan)) return undefined;
  try {
    const { openMetricsFile } = await import('./metrics-file.ts');
    return openMetricsFile({
      path,
      onTrouble: (reason) =>
        log.write('warn', 'Measurements could not be written; is the disk full?', { database: path, reason }),
    });
  } catch (error) {
    log.write('warn', 'No file for measurements over time; only summaries are kept', {
      database: path,
      reason: (error as Error).message,
    });
    return undefined;
  }
}
