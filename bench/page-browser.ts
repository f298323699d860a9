/**
 * What does the page cost its reader?
 *
 * `node bench/page-browser.ts [rows [jobs...]]`: real chromium at a quarter of its speed, with workflows of 10,000 and 100,000 jobs
 * whose first half has ended, one of 300 families, and a list of a million jobs. Times are those of the page's own clock; beside the first
 * view stands the processor time of its main thread, which other programs on the machine do not change.
 */
import { existsSync } from 'node:fs';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import { createClient } from '../src/client/client.ts';
import { connect } from '../src/client/node/connect.ts';
import { amountOf, argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { longestTask } from './support/longest-task.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { createFamilies, createFlat, createRunner, createStages } from './support/page-workload.ts';
import { machine, startServer } from './support/processes.ts';

const SLOWER = 4;
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
/** First useful view, bytes on the wire until then, and memory, by the number of jobs up to which they are promised. */
const GOALS = [
  { jobs: 10_000, viewMs: 1_000, kilobytes: 100, megabytes: 60 },
  { jobs: Infinity, viewMs: 2_000, kilobytes: 100, megabytes: 60 },
];

const { words, rows } = argumentsOf({ rows: 1_000_000 }, 'words');
const sizes = words.length === 0 ? [10_000, 100_000] : words.map(amountOf);
if (CHROMIUM === undefined) throw new Error('this measurement needs chromium');
const { note, print } = createFigures();
console.log(machine());

const server = await startServer(layOutPackage(), workplace('page-browser'));
const connection = connect({ url: server.url });
const client = createClient(connection.send);
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--enable-precise-memory-info'],
});
try {
  const first = await openPage();
  await first.page.goto(`http://127.0.0.1:${server.port}/`, { waitUntil: 'commit' });
  // The server compresses the files of the page for its first reader, as far as possible.
  note('the first reader of a server: its list', await drawnAt(first.page, 'h2'), 'ms');
  await first.page.context().close();
  // What no page can do without: the browser itself.
  const empty = await openPage();
  await empty.page.goto(`http://127.0.0.1:${server.port}/page/none`, { waitUntil: 'commit' });
  note('a line of text: drawn', await drawnAt(empty.page, 'pre'), 'ms');
  note('a line of text: processor time of its main thread', (await metric(empty.session, 'TaskDuration')) * 1000, 'ms');
  await empty.page.context().close();
  for (const jobs of sizes) {
    const id = await createStages(client, jobs);
    const runner = await createRunner(client, id);
    for (let stage = 0; stage < 2; stage += 1) {
      await runner.start(jobs);
      await runner.end(jobs);
    }
    await runner.start(jobs);
    await measureWorkflow(id, jobs);
  }
  await measureFamilies(await createFamilies(client, 300, 10));
  await measureList(await createFlat(client, rows), rows);
} finally {
  await browser.close();
  connection.close();
  await server.stop();
}
print();

/** A page of its own cache, slowed down, and what it received so far. */
async function openPage(): Promise<{ page: Page; session: CDPSession; received: () => number }> {
  const page = await (await browser.newContext({ viewport: { width: 1_440, height: 900 } })).newPage();
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  // Time of the thread itself: what other programs do to it does not count, the slow-down does.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await session.send('Network.enable');
  let bytes = 0;
  session.on('Network.dataReceived', ({ encodedDataLength }) => void (bytes += encodedDataLength));
  session.on('Network.responseReceivedExtraInfo', ({ headersText }) => void (bytes += headersText?.length ?? 0));
  return { page, session, received: () => bytes };
}

async function metric(session: CDPSession, name: string): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find((each) => each.name === name)?.value ?? 0;
}

/** Milliseconds since the navigation at which the element is drawn. */
function drawnAt(page: Page, selector: string): Promise<number> {
  return page.evaluate(
    `new Promise((resolve) => {
      const look = () => document.querySelector(${JSON.stringify(selector)}) === null
        ? requestAnimationFrame(look)
        : requestAnimationFrame(() => resolve(performance.now()));
      look();
    })`,
  );
}

async function measureWorkflow(id: number, jobs: number): Promise<void> {
  const goal = GOALS.find((each) => jobs <= each.jobs);
  const { page, session, received } = await openPage();
  const address = `http://127.0.0.1:${server.port}/#/workflows/${id}`;
  await page.goto(address, { waitUntil: 'commit' });
  const drawn = drawnAt(page, '.graph svg .node');
  const viewMs = await drawnAt(page, '.verdict .sentence');
  const [kilobytes, busySeconds] = [received() / 1000, await metric(session, 'TaskDuration')];
  const drawnMs = await drawn;
  note(`${jobs} jobs: first useful view`, viewMs, 'ms', { atMost: goal?.viewMs ?? 0 });
  note(`${jobs} jobs: processor time of its main thread`, busySeconds * 1000, 'ms');
  note(`${jobs} jobs: received until then`, kilobytes, 'KB', { atMost: goal?.kilobytes ?? 0 });
  note(`${jobs} jobs: graph by families, after the first view`, drawnMs - viewMs, 'ms');
  note(`${jobs} jobs: processor time until it is drawn`, (await metric(session, 'TaskDuration')) * 1000, 'ms');
  note(`${jobs} jobs: received with graph and timeline`, received() / 1000, 'KB');

  // Once more, by a reader whose server has made the graph before.
  const again = await openPage();
  await again.page.goto(address, { waitUntil: 'commit' });
  const [againMs = 0, graphMs = 0] = await Promise.all(
    ['.verdict .sentence', '.graph svg .node'].map((selector) => drawnAt(again.page, selector)),
  );
  note(`${jobs} jobs: first useful view, of a graph made before`, againMs, 'ms', { atMost: goal?.viewMs ?? 0 });
  note(`${jobs} jobs: graph by families after it`, graphMs - againMs, 'ms', { atMost: 300 });
  await session.send('HeapProfiler.collectGarbage');
  note(`${jobs} jobs: JS heap`, (await metric(session, 'JSHeapUsedSize')) / 2 ** 20, 'MB', {
    atMost: goal?.megabytes ?? 0,
  });

  await page.context().close();
  await again.page.context().close();
}

