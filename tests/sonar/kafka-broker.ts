import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { temporaryFolder, until } from '../support/programs.ts';

const jars = process.env['KAFKA_JARS'] ?? '';

/** Why there is no broker here; undefined where there is one. */
export const kafkaIsMissing: string | undefined = existsSync(jars)
  ? undefined
  : 'KAFKA_JARS names no folder with the jars of Kafka';

export interface Broker {
  /** `host:port` of the listener without a password. */
  readonly plain: string;
  /** `host:port` of the listener with SASL over TLS. */
  readonly secure: string;
  /** The certificate that signs that of the broker. */
  readonly caFile: string;
  /** The folder with a folder for each partition. */
  readonly logs: string;
  /** Ends the broker: as a crash does, or with SIGTERM in order. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again, with what it had. */
  begin(): Promise<void>;
}

/** Runs a Java program with the jars of Kafka, and gives what it prints. */
export const java = (...args: string[]): string =>
  execFileSync('java', ['-cp', `${jars}/*`, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** A real broker of one node, with users in its configuration. It ends with the test, or when `whenOver` says. */
export async function startBroker(
  users: Readonly<Record<string, string>>,
  whenOver: (end: () => void) => void = onTestFinished,
): Promise<Broker> {
  const folder = temporaryFolder();
  const [plain, secure, controller] = await freePorts(3);
  const key = join(folder, 'broker.p12');
  execFileSync('keytool', [
    '-genkeypair',
    '-alias',
    'broker',
    '-keyalg',
    'RSA',
    '-storetype',
    'PKCS12',
    '-keystore',
    key,
    '-storepass',
    'changeit',
    '-dname',
    'CN=localhost',
    '-ext',
    'san=dns:localhost',
    '-validity',
    '2',
  ]);
  const caFile = join(folder, 'ca.pem');
  execFileSync('keytool', [
    '-exportcert',
    '-rfc',
    '-alias',
    'broker',
    '-keystore',
    key,
    '-storepass',
    'changeit',
    '-file',
    caFile,
  ]);
  const accounts = Object.entries(users).map(([user, password]) => `user_${user}="${password}"`);
  const module = 'org.apache.kafka.common.security.plain.PlainLoginModule required';
  const properties = join(folder, 'server.properties');
  writeFileSync(
    properties,
    `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
listeners=PLAINTEXT://127.0.0.1:${plain},SASL_SSL://127.0.0.1:${secure},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=PLAINTEXT://127.0.0.1:${plain},SASL_SSL://localhost:${secure}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL
sasl.enabled.mechanisms=PLAIN
listener.name.sasl_ssl.plain.sasl.jaas.config=${module} ${accounts.join(' ')};
ssl.keystore.location=${key}
ssl.keystore.password=changeit
ssl.keystore.type=PKCS12
log.dirs=${join(folder, 'logs')}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=2
group.initial.rebalance.delay.ms=0
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
`,
  );
  const id = java('kafka.tools.StorageTool', 'random-uuid').trim().split('\n').at(-1) as string;
  java('kafka.tools.StorageTool', 'format', '-t', id, '-c', properties);
  let child: ChildProcess | undefined;
  const begin = async () => {
    child = spawn('java', ['-Xmx512m', '-cp', `${jars}/*`, 'kafka.Kafka', properties], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    await until(
      () => Promise.all([accepts(plain as number), accepts(secure as number)]),
      (all) => all.every(Boolean),
      'the broker',
    );
  };
  whenOver(() => void child?.kill('SIGKILL'));
  await begin();
  return {
    plain: `127.0.0.1:${plain}`,
    secure: `localhost:${secure}`,
    caFile,
    logs: join(folder, 'logs'),
    begin,
    async kill(signal = 'SIGKILL') {
      const ended = new Promise((resolve) => child?.once('exit', resolve));
      child?.kill(signal);
      await ended;
    },
  };
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => void server.close(resolve))));
  return ports;
}
