/** The folder of metrics files, within the output directory. */
export const METRICS_FOLDER = 'resource_utilization';

/** The metrics file of one runner. The name is public: users and tools search for it. */
export const metricsPath = (outputDir: string, label: string): string =>
  `${outputDir}/${METRICS_FOLDER}/resource_metrics_${label}.db`;
