import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { follow } from '../support/pages/follow.ts';
import { parsePage, type Step } from '../support/pages/parse.ts';
import { kafkaIsMissing, startBroker } from './kafka-broker.ts';
import { PostgresServer, postgresIsMissing } from './postgres-server.ts';

const root = resolve(import.meta.dirname, '../..');
const steps = parsePage(readFileSync(join(root, 'docs/how-to/telemetry-of-a-site.md'), 'utf8'));

if (kafkaIsMissing !== undefined) process.stderr.write(`the page is followed without Kafka: ${kafkaIsMissing}\n`);

it.skipIf(postgresIsMissing !== undefined)(
  'a reader can follow the page about Kafka and PostgreSQL, as far as these are installed',
  async () => {
    const postgres = await PostgresServer.start();
    onTestFinished(() => postgres.stop());
    const broker = kafkaIsMissing === undefined ? await startBroker({ admin: 'x' }) : undefined;
    // The broker of the page stands at its usual port.
    const shown = JSON.stringify(steps).replaceAll('localhost:9092', broker?.plain ?? 'localhost:9092');
    const { skipped } = await follow(JSON.parse(shown) as Step[], {
      path: [join(root, 'bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'],
      hasNetwork: false,
      servers: broker === undefined ? ['PostgreSQL'] : ['PostgreSQL', 'Kafka'],
      environment: postgres.environment,
    });
    expect(skipped).toBe(undefined);
  },
  400_000,
);
