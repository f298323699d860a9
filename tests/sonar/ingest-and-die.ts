/** Stores the messages of two days, a few at a time, and is killed before a process is written: `node ingest-and-die.ts STORE PROCESS`. */
import { EnvelopeReader } from '../../src/telemetry/format/envelope-reader.ts';
import { EmbeddedStore } from '../../src/telemetry/store/embedded/embedded-store.ts';
import { DAY, messagesOfTwoDays, START } from './two-days.ts';

const [path = '', processes = ''] = process.argv.slice(2);
const store = new EmbeddedStore(path, { isDurable: true });
let left = Number(processes);
const run = store.database.run.bind(store.database);
store.database.run = (...given) => {
  // What is stored already is not written again.
  if (/into process\b/.test(given[0])) left--;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
  return run(...given);
};
const reader = new EnvelopeReader();
const records = [...reader.push(Buffer.from(messagesOfTwoDays().join('\n'))), ...reader.end()];
for (let at = 0; at < records.length; at += 5)
  await store.ingestEach(records.slice(at, at + 5), { received: START + 2 * DAY, origin: 'test' });
await store.close();
