import { Agent, type ClientRequest, get } from 'node:http';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';

/** Pages as the server sees them: what src/page/views/workflow.tsx asks for, and how often. */
export interface Readers {
  /** The messages of all streams so far. */
  messages(): number;
  close(): void;
}

/**
 * What a page of a workflow with more than 10,000 jobs reads again after a change, and not sooner than after so many milliseconds;
 * without one, after 30 s.
 */
const READS = [
  ['graph', 15_000],
  ['timeline?by=family&attempts=300&bands=200', 30_000],
  ['failure_groups', 15_000],
  ['running_now?limit=10', 15_000],
] as const;
const RARELY_MS = 30_000;

/** Opens so many pages of a workflow, spread over two seconds as people do. */
export async function openPages(port: number, workflowId: number, pages: number): Promise<Readers> {
  let messages = 0;
  let isOver = false;
  const open: ClientRequest[] = [];
  const agent = new Agent({ keepAlive: true });
  const path = `${BASE_PATH}/workflows/${workflowId}`;
  const timers = new Set<NodeJS.Timeout>();
  const later = (ms: number, act: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (!isOver) act();
    }, ms);
    timers.add(timer);
  };
  const read = (what: string, then: () => void) => {
    get({ port, host: '127.0.0.1', agent, path: `${path}/${what}`, headers: { 'Accept-Encoding': 'gzip' } }, (reply) =>
      reply.resume().on('end', then),
    ).on('error', then);
  };
  const openPage = () => {
    let changes = 0;
    const stream = get({ port, host: '127.0.0.1', path: `${path}/status/stream`, agent: false }, (reply) => {
      reply.setEncoding('utf8').on('data', (text: string) => {
        if (!text.includes('event: status')) return;
        messages += 1;
        changes += 1;
      });
    }).on('error', () => {});
    open.push(stream);
    for (const [what, everyMs] of READS) {
      const look = () => {
        const [seen, sinceMs] = [changes, Date.now()];
        const again = () => {
          if (changes !== seen || Date.now() - sinceMs >= RARELY_MS) look();
          else later(everyMs, again);
        };
        read(what, () => later(everyMs, again));
      };
      look();
    }
  };
  for (let page = 0; page < pages; page += 1) later((page / pages) * 2_000, openPage);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  return {
    messages: () => messages,
    close() {
      isOver = true;
      for (const timer of timers) clearTimeout(timer);
      for (const stream of open) stream.destroy();
      agent.destroy();
    },
  };
}
