import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { checkEnvelope } from '../../src/core/contract/sonar/check.ts';
import { start, temporaryFolder, until } from '../support/programs.ts';
import { refusalsOf } from './strict-reader.ts';

const node = hostname().split('.')[0] as string;
const GLOBAL = '[global]\ncluster = c.org\nrole = node\n';

/** A daemon with this configuration in a folder of its own. */
function daemon(configuration: string, folder = temporaryFolder(), args: readonly string[] = []) {
  writeFileSync(join(folder, 'sonar.ini'), configuration.replaceAll('FOLDER', folder));
  const environment = { XDG_STATE_HOME: join(folder, 'state') };
  return { folder, program: start('torc', ['sonar', 'daemon', 'sonar.ini', ...args], { cwd: folder, environment }) };
}

interface Record {
  readonly data: { readonly type: string; readonly attributes: { readonly jobs?: readonly unknown[] } };
}
const recordsIn = (path: string): Record[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record)
    : [];
const sampleFile = (folder: string) => globSync(join(folder, `data/*/*/*/0+sample-${node}.json`))[0] ?? '';

it('a daemon appends samples to its folder until a signal ends it, and one of a node uses a folder at a time', async () => {
  const configuration = `${GLOBAL}[directory]\ndata-directory = FOLDER/data\n[sysinfo]\ncadence = 24h\n[sample]\ncadence = 1s\nmin-cpu-time = 999h\n`;
  const { folder, program } = daemon(configuration);
  await until(
    () => recordsIn(sampleFile(folder)).length,
    (count) => count >= 3,
    'three samples',
  );
  const second = await daemon(configuration, folder).program.ended;
  expect([second.code, second.stderr]).toEqual([
    1,
    expect.stringContaining(`another daemon of ${node} uses ${folder}/data`),
  ]);
  program.child.kill('SIGTERM');
  const { code, stderr, stdout } = await program.ended;
  expect([code, stderr, stdout]).toEqual([0, '', '']);
  const records = [
    ...recordsIn(sampleFile(folder)),
    ...recordsIn(globSync(join(folder, `data/*/*/*/0+sysinfo-${node}.json`))[0] ?? ''),
  ];
  expect(records.flatMap((record) => [...refusalsOf(record), ...checkEnvelope(record).problems])).toEqual([]);
  // Sysinfo at the start; a node without work says that it is alive.
  expect(records.filter(({ data }) => data.type === 'sysinfo')).toHaveLength(1);
  expect(recordsIn(sampleFile(folder)).every(({ data }) => data.attributes.jobs?.length === 0)).toBe(true);
  expect(existsSync(join(folder, `data/sonar-lock.${node}`))).toBe(false);
});

// As Sonar's packages install it: https://github.com/NordicHPC/sonar/blob/main/build-dist/rpm-assets/sonar.cfg
it('a daemon without operations says so, and runs until a signal ends it', async () => {
  const { program } = daemon(`# [sample]\n# cadence =\n${GLOBAL}# hostname-only = false\n`);
  await program.says('nothing is sent');
  program.child.kill('SIGTERM');
  const { code, stdout, stderr } = await program.ended;
  expect([code, stdout, stderr]).toEqual([
    0,
    '',
    expect.stringMatching(/^warning: \S+ no operation has a cadence: nothing is sent; give one to \[sample\], .*\n$/),
  ]);
});

it('one round of all operations is printed with topics and keys, and a failing program is an error of its record', async () => {
  const { program } = daemon(
    `${GLOBAL}topic-prefix = zap\n[debug]\noneshot = true\n[sample]\ncadence = 5m\n[cluster]\ncadence = 1h\n[jobs]\ncadence = 1h\n[programs]\nsacct-command = ""\nscontrol-command = ""\nsinfo-command = /bin/false\n`,
  );
  const { code, stdout, stderr } = await program.ended;
  expect([code, stderr]).toEqual([0, '']);
  const messages = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { topic: string; key: string; client: string; value: object });
  expect(messages.map(({ topic }) => topic).toSorted()).toEqual([
    'zap.c.org.cluster',
    'zap.c.org.job',
    'zap.c.org.sample',
  ]);
  expect(messages.every(({ key, client }) => key === node && client === `c.org/${node}`)).toBe(true);
  expect(messages.flatMap(({ value }) => refusalsOf(value))).toEqual([]);
  for (const { topic, value } of messages)
    expect(['errors' in value, topic]).toEqual([!topic.endsWith('sample'), topic]);
});

it('what a receiver missed while it was away, and while the daemon was, it gets in the order of the samples', async () => {
  const seen: { url: string | undefined; authorization: string | undefined; time: string }[] = [];
  let isUp = false;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { time } = (
        JSON.parse(gunzipSync(Buffer.concat(parts)).toString()) as { data: { attributes: { time: string } } }
      ).data.attributes;
      if (isUp) seen.push({ url: request.url, authorization: request.headers.authorization, time });
      response.writeHead(isUp ? 200 : 503).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  const { port } = server.address() as { port: number };
  const configuration = `${GLOBAL}[http]\napi-root = http://127.0.0.1:${port}/v1\nupload-password-file = FOLDER/secret\nsending-window = 0s\n[sample]\ncadence = 1s\nmin-cpu-time = 999h\n`;
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'secret'), 'hush\n');
  const spool = join(folder, `state/torc/sonar-spool/c.org-${node}`);
  const waiting = () => globSync(join(spool, '*.json')).length;
  const first = daemon(configuration, folder).program;
  await until(waiting, (count) => count >= 2, 'two messages that wait');
  await first.says('messages wait: ');
  first.child.kill('SIGTERM');
  expect((await first.ended).stderr).toMatch(/messages stay in the spool, for the next start/);
  const kept = waiting();
  isUp = true;
  const second = daemon(configuration, folder).program;
  await until(
    () => seen.length,
    (count) => count > kept,
    'the messages that waited, and a new one',
  );
  second.child.kill('SIGINT');
  expect((await second.ended).code).toBe(0);
  expect(
    seen.every(({ url, authorization }) => url === '/v1/sample' && authorization === `Basic ${btoa('c.org:hush')}`),
  ).toBe(true);
  expect(seen.map(({ time }) => time)).toEqual(seen.map(({ time }) => time).toSorted());
  expect(waiting()).toBe(0);
});

it.each([
  [
    '[global]\ncluster = c\nrole = node\n[sample]\ncadense = 5m\n',
    'sonar.ini, line 5: unknown name cadense in [sample]',
  ],
  [
    `${GLOBAL}[http]\napi-root = http://127.0.0.1:9\nupload-password-file = FOLDER/missing\n`,
    'the password file cannot be read',
  ],
])('a daemon with a configuration that is wrong does not start: %j', async (configuration, words) => {
  const { code, stderr } = await daemon(configuration).program.ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
});

it('a lock of a daemon that was killed is taken over', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'locks'));
  writeFileSync(join(folder, `locks/sonar-lock.${node}`), '4194303 boot pid:[1] 5\n');
  const { program } = daemon(
    `${GLOBAL}lock-directory = FOLDER/locks\n[debug]\noneshot = true\n[sysinfo]\ncadence = 1h\n`,
    folder,
  );
  expect((await program.ended).code).toBe(0);
});
