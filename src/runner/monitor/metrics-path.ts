/** The folder of the files of what was measured, within the output directory. */
export const METRICS_FOLDER = 'resource_utilization';

/** Where the samples of one runner stand. The name is public: people and tools look for it. */
export const metricsPath = (outputDir: string, label: string): string =>
  `${outputDir}/${METRICS_FOLDER}/resource_metrics_${label}.db`;
