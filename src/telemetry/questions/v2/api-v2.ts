import { exactJson } from '../../../core/contract/sonar/encode.ts';
import type { JobKey } from '../../store/rows/rows.ts';
import type { TelemetryStore } from '../../store/telemetry-store.ts';
import { type AskV2Task, type HttpReply, httpReplyOf } from '../../messages.ts';
import { type V2Request, missingParameter, uintFrom, uintIn, V2Refusal } from './request.ts';
import { cardsOfJobs, processesOfJobs, jobSeriesReport, treeOf } from './job-series.ts';
import { jobsIn, oneJob, queriedJobs, queriedPages } from './jobs.ts';
import { cardsOfNodes, disksOfNodes, latestCardUse, processCardsOfNodes, processesOfNodes } from './node-series.ts';
import { clustersOf, errorsOf, infoOf, infoPage, lastProbes, nodesOfCluster, statesOf, topologyOf } from './nodes.ts';
import { partitionsOf } from './partitions.ts';

type Parts = Readonly<Record<string, string>>;
type Route = readonly [pattern: string, answer: (asked: V2Request, parts: Parts) => Promise<unknown>];

const epochOf = (asked: V2Request) => uintIn(asked, 'epoch') ?? 0;
const keyOf = (asked: V2Request, job: string | undefined): JobKey | undefined => {
  const id = job === undefined ? uintIn(asked, 'job_id') : uintFrom('job_id', job);
  return id === undefined ? undefined : { job: id, epoch: epochOf(asked) };
};
const jobIn = ({ job = '' }: Parts) => uintFrom('job_id', job);
const oneJobOf = (asked: V2Request, { job = '', epoch }: Parts) =>
  oneJob(asked, uintFrom('job_id', job), epoch === undefined ? epochOf(asked) : uintFrom('epoch', epoch));

/** A question about all nodes, or the one of `nodename`, and the same about the node of the path. */
const aboutNodes = (
  what: string,
  answer: (asked: V2Request, node: string | undefined, parts: Parts) => Promise<unknown>,
): Route[] => [
  [`nodes/${what}`, (asked, parts) => answer(asked, asked.parameters['nodename'], parts)],
  [`nodes/:node/${what}`, (asked, parts) => answer(asked, parts['node'], parts)],
];
const aboutJobs = (what: string, answer: (asked: V2Request, parts: Parts) => Promise<unknown>): Route[] => [
  [`jobs/${what}`, answer],
  [`jobs/:job/${what}`, answer],
];

/** Below `cluster/C`, with the paths and answers of slurm-monitor's. */
const unordered: readonly Route[] = [
  ['partitions', partitionsOf],
  ['nodes', nodesOfCluster],
  ['nodes/info/pages', infoPage],
  ['nodes/last_probe_timestamp', lastProbes],
  ...aboutNodes('info', infoOf),
  ...aboutNodes('states', statesOf),
  ['error_messages', (asked) => errorsOf(asked, asked.parameters['nodename'])],
  ['nodes/:node/error_messages', (asked, { node }) => errorsOf(asked, node)],
  [
    'nodes/:node/topology',
    async (asked, { node = '' }) => new Document(await topologyOf(asked, node), 'image/svg+xml'),
  ],
  ...aboutNodes('cpu/timeseries', processesOfNodes),
  ...aboutNodes('memory/timeseries', processesOfNodes),
  ...aboutNodes('gpu/timeseries', cardsOfNodes),
  ...aboutNodes('diskstats/timeseries', disksOfNodes),
  ...aboutNodes('process/gpu/util', latestCardUse),
  ...aboutNodes('process/gpu/timeseries', (asked, node) => processCardsOfNodes(asked, node, keyOf(asked, undefined))),
  [
    'nodes/:node/jobs/:job/process/gpu/timeseries',
    (asked, { node, job }) => processCardsOfNodes(asked, node, keyOf(asked, job)),
  ],
  ['jobs', jobsIn],
  ...aboutJobs('process/timeseries', (asked, { job }) => processesOfJobs(asked, keyOf(asked, job), epochOf(asked))),
  ...aboutJobs('process/gpu/timeseries', (asked, { job }) => cardsOfJobs(asked, keyOf(asked, job), epochOf(asked))),
  ['jobs/:job/process/tree', (asked, parts) => treeOf(asked, { job: jobIn(parts), epoch: epochOf(asked) })],
  ['jobs/:job/report', (asked, parts) => jobSeriesReport(asked, jobIn(parts))],
  ['jobs/:job', oneJobOf],
  ['jobs/:job/info', oneJobOf],
  ['jobs/:job/epoch/:epoch', oneJobOf],
  ['jobs/:job/epoch/:epoch/info', oneJobOf],
  ['query/jobs', queriedJobs],
  ['query/jobs/pages', queriedPages],
  // Named queries are slurm-monitor's own: none is known here.
  ['queries', async () => ({ queries: [] })],
];

