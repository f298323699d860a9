import type { Client } from '../../client/client.ts';
import type { Log } from '../facts/log.ts';

/** Clocks that are this far apart are wrong: a person who compares logs of two machines has to know it. */
const APART_SECONDS = 30;

/**
 * How many seconds the clock of this machine is ahead of that of the server; undefined where the server does not say what time it
 * is, as Torc's own. Right to the time that the reply takes.
 */
export async function clockAheadSeconds(client: Pick<Client, 'ping'>, log: Log): Promise<number | undefined> {
  const { now_ms: serverMs } = await client.ping();
  const nowMs = Date.now();
  if (serverMs === undefined) return undefined;
  const seconds = (nowMs - serverMs) / 1000;
  if (Math.abs(seconds) >= APART_SECONDS) {
    const where = `${Math.round(Math.abs(seconds))} s ${seconds > 0 ? 'ahead of' : 'behind'} that of the server`;
    log.write('warn', `The clock of this machine is ${where}; times of jobs that run here are by this clock`);
  }
  return seconds;
}
