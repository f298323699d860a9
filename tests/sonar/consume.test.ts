import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Admin, Producer, stringSerializers } from '@platformatic/kafka';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unchangedCompat } from '../../src/core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../../src/core/contract/sonar/encode.ts';
import { callsFor } from '../../src/telemetry/receive/kafka/calls.ts';
import { isDamage } from '../../src/telemetry/receive/kafka/damaged.ts';
import { lagOf } from '../../src/telemetry/receive/kafka/lag.ts';
import { clusterOfTopic, topicsOf } from '../../src/telemetry/receive/kafka/topics.ts';
import { openStore } from '../../src/telemetry/store/open-store.ts';
import type { TelemetryStore } from '../../src/telemetry/store/telemetry-store.ts';
import { start, temporaryFolder, torc, until } from '../support/programs.ts';
import { everyField } from './every-field.ts';
import { type Broker, java, kafkaIsMissing, startBroker } from './kafka-broker.ts';
import { PostgresServer, postgresIsMissing } from './postgres-server.ts';
import { messagesOfTwoDays } from './two-days.ts';

const withoutNul = Object.values(everyField).map((envelope) =>
  encodeEnvelope(envelope, unchangedCompat).replaceAll(String.raw`\u0000`, ''),
);

describe('what is read', () => {
  it('a topic belongs to the cluster that its name has between the prefix and the type', () => {
    const found = ['fox.test.sample', 'site.fox.test.job', 'fox.test.control', 'sample', '.sample', 'a.cluster'].map(
      (topic) => [clusterOfTopic(topic, ''), clusterOfTopic(topic, 'site')],
    );
    expect(found).toEqual([
      ['fox.test', undefined],
      ['site.fox.test', 'fox.test'],
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
      ['a', undefined],
    ]);
    expect(topicsOf(['b.sample', 'a.job', 'c.sample', 'a.other'], new Set(['a', 'b']), '')).toEqual([
      'a.job',
      'b.sample',
    ]);
  });

  it('messages are stored together by cluster, and one with anything wrong alone, with its place', () => {
    const at = (topic: string, offset: bigint, text: string | undefined) => ({
      topic,
      partition: 2,
      offset,
      leaderEpoch: 0,
      value: text === undefined ? undefined : Buffer.from(text),
    });
    const sample = (cluster: string) =>
      `{"meta":{"producer":"p","version":"1"},"data":{"type":"sample","attributes":{"time":"2026-03-01T00:00:00Z","cluster":"${cluster}","node":"n","jobs":[]}}}`;
    const calls = callsFor(
      [
        at('a.sample', 1n, sample('a')),
        at('b.sample', 5n, sample('b')),
        at('a.sample', 2n, sample('a')),
        at('a.sample', 3n, undefined),
        at('a.sample', 4n, 'nonsense'),
        at('a.sample', 6n, sample('b')),
      ],
      '',
    );
    expect(calls.map(({ cluster, origin, records }) => [cluster, origin, records.length])).toEqual([
      ['a', 'topics of a', 2],
      ['b', 'topics of b', 1],
      ['a', 'topic a.sample, partition 2, offset 4', 1],
      ['a', 'topic a.sample, partition 2, offset 6', 1],
    ]);
    expect(calls[3]?.records[0]?.problems[0]).toMatchObject({
      found: '"b"',
      expected: '"a", the cluster of its topic',
    });
  });

  it('the lag of a cluster is what its topics have beyond what the group has stored', () => {
    const lag = lagOf(
      {
        ends: new Map([
          ['a.sample', [10n, 7n]],
          ['a.job', [3n]],
          ['b.sample', [4n]],
        ]),
        begins: new Map([
          ['a.sample', [0n, 5n]],
          ['a.job', [0n]],
          ['b.sample', [4n]],
        ]),
        committed: new Map([
          ['a.sample', [8n, -1n]],
          ['a.job', [3n]],
        ]),
      },
      '',
    );
    expect([...lag]).toEqual([
      ['a', 4],
      ['b', 0],
    ]);
  });

  it('an error of the network is no damage of messages, and one of a decompressor is', () => {
    const coded = (code: string) => Object.assign(new Error('x'), { code });
    expect([coded('PLT_KFK_NETWORK'), coded('ECONNREFUSED')].map(isDamage)).toEqual([false, false]);
    const nested = Object.assign(new AggregateError([coded('Z_DATA_ERROR')], 'fetch failed'), {
      code: 'PLT_KFK_MULTIPLE',
    });
    expect([nested, coded('PLT_KFK_UNSUPPORTED_COMPRESSION'), new Error('bad frame')].map(isDamage)).toEqual([
      true,
      true,
      true,
    ]);
  });
});

