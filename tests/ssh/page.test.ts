import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { follow } from '../support/pages/follow.ts';
import { parsePage } from '../support/pages/parse.ts';
import { hostsAreMissing, startHosts } from './hosts.ts';

const page = resolve(import.meta.dirname, '../../docs/how-to/run-on-several-machines.md');

it('with real hosts, a reader can follow the page about several machines', { timeout: 300_000 }, async ({ skip }) => {
  if (hostsAreMissing !== undefined) skip(`no hosts that ssh reaches: ${hostsAreMissing}`);
  const hosts = startHosts(2);
  process.env['TORC_TEST_HOSTS'] = 'worker1,worker2';
  onTestFinished(() => void delete process.env['TORC_TEST_HOSTS']);
  const steps = parsePage(readFileSync(page, 'utf8'));
  expect(await follow(steps, { path: [...hosts.path], hasNetwork: false })).toEqual({ skipped: undefined });
});
