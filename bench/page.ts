/**
 * What do open pages cost the server?
 *
 * `node bench/page.ts [jobs] [pages] [seconds]`: 100 pages of a workflow with 100,000 running jobs, for 30 s while nothing changes
 * and for 30 s while 100 jobs end each second. The goals are of processor time, without what the server needs for the jobs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../src/client/client.ts';
import { connect } from '../src/client/node/connect.ts';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { openPages } from './support/page-readers.ts';
import { createFlat, createRunner } from './support/page-workload.ts';
import { startPings } from './support/pings.ts';
import { machine, startServer } from './support/processes.ts';

const { jobs, pages, seconds } = argumentsOf({ jobs: 100_000, pages: 100, seconds: 30 });
const { note, print } = createFigures();
console.log(machine());
const folder = layOutPackage();

await measureServer();
print();

/** Open pages of a workflow whose jobs run: with nothing that changes, and with 100 jobs that end each second. */
async function measureServer(): Promise<void> {
  const server = await startServer(folder, workplace('page'));
  const connection = connect({ url: server.url });
  const client = createClient(connection.send);
  const id = await createFlat(client, jobs);
  const runner = await createRunner(client, id);
  await runner.start(jobs);
  const pings = await startPings(server);
  const share = async (work: () => Promise<unknown>) => {
    const before = server.use().cpuSeconds;
    const found = await pings.during(work);
    return { ...found, percent: ((server.use().cpuSeconds - before) / found.seconds) * 100 };
  };
  const still = () => sleep(seconds * 1000);
  const busy = async () => {
    for (let second = 0; second < seconds; second += 1) {
      await runner.end(100);
      await sleep(1000);
    }
  };
  console.log(`${jobs} running jobs, ${pages} pages`);
  const idle = await share(still);
  const idleBusy = await share(busy);
  const readers = await openPages(server.port, id, pages);
  await sleep(3_000);
  for (const [name, work, without] of [
    ['nothing changes', still, idle],
    ['100 jobs end each second', busy, idleBusy],
  ] as const) {
    const messages = readers.messages();
    const { percent, longestMs, workedMs } = await share(work);
    note(`${name}: the pages cost, of a core`, percent - without.percent, '%', { atMost: 5 });
    note(`${name}: the server without them`, without.percent, '%');
    note(`${name}: messages a second to a page`, (readers.messages() - messages) / pages / seconds, '', {
      atMost: 4.1,
    });
    note(`${name}: longest work while a ping waits`, workedMs, 'ms', { atMost: 50 });
    note(`${name}: longest wait of a ping`, longestMs, 'ms');
  }
  readers.close();
  await pings.stop();
  connection.close();
  await server.stop();
}
