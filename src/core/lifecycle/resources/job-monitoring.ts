import type { Workflow } from '../../contract/workflow.ts';

type Config = Workflow['resource_monitor_config'];

/** Often enough to show how a job develops, for a hundredth of a percent of a CPU. */
export const SAMPLE_SECONDS = 10;
export const FLUSH_SECONDS = 300;

/** Whether runners sample jobs. Settings at the top level are an older notation of those for jobs; Sonar records are made of the samples. */
export const monitorsJobs = (config: Config): boolean =>
  config?.jobs?.enabled ?? config?.enabled ?? config?.sonar ?? false;

/** Whether they keep the samples, not only the greatest and the average use. */
export const keepsSamples = (config: Config): boolean =>
  monitorsJobs(config) && (config?.jobs?.granularity ?? config?.granularity) === 'time_series';
