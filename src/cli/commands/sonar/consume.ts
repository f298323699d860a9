import { readFileSync } from 'node:fs';
import { formatTimestamp } from '../../../core/contract/sonar/timestamp.ts';
import { counted, grouped } from '../../../core/quantity/count-text.ts';
import type { ClusterTally } from '../../../telemetry/receive/kafka/tally.ts';
import { command } from '../../command/command.ts';
import { Failure, UsageError } from '../../command/failure.ts';
import type { Output } from '../../output/output.ts';
import { secondsText } from '../../output/words.ts';
import { readInput } from '../../terminal/read-input.ts';
import { untilAsked } from '../../terminal/until-asked.ts';
import { createNotices } from './notices.ts';
import { storeOption, withStore } from './store.ts';
import { option } from '../../command/option.ts';

export const consume = command('sonar consume <broker...>', {
  says: 'Store what Sonar daemons send to Kafka, until it is stopped.',
  example: 'kafka1.example.org:9092 --store postgres://torc@db.example.org/telemetry',
  more:
    'Reads the topics of all clusters that the store has (torc sonar clusters add), [prefix.]CLUSTER.TYPE, as one of the consumers of a ' +
    'group: start several to share the work. Messages are stored before their offsets are committed, and what the store has already changes ' +
    'nothing. What cannot be used goes to quarantine. It waits until a broker or store that is down is back. A line each ' +
    'half minute says how far each cluster is; JSON has it on standard output.',
  options: [
    storeOption,
    option('--group <name>', 'name of the group of consumers', { default: 'torc' }),
    option('--prefix <name>', 'prefix of the names of topics: topic-prefix of the daemons'),
    option('--cluster <name>', 'only of this cluster; can be repeated', { many: true }),
    option('--once', 'end when everything is stored that the broker has'),
    option('--ca-file <pem>', 'certificate of the authority of the broker; with it the connection is TLS'),
    option('--user <name>', 'log in with SASL PLAIN as this user'),
    option('--password-file <file>', 'file whose first line is the password'),
  ],
  offline: true,
  async run({ output, configuration }, [brokers], options) {
    output.recordOnly('sonar consume');
    for (const broker of brokers)
      if (!/^[^\s:]+:\d{1,5}$/.test(broker))
        throw new UsageError(`"${broker}" is no address of a broker: expected HOST:PORT`);
    const login = loginOf(options);
    const { caFile } = options;
    if (caFile !== undefined) readable(caFile);
    const { consumeTopics: run, BrokerRefuses } = await import('../../../telemetry/receive/kafka/consumer.ts');
    const { MessageTally } = await import('../../../telemetry/receive/kafka/tally.ts');
    const { StoreAway } = await import('../../../telemetry/store/postgres/errors.ts');
    const tally = new MessageTally();
    const stop = new AbortController();
    void untilAsked().then(() => stop.abort());
    const chosen = new Set(options.cluster);
    try {
      await withStore(options.store, { isDurable: true, umask: configuration['server.umask'] }, (store) =>
        run({
          store,
          brokers,
          login,
          caFile,
          group: options.group,
          prefix: options.prefix ?? '',
          tally,
          once: options.once === true,
          signal: stop.signal,
          now: () => Math.floor(Date.now() / 1000),
          clusters: async () =>
            new Set((await store.rows.clusterNames(undefined)).filter((name) => chosen.size === 0 || chosen.has(name))),
          isPassing: (error) =>
            error instanceof StoreAway || (error as NodeJS.ErrnoException).code === 'ERR_SQLITE_ERROR',
          onProblem: createNotices((line) => output.warn(line)),
          onStatus: () => reportStatus(output, tally.clusters()),
        }),
      );
    } catch (cause) {
      if (!(cause instanceof BrokerRefuses)) throw cause;
      throw new Failure(`the broker refuses: ${cause.message}; check --user, --password-file and --ca-file`, { cause });
    }
    const clusters = tally.clusters();
    // JSON is one object a line, as the lines before.
    if (output.format === 'json') output.jsonLine({ clusters: clusters.map(statusData) });
    else output.text(resultText(clusters));
  },
});

function loginOf({ user, passwordFile }: { user?: string | undefined; passwordFile?: string | undefined }) {
  if (user === undefined && passwordFile === undefined) return undefined;
  if (user === undefined || passwordFile === undefined)
    throw new UsageError('--user and --password-file: expected both or neither');
  const [password = ''] = readInput(passwordFile, 'a password').split('\n');
  return { user, password: password.trim() };
}

function readable(file: string): void {
  try {
    readFileSync(file);
  } catch (cause) {
    throw new Failure(`--ca-file: ${(cause as Error).message}`, { cause });
  }
}

function reportStatus(output: Output, clusters: readonly ClusterTally[]): void {
  if (output.format === 'json') output.jsonLine({ clusters: clusters.map(statusData) });
  else
    for (const cluster of clusters) output.notice(`${new Date().toISOString().slice(0, 19)}Z ${statusText(cluster)}`);
}

function statusText({ cluster, stored, quarantined, lag, newestSample }: ClusterTally): string {
  const age = newestSample === undefined ? undefined : Math.max(0, Math.floor(Date.now() / 1000) - newestSample);
  return [
    `${cluster}: ${grouped(stored)} stored`,
    ...(quarantined > 0 ? [`${grouped(quarantined)} in quarantine`] : []),
    ...(lag === undefined ? [] : [`${counted(lag, 'message')} behind`]),
    ...(age === undefined ? [] : [`newest sample ${secondsText(age)} old`]),
  ].join(', ');
}

const statusData = ({ cluster, stored, repeated, quarantined, lag, newestSample }: ClusterTally) => ({
  cluster,
  stored,
  repeated,
  quarantined,
  lag: lag ?? null,
  newest_sample: newestSample === undefined ? null : formatTimestamp(newestSample),
});

const resultText = (clusters: readonly ClusterTally[]): string =>
  clusters.length === 0
    ? 'No topics of clusters of the store; torc sonar clusters add adds a cluster'
    : clusters
        .map(({ cluster, stored, repeated, quarantined }) =>
          [
            `${cluster}: ${grouped(stored)} stored`,
            ...(repeated > 0 ? [`${grouped(repeated)} already there`] : []),
            ...(quarantined > 0 ? [`${grouped(quarantined)} in quarantine`] : []),
          ].join(', '),
        )
        .join('\n');
