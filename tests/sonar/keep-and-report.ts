/** A receiving server, without its routes, closes days at once and prints its notices: `node keep-and-report.ts STORE NOTICES`. */
import { createBodyRoom } from '../../src/server/http/body-room.ts';
import { createReceiver } from '../../src/telemetry/serve/receiver.ts';

const [path = '', expected = ''] = process.argv.slice(2);
const reported = Promise.withResolvers<undefined>();
let count = 0;
const receiver = await createReceiver({
  path,
  room: createBodyRoom(),
  answerInTurn: () => Promise.resolve(),
  viewerOf: async () => 'refused',
  keepAfterMs: 0,
  onNotice: (words, facts) => {
    console.log(`${words}: ${JSON.stringify(facts)}`);
    if ((count += 1) === Number(expected)) reported.resolve(undefined);
  },
});
// The threads of the receiver keep no program alive.
const alive = setInterval(() => {}, 1000);
await reported.promise;
clearInterval(alive);
await receiver.close();