const variables = ([pattern]: Route): number => pattern.split(':').length;
/** The first that fits answers: `nodes/process/gpu/timeseries` is about all nodes, and not about the cards of a node named process. */
const routes = unordered.toSorted((one, other) => variables(one) - variables(other));

/** The paths that are served, below `cluster/C/`. */
export const servedPaths: readonly string[] = routes.map(([pattern]) => pattern);

/** An answer that is no JSON. */
class Document {
  readonly text: string;
  readonly type: string;

  constructor(text: string, type: string) {
    this.text = text;
    this.type = type;
  }
}

/** Answers a request below `/api/v2`. Errors have the `detail` that clients of slurm-monitor expect beside our own form. */
export async function answerV2(
  store: TelemetryStore,
  { path, parameters, onlyUser }: AskV2Task,
  now: number,
): Promise<HttpReply> {
  try {
    const answer = await answerTo(store, path, { parameters, now, onlyUser });
    if (!(answer instanceof Document)) return { status: 200, text: exactJson(answer) };
    return { status: 200, text: answer.text, type: answer.type };
  } catch (error) {
    if (!(error instanceof V2Refusal)) throw error;
    const { status, code, message, remedy, parameter } = error;
    const detail = parameter === undefined ? message : [{ type: code, loc: ['query', parameter], msg: message }];
    return httpReplyOf(status, { detail, error: { message, code, remedy } });
  }
}

async function answerTo(
  store: TelemetryStore,
  path: string,
  about: Pick<V2Request, 'parameters' | 'now' | 'onlyUser'>,
) {
  const [root, cluster, ...rest] = path.split('/').map(decoded);
  if (path === 'docs') return new Document(pathsPage(servedPaths), 'text/html; charset=utf-8');
  if (root === 'cluster' && cluster === undefined) return clustersOf(store, about);
  for (const [pattern, answer] of routes) {
    const parts = root === 'cluster' ? partsOf(pattern.split('/'), rest) : undefined;
    if (parts === undefined || cluster === undefined) continue;
    if (!(await store.rows.clusterNames(cluster)).includes(cluster))
      throw missingParameter('CLUSTER_UNKNOWN', `there is no cluster ${cluster}`);
    return answer({ store, cluster, ...about }, parts);
  }
  throw missingParameter(
    'ROUTE_UNKNOWN',
    `this server does not answer /api/v2/${path}; /api/v2/docs lists what it answers`,
  );
}

/** The variable parts of a path; undefined if it does not fit. */
function partsOf(pattern: readonly string[], path: readonly string[]): Parts | undefined {
  if (pattern.length !== path.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [at, expected] of pattern.entries()) {
    const found = path[at] ?? '';
    if (expected.startsWith(':') && found !== '') parts[expected.slice(1)] = found;
    else if (expected !== found) return undefined;
  }
  return parts;
}

/** A part of a path; one that is encoded wrongly is the name of nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

/** The page at `/api/v2/docs`, where slurm-monitor has its documentation: the paths that this server answers. */
const pathsPage = (patterns: readonly string[]): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Paths of slurm-monitor on this server</title>
<h1>Paths of slurm-monitor on this server</h1>
<p>Each is read with GET and answers JSON in the shape of slurm-monitor's API, except for topology, which is a drawing.
Times are seconds since 1970: start_time_in_s, end_time_in_s and resolution_in_s of series, time_in_s of everything else.</p>
<ul>
${['cluster', ...patterns.map((pattern) => `cluster/{cluster}/${pattern.replaceAll(/:(\w+)/g, '{$1}')}`).toSorted()]
  .map((path) => `<li><code>/api/v2/${path}</code></li>`)
  .join('\n')}
</ul>
</html>
`;
