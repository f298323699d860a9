/** The addresses of the views of telemetry. */
export const clusterPath = (cluster: string) => `/telemetry/${encodeURIComponent(cluster)}`;
export const nodePath = (cluster: string, node: string) => `${clusterPath(cluster)}/nodes/${encodeURIComponent(node)}`;
export const jobPath = (cluster: string, job: number | string) => `${clusterPath(cluster)}/jobs/${job}`;
