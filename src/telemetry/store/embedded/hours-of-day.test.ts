import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../tests/support/programs.ts';
import { messagesOfTwoDays, START } from '../../../../tests/sonar/two-days.ts';
import { EnvelopeReader } from '../../format/envelope-reader.ts';
import { EmbeddedStore } from './embedded-store.ts';
import { DAY_SECONDS } from '../days.ts';
import { hoursOfDay } from './hours-of-day.ts';

const CLUSTER = 'fox.test';
const DAY = START / DAY_SECONDS;

async function storeOf(messages: readonly string[]): Promise<EmbeddedStore> {
  const store = new EmbeddedStore(join(temporaryFolder(), 'sonar.db'));
  await store.addCluster(CLUSTER, 0);
  await add(store, messages);
  return store;
}

async function add(store: EmbeddedStore, messages: readonly string[]): Promise<void> {
  const reader = new EnvelopeReader();
  const records = [...reader.push(Buffer.from(messages.join('\n'))), ...reader.end()];
  await store.ingestEach(records, { received: START, origin: 'test' });
}

const inOrder = (hours: readonly object[]) =>
  hours
    .map((hour) => JSON.stringify(hour, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)))
    .toSorted();

async function hoursWith({ rows }: EmbeddedStore, nodesAtATime: number) {
  const { job_hour, node_hour } = await hoursOfDay(rows, CLUSTER, DAY, nodesAtATime);
  return {
    jobs: inOrder((await Array.fromAsync(job_hour)).flat()),
    nodes: inOrder((await Array.fromAsync(node_hour)).flat()),
  };
}

it('the hours of a day are the same however many nodes are read at a time, also of a day with closed and late samples', async () => {
  const messages = messagesOfTwoDays();
  const late = messages.filter((text, index) => index % 7 === 3 && text.includes('"type":"sample"'));
  const store = await storeOf(messages.filter((text) => !late.includes(text)));
  const hot = await hoursWith(store, 1000);
  expect(hot.jobs.length).toBeGreaterThan(20);
  expect(hot.nodes.length).toBeGreaterThan(20);
  for (const nodes of [1, 2]) expect(await hoursWith(store, nodes)).toEqual(hot);
  await Array.fromAsync(store.closeDays({ before: START + 100 * DAY_SECONDS, now: START }));
  await add(store, late);
  const both = await hoursWith(store, 1000);
  expect(both).not.toEqual(hot);
  for (const nodes of [1, 2]) expect(await hoursWith(store, nodes)).toEqual(both);
  await store.close();
});

it('names of nodes are divided in the order in which the store compares them', async () => {
  const names = ['n2', 'n10', 'N1', 'n-1', 'n1.a', 'n1', 'a9', 'Z'];
  const sample = (node: string) =>
    JSON.stringify({
      meta: { producer: 'sonar', version: '0.19.0' },
      data: { type: 'sample', attributes: { time: '2026-03-01T12:00:00Z', cluster: CLUSTER, node, jobs: [] } },
    });
  const store = await storeOf(names.map(sample));
  const { node_hour } = await hoursOfDay(store.rows, CLUSTER, DAY, 3);
  const found = (await Array.fromAsync(node_hour)).flat().map(({ node }) => node);
  expect(found.toSorted()).toEqual(names.toSorted());
  await store.close();
});
