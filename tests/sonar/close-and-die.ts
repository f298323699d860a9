/** Closes days of a store, and is killed behind a step: `node close-and-die.ts STORE BEFORE STEP`. */
import { EmbeddedStore } from '../../src/telemetry/store/embedded/embedded-store.ts';

const [path = '', before = '', last = ''] = process.argv.slice(2);
const store = new EmbeddedStore(path);
const options = {
  before: Number(before),
  now: 0,
  // Several slices a day, so that a program is killed between two.
  sliceEnvelopes: 3,
  onStep: (step: string) => {
    if (step === last) process.kill(process.pid, 'SIGKILL');
  },
};
for await (const { day } of store.closeDays(options)) console.log(day);
await store.close();
