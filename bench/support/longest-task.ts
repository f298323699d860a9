import type { Browser, CDPSession } from 'playwright-core';

interface TraceEvent {
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time of the thread in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
  readonly name: string;
}

/**
 * The longest task of the main threads of pages while something is done, in milliseconds of their processor time: a frame that a busy
 * machine delays is not the page's.
 */
export async function longestTask(browser: Browser, work: () => Promise<unknown>): Promise<number> {
  const session: CDPSession = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel'] },
  });
  await work();
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const threads = new Set(
    events.filter(({ args }) => args.name === 'CrRendererMain').map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return events.reduce(
    (most, { ph, pid, tid, tdur = 0 }) =>
      ph === 'X' && threads.has(`${pid} ${tid}`) ? Math.max(most, tdur / 1000) : most,
    0,
  );
}
