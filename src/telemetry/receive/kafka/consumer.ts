import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { consumerLibrary, type ConsumerLibrary, errorsIn, reasonOf } from './library.ts';
import { StreamFailed } from './arrivals.ts';
import { runSession, type SessionOptions } from './session.ts';
import { topicsOf } from './topics.ts';

export interface ConsumeOptions extends Pick<
  SessionOptions,
  'group' | 'prefix' | 'store' | 'tally' | 'once' | 'signal' | 'now' | 'onProblem' | 'onStatus' | 'isPassing'
> {
  /** `host:port`, one or several of a cluster of brokers. */
  readonly brokers: readonly string[];
  readonly login: { readonly user: string; readonly password: string } | undefined;
  /** With it the connection is TLS. */
  readonly caFile: string | undefined;
  /** The clusters whose topics are read. */
  readonly clusters: () => Promise<ReadonlySet<string>>;
}

/** Too short, and a broker that starts again is asked by every consumer at once; longer, and data are late. */
const MOST_WAIT_MS = 15_000;
const NO_TOPICS_MS = 5_000;

/**
 * Stores what arrives in the topics of all clusters, as one of the consumers of a group, until `signal` ends it.
 *
 * An outage of the broker is waited for. Throws: `KAFKA_MISSING`; a wrong password or certificate at the start.
 */
export async function consumeTopics(options: ConsumeOptions): Promise<void> {
  const { signal, onProblem, once } = options;
  const library = await consumerLibrary();
  const client = clientOf(options);
  let waitMs = 500;
  let isCareful = false;
  while (!signal.aborted) {
    try {
      const topics = await listTopics(library, client, options);
      if (topics.length === 0) {
        if (once) return;
        await pause(NO_TOPICS_MS, undefined, { signal }).catch(() => {});
        continue;
      }
      const isCurrent = async () => (await listTopics(library, client, options)).join() === topics.join();
      const ended = await runSession({ ...options, library, client, topics, isCurrent, isCareful });
      if (ended === 'done') return;
      isCareful = ended === 'careful';
      waitMs = 500;
    } catch (error) {
      const address = options.brokers.join(', ');
      if (isRefusal(error)) throw new BrokerRefuses(`${address}: ${reasonOf(error)}`, { cause: error });
      if (options.isPassing(error)) onProblem((error as Error).message);
      else if (error instanceof StreamFailed || isOfKafka(error))
        onProblem(`${address}: ${reasonOf(error)}; trying again`);
      else throw error;
      await pause(waitMs, undefined, { signal }).catch(() => {});
      waitMs = Math.min(waitMs * 2, MOST_WAIT_MS);
    }
  }
}

/** The broker does not let this program in. */
export class BrokerRefuses extends Error {}

const clientOf = ({ brokers, login, caFile, group }: ConsumeOptions): object => ({
  clientId: `torc-${group}`,
  bootstrapBrokers: brokers.map((broker) => {
    const [host = '', port = ''] = broker.split(':');
    return { host, port: Number(port) };
  }),
  timeout: 15_000,
  connectTimeout: 10_000,
  ...(caFile === undefined ? {} : { tls: { ca: readFileSync(caFile), servername: brokers[0]?.split(':')[0] } }),
  ...(login === undefined ? {} : { sasl: { mechanism: 'PLAIN', username: login.user, password: login.password } }),
});

async function listTopics(
  { Admin }: ConsumerLibrary,
  client: object,
  { clusters, prefix }: ConsumeOptions,
): Promise<string[]> {
  const wanted = await clusters();
  const admin = new Admin({ ...client, retries: 1 });
  try {
    return topicsOf(await admin.listTopics(), wanted, prefix);
  } finally {
    await admin.close().catch(() => {});
  }
}

const codesIn = (error: unknown): string[] =>
  errorsIn(error).map((each) => String((each as { readonly code?: string }).code ?? ''));

/** The library names its errors; an end of the connection has none. */
const isOfKafka = (error: unknown): boolean =>
  codesIn(error).some((code) => code.startsWith('PLT_KFK_') || /^E[A-Z]+$/.test(code));

const isRefusal = (error: unknown): boolean => codesIn(error).includes('PLT_KFK_AUTHENTICATION');
