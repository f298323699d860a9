import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { type Modules, modulesOf } from '../support/loaded-modules.ts';
import { temporaryFolder } from '../support/programs.ts';

/**
 * What the telemetry of a node costs, as counts: modules that are loaded, and memory that stays in use (docs/adr/0046). Times
 * and the memory of whole processes are measured in bench/sonar-sample.ts.
 */

/** The modules below a folder, or the folders below it. */
const below = ({ own }: Modules, folder: string, parts = Number.POSITIVE_INFINITY): string[] => {
  const found = own.filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length));
  return [...new Set(found.map((path) => path.split('/').slice(0, parts).join('/')))].sort((a, b) =>
    a.localeCompare(b),
  );
};

/** HTTP, TLS, and the second client for HTTP that an import of node:http loads. */
const CONNECTIONS = ['http', '_http_client', 'https', 'tls', 'internal/deps/undici/undici'];
const connectionsOf = ({ ofRuntime }: Modules) => CONNECTIONS.filter((name) => ofRuntime.includes(name));

const configuration = (sink: string) =>
  `[global]\ncluster = c.org\nrole = node\n${sink}\n[sample]\ncadence = 5m\nload = true\n[sysinfo]\ncadence = 24h\n[debug]\noneshot = true\n`;

it('one sample loads its own command, the parser of options and what takes samples, and nothing for connections', async () => {
  const modules = await modulesOf(['sonar', 'sample', '--load']);
  expect(modules.libraries).toEqual(['commander']);
  expect(below(modules, 'cli/commands/')).toEqual([
    'sonar/all.ts',
    'sonar/locks.ts',
    'sonar/produce-options.ts',
    'sonar/sample.ts',
  ]);
  expect(below(modules, 'telemetry/', 2)).toEqual([
    'format/envelope.ts',
    'format/timestamp.ts',
    'produce/origin.ts',
    'produce/sample',
  ]);
  expect(['runner/', 'server/', 'operations/'].flatMap((folder) => below(modules, folder))).toEqual([]);
  expect(connectionsOf(modules)).toEqual([]);
});

it('a daemon that writes to a folder loads what it sends with, and nothing for connections', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'sonar.ini'), configuration('[directory]\ndata-directory = data'));
  const modules = await modulesOf(['sonar', 'daemon', 'sonar.ini'], folder);
  expect(modules.libraries).toEqual(['commander']);
  expect(below(modules, 'telemetry/', 1)).toEqual(['format', 'produce', 'send']);
  expect(below(modules, 'telemetry/send/')).not.toContain('http.ts');
  expect(connectionsOf(modules)).toEqual([]);
});

it('a daemon that sends over plain HTTP loads one client, and no TLS', async () => {
  const folder = temporaryFolder();
  const server = createServer((request, response) => void request.resume().on('end', () => response.end('ok')));
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as AddressInfo;
  writeFileSync(join(folder, 'sonar.ini'), configuration(`[http]\napi-root = http://127.0.0.1:${port}`));
  const modules = await modulesOf(['sonar', 'daemon', 'sonar.ini'], folder);
  expect(below(modules, 'telemetry/send/')).toContain('http.ts');
  expect(connectionsOf(modules)).toEqual(['http', '_http_client']);
});

it('the memory in use and the open files of a daemon do not grow with its samples, while processes come and go', async () => {
  const script = join(import.meta.dirname, 'many-samples.ts');
  const args = ['--expose-gc', script, temporaryFolder(), '300', '1500'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const [before, after] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { bytes: number; files: number });
  // Twenty processes are alive, and a file stays open only of those that ran more than once.
  expect(Math.abs((after?.files ?? Infinity) - (before?.files ?? 0))).toBeLessThan(20);
  // 2,400 processes ended meanwhile: if each left its record, that would be 1.5 MB.
  expect(((after?.bytes ?? Infinity) - (before?.bytes ?? 0)) / 2 ** 20).toBeLessThan(0.5);
}, 240_000);