/** The list of a family, from its first to its last row as with the bar, and on as with a wheel. */
async function measureList(id: number, rows: number): Promise<void> {
  const { page, session } = await openPage();
  await page.goto(`http://127.0.0.1:${server.port}/#/workflows/${id}`, { timeout: 120_000 });
  const openedMs = performance.now();
  await page.locator('.graph + * table a, .graph ~ * table a').first().click({ timeout: 120_000 });
  await page.locator('.long td a').first().waitFor({ timeout: 120_000 });
  note(`${rows} rows: list, opened to drawn`, performance.now() - openedMs, 'ms');
  const scroll = (steps: number, to: string) =>
    page.evaluate(
      `(async () => {
        const list = document.querySelector('.long');
        for (let step = 1; step <= ${steps}; step += 1) {
          list.scrollTop = ${to};
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
      })()`,
    );
  const drag = async () => {
    await scroll(300, '(list.scrollHeight - list.clientHeight) * step / 300');
    await page.locator(`.long td a:text-is("work_${rows - 1}")`).waitFor({ timeout: 120_000 });
  };
  await noteFrames(`${rows} rows, from the first to the last`, page, drag, 100);
  await noteFrames(`${rows} rows, 300 steps of a wheel`, page, () => scroll(300, 'list.scrollTop - 100'), 100);
  await session.send('HeapProfiler.collectGarbage');
  note(`${rows} rows: JS heap`, (await metric(session, 'JSHeapUsedSize')) / 2 ** 20, 'MB', { atMost: 60 });
  await page.context().close();
}

/** A workflow with most families, of which each has run. */
async function measureFamilies(id: number): Promise<void> {
  const runner = await createRunner(client, id);
  for (let stage = 0; stage < 300; stage += 1) {
    await runner.start(1_000);
    await runner.end(1_000);
  }
  const { page } = await openPage();
  await page.goto(`http://127.0.0.1:${server.port}/#/workflows/${id}`);
  await page.locator('.graph svg .node').nth(20).waitFor();
  await page.locator('.bands .row').nth(200).waitFor();
  await measureZoom(page);
  await measureTimeline(page);
  await page.context().close();
}

/** The graph with most families, as with the wheel: to all of it, and to twice its own size. */
async function measureZoom(page: Page): Promise<void> {
  const wheel = (pixels: number) => () =>
    page.evaluate(
      `(async () => {
        const graph = document.querySelector('.graph');
        const { left, top } = graph.getBoundingClientRect();
        for (let step = 0; step < 60; step += 1) {
          graph.dispatchEvent(new WheelEvent('wheel', {
            deltaY: ${pixels}, ctrlKey: true, cancelable: true, clientX: left + 500, clientY: top + 200,
          }));
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
      })()`,
    );
  await noteFrames('300 families, to the whole graph', page, wheel(20), 50);
  await noteFrames('300 families, to its double size', page, wheel(-20), 50);
  await noteFrames('300 families, scrolled', page, () => scroll(page, '.graph', 'Left'), 50);
}

/** The timeline with most bands, by its buttons: into the run and back. */
async function measureTimeline(page: Page): Promise<void> {
  const press = (name: string) => async () => {
    for (let step = 0; step < 5; step += 1) {
      const reply = page.waitForResponse(/timeline\?/);
      await page.evaluate(`document.querySelector('.timeline [data-key="${name}"]').click()`);
      await reply;
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    }
  };
  await noteFrames('200 bands, zoomed in', page, press('+'), 50);
  await noteFrames('200 bands, zoomed out', page, press('-'), 50);
  await noteFrames('200 bands, scrolled', page, () => scroll(page, '.bands', 'Top'), 50);
}

/** From its begin to its end in 100 frames. */
function scroll(page: Page, selector: string, side: 'Left' | 'Top'): Promise<unknown> {
  const [length, inView] = side === 'Left' ? ['scrollWidth', 'clientWidth'] : ['scrollHeight', 'clientHeight'];
  return page.evaluate(
    `(async () => {
      const element = document.querySelector(${JSON.stringify(selector)});
      for (let step = 0; step <= 100; step += 1) {
        element.scroll${side} = ((element.${length} - element.${inView}) * step) / 100;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    })()`,
  );
}

/** The longest time between two frames while something is done, and the processor time of the longest task of its main thread. */
async function noteFrames(name: string, page: Page, work: () => Promise<unknown>, atMost: number): Promise<void> {
  await page.evaluate(`
    window.longest = 0;
    window.isOver = false;
    let before = performance.now();
    const frame = (now) => {
      window.longest = Math.max(window.longest, now - before);
      before = now;
      if (!window.isOver) requestAnimationFrame(frame);
    };
    requestAnimationFrame((now) => { before = now; requestAnimationFrame(frame); });
  `);
  const taskMs = await longestTask(browser, work);
  await page.evaluate('window.isOver = true');
  note(`${name}: longest frame`, (await page.evaluate('window.longest')) as number, 'ms', { atMost });
  note(`${name}: processor time of the longest task`, taskMs, 'ms', { atMost });
}