if (kafkaIsMissing !== undefined) process.stderr.write(`no broker, so nothing is consumed: ${kafkaIsMissing}\n`);

describe.skipIf(kafkaIsMissing !== undefined)('a consumer of a real broker', () => {
  let broker: Broker;
  let postgres: PostgresServer | undefined;
  const ends: (() => void)[] = [];
  beforeAll(async () => {
    broker = await startBroker({ admin: 'x', reader: 'hush' }, (end) => ends.push(end));
    if (postgresIsMissing === undefined) postgres = await PostgresServer.start();
  });
  afterAll(async () => {
    ends.forEach((end) => end());
    await postgres?.stop();
  });

  const typeOf = (text: string) => /"type":"(\w+)"/.exec(text)?.[1] ?? 'sample';
  const nodeOf = (text: string) => /"node":"([\w.-]+)"/.exec(text)?.[1] ?? 'head';
  const clusterIn = (text: string) => /"cluster":"([\w.-]+)"/.exec(text)?.[1] ?? '';

  /** Sends texts to topics with four partitions; the prefix keeps tests apart. */
  async function produce(prefix: string, texts: readonly string[], compression: 'none' | 'gzip' | 'snappy' = 'snappy') {
    const client = { clientId: 'test', bootstrapBrokers: [broker.plain], retries: 20, retryDelay: 300 };
    const admin = new Admin(client);
    const wanted = new Set(texts.map((text) => `${prefix}.${clusterIn(text)}.${typeOf(text)}`));
    const there = new Set(await admin.listTopics());
    const topics = [...wanted].filter((topic) => !there.has(topic));
    if (topics.length > 0) await admin.createTopics({ topics, partitions: 4, replicas: 1 });
    await admin.close();
    const producer = new Producer({ ...client, serializers: stringSerializers, compression });
    const messages = texts.map((text) => ({
      topic: `${prefix}.${clusterIn(text)}.${typeOf(text)}`,
      key: nodeOf(text),
      value: text,
    }));
    for (let at = 0; at < messages.length; at += 10)
      await producer.send({ messages: messages.slice(at, at + 10), acks: -1 });
    await producer.close(true);
  }

  async function newStore(url: string): Promise<void> {
    const store = await openStore(url);
    for (const name of ['fox.test', 'wolf.test']) await store.addCluster(name, 0);
    await store.close();
  }

  async function stored(path: string): Promise<string[]> {
    const store = await openStore(path, { isReadOnly: true });
    const texts: string[] = [];
    for await (const { envelope } of store.envelopes()) texts.push(encodeEnvelope(envelope, unchangedCompat));
    await store.close();
    return texts.toSorted();
  }

  const consumer = (cwd: string, store: string, prefix: string, ...more: string[]) =>
    start('torc', ['sonar', 'consume', broker.plain, '--prefix', prefix, '--store', store, ...more], { cwd });

  const quarantine = async (path: string): Promise<string[]> => {
    const store = (await openStore(path)) as TelemetryStore & {
      database: { all(sql: string): Record<string, unknown>[] };
    };
    const rows = store.database.all('select origin, problem from quarantine order by origin');
    await store.close();
    return rows.map(({ origin, problem }) => `${String(origin)}: ${String(problem)}`);
  };

  it("messages of Kafka's Java client, packed in every way that it has, are stored with every field in each store", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'Produce.java'), PRODUCE_JAVA);
    writeFileSync(join(cwd, 'texts'), withoutNul.join('\n'));
    for (const codec of ['none', 'gzip', 'snappy', 'lz4', 'zstd'])
      java(join(cwd, 'Produce.java'), broker.plain, codec, join(cwd, 'texts'), `java-${codec}.fox.test`);
    for (const codec of ['none', 'gzip', 'snappy', 'lz4', 'zstd']) {
      const path = join(cwd, `${codec}.db`);
      await newStore(path);
      const ended = await consumer(cwd, path, `java-${codec}`, '--once').ended;
      expect({ codec, ...ended }).toMatchObject({
        codec,
        code: 0,
        stdout: expect.stringContaining('fox.test: 4 stored'),
      });
      expect(await stored(path)).toEqual(withoutNul.toSorted());
    }
    if (postgres === undefined) return;
    const url = await postgres.newDatabase();
    await newStore(url);
    const ended = await consumer(cwd, url, 'java-lz4', '--group', 'site', '--once').ended;
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('fox.test: 4 stored') });
    expect(await stored(url)).toEqual(withoutNul.toSorted());
  }, 240_000);

  it('two consumers of a group that are killed, joined and left while the broker goes away store everything once', async () => {
    const cwd = temporaryFolder();
    const store = postgres === undefined ? join(cwd, 'sonar.db') : await postgres.newDatabase();
    await newStore(store);
    const texts = messagesOfTwoDays();
    const part = (from: number, to: number) => texts.slice((texts.length * from) / 4, (texts.length * to) / 4);
    await produce('two', part(0, 1));
    const first = consumer(cwd, store, 'two');
    await until(
      async () => (await stored(store)).length,
      (count) => count > 0,
      'the first messages',
    );
    const second = consumer(cwd, store, 'two');
    await produce('two', part(1, 2));
    first.child.kill('SIGKILL');
    await first.ended;
    await produce('two', part(2, 3));
    await broker.kill();
    await pause(1000);
    await broker.begin();
    const third = consumer(cwd, store, 'two');
    // The last part, and everything a second time.
    await produce('two', [...part(3, 4), ...texts]);
    await until(
      async () => (await stored(store)).length,
      (count) => count === texts.length,
      'all messages',
      120_000,
    );
    expect(await stored(store)).toEqual(texts.toSorted());
    for (const { child, ended } of [second, third]) {
      child.kill('SIGTERM');
      expect((await ended).code).toBe(0);
    }
    const left = await consumer(cwd, store, 'two', '--once', '-f', 'json').ended;
    const { clusters } = JSON.parse(left.stdout.trim().split('\n').at(-1) ?? '') as {
      clusters: { stored: number; lag: number }[];
    };
    expect(clusters.map(({ stored: count, lag }) => [count, lag])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  }, 300_000);

  it('a message that cannot be used goes to quarantine with its place, and the group goes on behind it', async () => {
    const cwd = temporaryFolder();
    const path = join(cwd, 'sonar.db');
    await newStore(path);
    const [good = '', other = ''] = withoutNul;
    await produce('bad', [good, '{"type":"sample","cluster":"fox.test"', other]);
    const ended = await consumer(cwd, path, 'bad', '--once').ended;
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/^fox\.test: 2 stored, .*\d in quarantine\n$/);
    expect(await stored(path)).toEqual([good, other].toSorted());
    expect(await quarantine(path)).toEqual([
      expect.stringMatching(/^topic bad\.fox\.test\.sample, partition \d, offset 0: found /),
    ]);
    expect((await consumer(cwd, path, 'bad', '--once').ended).stdout).not.toContain('quarantine');
  });

  it('messages that cannot be unpacked are named in quarantine, and those around them are stored', async () => {
    const cwd = temporaryFolder();
    const path = join(cwd, 'sonar.db');
    await newStore(path);
    const texts = messagesOfTwoDays().filter((text) => nodeOf(text) === 'n1.fox.test' && typeOf(text) === 'sample');
    for (const each of [texts.slice(0, 3), texts.slice(3, 8), texts.slice(8)]) await produce('torn', each, 'gzip');
    await broker.kill('SIGTERM');
    // Bytes in the middle of the second pack; the packs begin with their first offset.
    const folder = readdirSync(broker.logs)
      .filter((name) => name.startsWith('torn.'))
      .map((name) => join(broker.logs, name, '00000000000000000000.log'))
      .find((file) => existsSync(file) && readFileSync(file).length > 0) as string;
    const log = readFileSync(folder);
    const secondAt = 12 + log.readInt32BE(8);
    expect(log.readBigInt64BE(secondAt)).toBe(3n);
    log.fill(0xff, secondAt + 75, secondAt + 95);
    writeFileSync(folder, log);
    await broker.begin();
    const ended = await consumer(cwd, path, 'torn', '--once').ended;
    expect(ended.stderr).toMatch(
      /offsets 3 to 7: messages cannot be unpacked \(.+\); they are left out, and the broker still has them/,
    );
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/ 5 in quarantine\n$/);
    expect(await stored(path)).toEqual([...texts.slice(0, 3), ...texts.slice(8)].toSorted());
  });

  it('a consumer logs in with a password over TLS, and says when it is refused or no broker answers', async () => {
    const cwd = temporaryFolder();
    const path = join(cwd, 'sonar.db');
    await newStore(path);
    await produce('safe', withoutNul);
    writeFileSync(join(cwd, 'password'), 'hush\n');
    writeFileSync(join(cwd, 'wrong'), 'guessed\n');
    const secure = (file: string) =>
      torc(
        [
          'sonar',
          'consume',
          broker.secure,
          '--prefix',
          'safe',
          '--store',
          path,
          '--once',
          '--ca-file',
          broker.caFile,
          '--user',
          'reader',
          '--password-file',
          file,
        ],
        { cwd },
      );
    const refused = await secure('wrong');
    expect(refused).toMatchObject({ stdout: '', code: 1 });
    expect(refused.stderr).toContain('the broker refuses: ');
    const accepted = await secure('password');
    expect(accepted.code).toBe(0);
    expect(accepted.stdout).toContain('fox.test: 4 stored');
    const away = start('torc', ['sonar', 'consume', '127.0.0.1:1', '--store', path], { cwd });
    await away.says('127.0.0.1:1: ');
    away.child.kill('SIGTERM');
    expect((await away.ended).code).toBe(0);
  });
});

/** One message a line of a file, to `BASE.<type>`, packed by the client of Kafka itself. */
const PRODUCE_JAVA = `
import java.nio.file.*;
import java.util.*;
import java.util.regex.*;
import org.apache.kafka.clients.producer.*;

public class Produce {
  public static void main(String[] args) throws Exception {
    Properties p = new Properties();
    p.put("bootstrap.servers", args[0]);
    p.put("compression.type", args[1]);
    p.put("linger.ms", "50");
    p.put("key.serializer", "org.apache.kafka.common.serialization.StringSerializer");
    p.put("value.serializer", "org.apache.kafka.common.serialization.StringSerializer");
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(p)) {
      for (String line : Files.readAllLines(Path.of(args[2]))) {
        Matcher type = Pattern.compile("\\"type\\":\\"(\\\\w+)\\"").matcher(line);
        type.find();
        producer.send(new ProducerRecord<>(args[3] + "." + type.group(1), "node", line)).get();
      }
    }
  }
}
`;
