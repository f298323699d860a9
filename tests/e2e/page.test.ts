import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CHROMIUM, faultsOfAxe, openBrowser, prefixProxy, watchPage } from '../support/browser.ts';
import { start, startServer, temporaryFolder, until } from '../support/programs.ts';

/** The page in a real browser, with a real server and a real run. Without chromium these tests are skipped. */

const HARMFUL = '<img src=x onerror="document.title=\'harmed\'">';

/** What no view may show, whatever is in it. */
const unharmed = async (page: Page) => {
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.title()).not.toContain('harmed');
};

describe.skipIf(CHROMIUM === undefined)('the page in a browser (skipped where chromium is missing)', () => {
  it('the page shows a run without a reload, the failed job with its last lines, and cancels and runs again', async () => {
    const cwd = temporaryFolder();
    const server = await startServer(cwd);
    const { client, url, port } = server;
    const browser = await openBrowser();
    const page = await browser.newPage({ viewport: { width: 1000, height: 800 } });
    const faults = watchPage(page, `http://127.0.0.1:${port}`);
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.getByText('No workflow yet').waitFor();
    expect(await faultsOfAxe(page)).toEqual([]);

    const { id } = await client.createWorkflow({ body: { name: HARMFUL, user: 'tester' } });
    const job = async (name: string, command: string, after: number[] = []) =>
      (await client.createJob({ body: { workflow_id: id, name, command, depends_on_job_ids: after } })).id;
    const failing = await job(
      HARMFUL,
      `echo '${HARMFUL.replaceAll("'", '')}' >&2; printf '\\033[31mred\\n' >&2; exit 3`,
    );
    const long = await job('long_1', 'sleep 600');
    await job('long_2', 'true', [long]);
    await job('never', 'true', [failing]);
    await client.initializeJobs({ params: { id } });
    const runner = start('torc', ['--url', url, 'run', String(id), '--num-cpus', '4'], { cwd });

    // It appears by itself, and goes on by itself.
    await page.getByRole('link', { name: '<img' }).click();
    await page.getByText('1 job failed with exit code 3').waitFor();
    await page.getByText('onerror="document').last().waitFor();
    expect(await page.locator('pre.output').innerText()).toContain('red');
    expect(await page.locator('pre.output').innerText()).not.toContain('[31m');
    await page.getByText('1 job runs on 1 runner').waitFor();
    await page.getByRole('group', { name: 'Graph of the families' }).waitFor();
    await unharmed(page);
    expect(await faultsOfAxe(page)).toEqual([]);

    // The keyboard alone: to the family in the table, its jobs, and one of them.
    const families = page.getByRole('group', { name: 'Table of the families' });
    await families.getByRole('link', { name: 'long_1' }).focus();
    await page.keyboard.press('Enter');
    await families.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'long_1' }).waitFor();
    expect(await faultsOfAxe(page)).toEqual([]);
    await page.getByRole('link', { name: 'long_1' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Jobs that wait for it' }).waitFor();
    expect(await faultsOfAxe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel this job …' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    expect(await faultsOfAxe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect((await client.getJob({ params: { id: long } })).status).toBe('running');
    await page.getByRole('button', { name: 'Cancel this job …' }).click();
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByText('canceled', { exact: true }).first().waitFor();
    expect((await client.getJob({ params: { id: long } })).status).toBe('canceled');
    await runner.ended;

    await page.getByRole('link', { name: `Workflow ${id}` }).click();
    await page.getByText('This workflow ended').waitFor();
    const { run_id: runBefore = 0 } = await client.getWorkflow({ params: { id } });
    await page.getByRole('button', { name: 'Run again …' }).click();
    await page.getByRole('button', { name: 'Run again', exact: true }).click();
    await page.getByText('are ready, and no runner is active').waitFor();
    expect((await client.getWorkflow({ params: { id } })).run_id).toBe((runBefore ?? 0) + 1);
    await page.getByRole('button', { name: 'Cancel …', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel the workflow' }).click();
    await page.getByText('This workflow was canceled').waitFor();
    expect((await client.getWorkflow({ params: { id } })).is_canceled).toBe(true);

    // A narrow window has no bar to scroll sideways.
    await page.setViewportSize({ width: 380, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);

    // The server goes and comes back: what was shown stays.
    server.program.child.kill('SIGTERM');
    await server.program.ended;
    await page.getByText('has not answered since').waitFor();
    await page.getByText('This workflow was canceled').waitFor();
    expect(faults).toEqual([]);
    await startServer(cwd, { port });
    await page.getByText('live', { exact: true }).waitFor();
    await unharmed(page);
    expect(faults).toEqual([]);
  });

  it('a page of a server that -s started opens with the printed address, below a prefix too, until the log out', async () => {
    const cwd = temporaryFolder();
    const command = start('torc', ['-s', 'page'], { cwd });
    await command.says('#token=');
    const again = start('torc', ['-s', '-f', 'json', 'page'], { cwd });
    let json = '';
    again.child.stdout?.on('data', (text: string) => (json += text));
    await until(
      () => json,
      (text) => text.includes('}'),
      'the address',
    );
    const address = new URL((JSON.parse(json) as { url: string }).url);
    const root = await prefixProxy(Number(address.port), '/node/n1/8080');
    const browser = await openBrowser();
    const context = await browser.newContext();
    const page = await context.newPage();
    const faults = watchPage(page, new URL(root).origin);

    await page.goto(`${root}/`);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await faultsOfAxe(page)).toEqual([]);
    await page.goto(`${root}/dashboard${address.hash}`);
    await page.getByText('No workflow yet').waitFor();
    expect(page.url()).toBe(`${root}/dashboard#/`);

    // Another tab of this browser is in the same session; the address opens no second one.
    const tab = await context.newPage();
    await tab.goto(`${root}/`);
    await tab.getByText('No workflow yet').waitFor();
    const stranger = await (await browser.newContext()).newPage();
    watchPage(stranger, new URL(root).origin);
    const asked: string[] = [];
    stranger.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    await stranger.goto(`${root}/${address.hash}`);
    await stranger.getByText('This start link was used before').waitFor();
    // Nothing is asked for before the login, so nothing takes the reason away.
    await stranger.waitForLoadState('networkidle');
    expect(asked.filter((path) => path.includes('/torc-service/'))).toEqual([expect.stringMatching(/page_session$/)]);
    expect(await stranger.getByText('This start link was used before').isVisible()).toBe(true);

    // A start link that did not reach the server was not refused.
    await stranger.route('**/page_session', (route) => route.abort());
    await stranger.goto('about:blank');
    await stranger.goto(`${root}/#token=other`);
    await stranger.getByText('The server did not answer. Open the start link again.').waitFor();
    await stranger.getByLabel('User').fill('ada');
    await stranger.getByLabel('Password').fill('secret');
    await stranger.getByRole('button', { name: 'Log in' }).click();
    await stranger.getByText('The server did not answer. Try again.').waitFor();

    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await tab.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(faults).toEqual([]);
  });
});
