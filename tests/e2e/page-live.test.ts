import type { Page, Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CHROMIUM, openBrowser, prefixProxy, watchPage } from '../support/browser.ts';
import { start, startServer, temporaryFolder, until } from '../support/programs.ts';

/** How the page of a workflow stays live, in a real browser. Without chromium these tests are skipped. */

/** What a page asked for that has not ended, and how often it asked. */
function watchStreams(page: Page) {
  const open = new Set<Request>();
  const asked: string[] = [];
  page.on('request', (request) => {
    asked.push(new URL(request.url()).pathname);
    if (request.url().endsWith('/status/stream')) open.add(request);
  });
  page.on('requestfinished', (request) => void open.delete(request));
  page.on('requestfailed', (request) => void open.delete(request));
  return { open, asked };
}

/** A browser reports that a tab went to the background only where it has windows. */
const hide = (page: Page, isHidden: boolean) =>
  page.evaluate(
    `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
     document.dispatchEvent(new Event('visibilitychange'));`,
  );

describe.skipIf(CHROMIUM === undefined)('a live page (skipped where chromium is missing)', () => {
  it('a workflow is followed by one stream, which a page in the background closes and one that comes back opens again', async () => {
    const cwd = temporaryFolder();
    const { client, port } = await startServer(cwd);
    const { id } = await client.createWorkflow({ body: { name: 'followed', user: 'tester' } });
    await client.createJob({ body: { workflow_id: id, name: 'a', command: 'true' } });
    const page = await (await openBrowser()).newPage();
    const root = `http://127.0.0.1:${port}/`;
    const faults = watchPage(page, new URL(root).origin);
    const { open, asked } = watchStreams(page);
    await page.goto(`${root}#/workflows/${id}`);
    await page.getByText('1 job has not been initialized.').waitFor();
    expect(open.size).toBe(1);

    await hide(page, true);
    await until(
      async () => open.size,
      (streams) => streams === 0,
      'the end of the stream',
    );
    await client.initializeJobs({ params: { id } });
    await hide(page, false);
    await page.getByText('is ready, and no runner is active').waitFor();
    expect(open.size).toBe(1);

    // Another view ends it, and no view asked for the status besides.
    await page.getByRole('link', { name: 'Workflows', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Workflows' }).waitFor();
    await until(
      async () => open.size,
      (streams) => streams === 0,
      'the end of the stream',
    );
    expect(asked.filter((path) => path.endsWith('/status'))).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('the graph of a workflow is asked for beside its status, once, and shown when both are there', async () => {
    const { client, port } = await startServer(temporaryFolder());
    const { id } = await client.createWorkflow({ body: { name: 'together', user: 'tester' } });
    await client.createJob({ body: { workflow_id: id, name: 'a', command: 'true' } });
    const page = await (await openBrowser()).newPage();
    const root = `http://127.0.0.1:${port}/`;
    const faults = watchPage(page, new URL(root).origin);
    const { asked } = watchStreams(page);
    const held = Promise.withResolvers<void>();
    await page.route('**/status/stream', async (route) => {
      await held.promise;
      await route.continue();
    });
    const graph = page.waitForResponse('**/graph');
    await page.goto(`${root}#/workflows/${id}`);
    await graph;
    expect(await page.locator('.graph').count()).toBe(0);
    held.resolve();
    await page.locator('.graph svg .node').waitFor();
    expect(asked.filter((path) => path.endsWith('/graph'))).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  it.each([
    { jobs: 10_000, seconds: 5 },
    { jobs: 10_001, seconds: 15 },
  ])(
    'of a workflow with $jobs jobs what is more than counts is read again $seconds s after a change',
    async ({ jobs, seconds }) => {
      const { client, port } = await startServer(temporaryFolder());
      const { id } = await client.createWorkflow({ body: { name: 'paced', user: 'tester' } });
      for (let first = 0; first < jobs; first += 5_000) {
        const some = Array.from({ length: Math.min(5_000, jobs - first) }, (_, index) => ({
          workflow_id: id,
          name: `job_${first + index}`,
          command: 'true',
        }));
        await client.createJobs({ body: { jobs: some } });
      }
      await client.initializeJobs({ params: { id } });
      const page = await (await openBrowser()).newPage();
      await page.clock.install();
      const root = `http://127.0.0.1:${port}/`;
      const faults = watchPage(page, new URL(root).origin);
      const graphs: Request[] = [];
      page.on('request', (request) => void (request.url().endsWith('/graph') && graphs.push(request)));
      await page.goto(`${root}#/workflows/${id}`);
      await page.locator('.graph svg .node').waitFor();
      // From here on the time of the page is that of the test. A leap of it would end the stream as silent.
      await page.clock.pauseAt(Date.now() + 1_000);
      const cancel = async (number: number) => {
        const [job] = (await client.listJobs({ query: { workflow_id: id, offset: number, limit: 1 } })).items;
        await client.cancelJobs({ params: { id }, body: { job_ids: [job?.id as number] } });
        await page.getByText(new RegExp(`, ${number} (?:was|were) stopped`)).waitFor();
      };
      await cancel(1);
      const before = graphs.length;
      for (let second = 0; second < 30 && graphs.length === before; second += 1) await page.clock.runFor(1_000);
      expect(graphs).toHaveLength(before + 1);
      await (await graphs.at(-1)?.response())?.finished();
      await cancel(2);
      await page.clock.runFor((seconds - 1) * 1_000);
      expect(graphs).toHaveLength(before + 1);
      await page.clock.runFor(2_000);
      await until(
        async () => graphs.length,
        (asked) => asked === before + 2,
        'the next graph',
      );
      expect(faults).toEqual([]);
    },
  );

  it.each([
    ['a redirect to its login', 302, { Location: 'https://login.site.example/' }, ''],
    ['its login page', 200, { 'Content-Type': 'text/html' }, '<!DOCTYPE html><title>Site login</title>'],
  ] as const)(
    'where a portal replies %s in place of the server, the page says so, and a click goes there',
    async (_, status, headers, body) => {
      const { client, port } = await startServer(temporaryFolder());
      const { id } = await client.createWorkflow({ body: { name: 'behind', user: 'tester' } });
      await client.createJob({ body: { workflow_id: id, name: 'a', command: 'true' } });
      let isOver = false;
      const root = await prefixProxy(port, '/node/n1', (path) => {
        // Who opens the page again logs in on the way.
        if (path === '/node/n1/') isOver = false;
        return isOver && path.includes('/torc-service/') ? [status, headers, body] : undefined;
      });
      const page = await (await openBrowser()).newPage();
      const faults = watchPage(page, new URL(root).origin);
      await page.goto(`${root}/#/workflows/${id}`);
      await page.getByText('1 job has not been initialized.').waitFor();
      isOver = true;
      await hide(page, true);
      await hide(page, false);
      await page.getByText('Another program replies in place of the server: a').waitFor();
      expect(await page.locator('body').innerText()).not.toContain('JSON');
      const loaded = page.waitForEvent('load');
      await page.getByRole('button', { name: 'Log in again' }).click();
      await loaded;
      await page.getByText('1 job has not been initialized.').waitFor();
      await page.getByText('live').waitFor();
      expect(faults.filter((fault) => !fault.includes('login.site.example'))).toEqual([]);
    },
  );

  it('eight windows of one browser follow a workflow, though it opens six connections to a server', async () => {
    const { client, port } = await startServer(temporaryFolder());
    const { id } = await client.createWorkflow({ body: { name: 'many', user: 'tester' } });
    await client.createJob({ body: { workflow_id: id, name: 'a', command: 'true' } });
    const context = await (await openBrowser()).newContext();
    const root = `http://127.0.0.1:${port}/`;
    const pages = [];
    for (let at = 0; at < 8; at += 1) {
      const page = await context.newPage();
      watchPage(page, new URL(root).origin);
      await page.goto(`${root}#/workflows/${id}`);
      await page.getByText('1 job has not been initialized.').waitFor();
      pages.push(page);
    }
    await client.initializeJobs({ params: { id } });
    for (const page of pages) await page.getByText('is ready, and no runner is active').waitFor();
  });

  it('the view of a workflow asks for a login at once when its session ends in another tab', async () => {
    const cwd = temporaryFolder();
    const command = start('torc', ['-s', 'page'], { cwd });
    let printed = '';
    command.child.stdout?.on('data', (text: string) => (printed += text));
    await command.says('#token=');
    const address = new URL(/http\S+/.exec(printed)?.[0] ?? '');
    const context = await (await openBrowser()).newContext();
    const page = await context.newPage();
    watchPage(page, address.origin);
    await page.goto(address.href);
    await page.getByText('No workflow yet').waitFor();
    await start('torc', ['-s', 'exec', '-c', 'true'], { cwd }).ended;
    await page.goto(`${address.origin}/#/workflows/1`);
    await page.getByText('The job completed.').waitFor();
    const tab = await context.newPage();
    await tab.goto(`${address.origin}/`);
    await tab.getByRole('button', { name: 'Log out' }).click();
    const loggedOutAt = Date.now();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    // Not with the next poll, after 15 s: the server ends the stream of a session.
    expect(Date.now() - loggedOutAt).toBeLessThan(14_000);
  });

  it('a server that is killed and comes back is followed again, with what happened meanwhile', async () => {
    const cwd = temporaryFolder();
    const server = await startServer(cwd);
    const { id } = await server.client.createWorkflow({ body: { name: 'followed', user: 'tester' } });
    await server.client.createJob({ body: { workflow_id: id, name: 'a', command: 'true' } });
    const page = await (await openBrowser()).newPage();
    watchPage(page, `http://127.0.0.1:${server.port}`);
    await page.goto(`http://127.0.0.1:${server.port}/#/workflows/${id}`);
    await page.getByText('1 job has not been initialized.').waitFor();
    server.program.child.kill('SIGKILL');
    await page.getByText('has not answered since').waitFor();
    await page.getByText('1 job has not been initialized.').waitFor();
    const { client } = await startServer(cwd, { port: server.port });
    await client.cancelWorkflow({ params: { id } });
    await page.getByText('This workflow was canceled').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
  });
});
