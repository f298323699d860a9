import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Consumer, MessagesStreamModes, stringDeserializers } from '@platformatic/kafka';
import { describe, expect, it, onTestFinished } from 'vitest';
import { start, temporaryFolder } from '../support/programs.ts';
import { kafkaIsMissing, startBroker } from './kafka-broker.ts';
import { refusalsOf } from './strict-reader.ts';

const node = hostname().split('.')[0] as string;

if (kafkaIsMissing !== undefined) process.stderr.write(`no broker, so nothing is sent to Kafka: ${kafkaIsMissing}\n`);

describe.skipIf(kafkaIsMissing !== undefined)('a real broker of Kafka', () => {
  it('a real broker of Kafka gets messages by topic and node, packed with snappy, with and without a password over TLS', async () => {
    const broker = await startBroker({ admin: 'x', 'c.org': 'hush' });
    const send = (address: string, more: string) => {
      const folder = temporaryFolder();
      const operations = '[debug]\noneshot = true\n[sample]\ncadence = 5m\n[sysinfo]\ncadence = 24h\n';
      const sink = `[kafka]\nbroker-address = ${address}\nsending-window = 0s\n${more}`;
      writeFileSync(join(folder, 'sonar.ini'), `[global]\ncluster = c.org\nrole = node\n${operations}${sink}`);
      const environment = { XDG_STATE_HOME: folder };
      return start('torc', ['sonar', 'daemon', 'sonar.ini'], { cwd: folder, environment }).ended;
    };
    const plain = await send(broker.plain, '');
    expect([plain.code, plain.stderr]).toEqual([0, '']);
    const secure = await send(broker.secure, `ca-file = ${broker.caFile}\nsasl-password = hush\n`);
    expect([secure.code, secure.stderr]).toEqual([0, '']);
    const refused = await send(broker.secure, `ca-file = ${broker.caFile}\nsasl-password = guessed\n`);
    expect(refused.stderr).toContain('messages wait: ');
    expect(refused.stderr).toContain('2 messages stay in the spool');

    const consumer = new Consumer({
      clientId: 'test',
      groupId: 'test',
      bootstrapBrokers: [broker.plain],
      deserializers: stringDeserializers,
    });
    onTestFinished(() => consumer.close(true));
    const stream = await consumer.consume({
      topics: ['c.org.sample', 'c.org.sysinfo'],
      mode: MessagesStreamModes.EARLIEST,
    });
    const found: { topic: string; key: string; type: string }[] = [];
    for await (const { topic, key, value } of stream) {
      const record = JSON.parse(value) as { data: { type: string } };
      expect(refusalsOf(record)).toEqual([]);
      found.push({ topic, key, type: record.data.type });
      if (found.length === 4) break;
    }
    expect(found.toSorted((left, right) => left.topic.localeCompare(right.topic))).toEqual([
      { topic: 'c.org.sample', key: node, type: 'sample' },
      { topic: 'c.org.sample', key: node, type: 'sample' },
      { topic: 'c.org.sysinfo', key: node, type: 'sysinfo' },
      { topic: 'c.org.sysinfo', key: node, type: 'sysinfo' },
    ]);
  });
});
