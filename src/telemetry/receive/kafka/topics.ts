/** Topics are named `[prefix.]cluster.type`; control topics of daemons end otherwise, and are left alone. */
const TYPES = ['sysinfo', 'sample', 'job', 'cluster'];

/** The cluster of a topic; undefined for a topic of something else. */
export function clusterOfTopic(topic: string, prefix: string): string | undefined {
  const begin = prefix === '' ? '' : `${prefix}.`;
  const end = TYPES.find((type) => topic.endsWith(`.${type}`));
  if (end === undefined || !topic.startsWith(begin)) return undefined;
  const cluster = topic.slice(begin.length, -(end.length + 1));
  return cluster === '' ? undefined : cluster;
}

/** The topics of these clusters, in order. */
export const topicsOf = (topics: readonly string[], clusters: ReadonlySet<string>, prefix: string): string[] =>
  topics.filter((topic) => clusters.has(clusterOfTopic(topic, prefix) ?? '')).toSorted();
