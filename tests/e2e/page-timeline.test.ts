import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { CHROMIUM, faultsOfAxe, openBrowser, watchPage } from '../support/browser.ts';
import { startServer, temporaryFolder, until } from '../support/programs.ts';
import { registerNode } from '../support/service.ts';

/** The timeline of a run on the page of its workflow, in a real browser. Without chromium these tests are skipped. */

const BEGIN = Date.parse('2026-03-01T12:00:00Z');
const at = (seconds: number) => new Date(BEGIN + seconds * 1000).toISOString();
const HARMFUL = '<img src=x onerror="document.title=\'harmed\'">';

async function opened() {
  const { client, port } = await startServer(temporaryFolder());
  const { id } = await client.createWorkflow({ body: { name: 'w', user: 'tester' } });
  const context = await (await openBrowser()).newContext({ viewport: { width: 1000, height: 800 } });
  const page = await context.newPage();
  const address = `http://127.0.0.1:${port}/#/workflows/${id}`;
  const faults = watchPage(page, new URL(address).origin);
  const parameters = () => new URLSearchParams(new URL(page.url()).hash.split('?')[1]);
  return { client, id, context, page, address, faults, parameters };
}

interface Recorded {
  readonly job: number;
  readonly node: number;
  readonly from: number;
  readonly to: number;
  readonly attempt?: number;
  readonly cause?: string;
}

/** An attempt that ended, in seconds after the begin of the run; with a cause, it failed. */
const record = (client: Client, id: number, { job, node, from, to, attempt = 1, cause }: Recorded) =>
  client.createResult({
    body: {
      workflow_id: id,
      job_id: job,
      run_id: 0,
      attempt_id: attempt,
      compute_node_id: node,
      return_code: cause === undefined ? 0 : 3,
      exec_time_minutes: (to - from) / 60,
      completion_time: at(to),
      status: cause === undefined ? 'completed' : 'failed',
      cause,
    },
  });

/** `prepare` for ten seconds, then four samples of which the third fails and is tried again on another runner. */
async function withRetry(client: Client, id: number) {
  const job = async (name: string) => (await client.createJob({ body: { workflow_id: id, name, command: 'true' } })).id;
  const [one, other] = [await registerNode({ client }, id), await registerNode({ client }, id)];
  await record(client, id, { job: await job('prepare'), node: one, from: 0, to: 10 });
  const samples: number[] = [];
  for (const number of [1, 2, 3, 4]) samples.push(await job(`sample_${number}`));
  for (const sample of samples.filter((_, index) => index !== 2))
    await record(client, id, { job: sample, node: one, from: 10, to: 20 });
  const third = samples[2] as number;
  await record(client, id, { job: third, node: one, from: 10, to: 15, cause: `no data ${HARMFUL}` });
  await record(client, id, { job: third, node: other, from: 20, to: 40, attempt: 2 });
  return { third };
}

const bars = (page: Page) => page.locator('.attempt');
const shows = (page: Page, count: number) =>
  until(
    () => bars(page).count(),
    (found) => found === count,
    `${count} bars`,
  );

/** Drags from one part of the width of the drawing to another. */
async function drag(page: Page, from: number, to: number): Promise<void> {
  const track = page.locator('.track').first();
  await track.scrollIntoViewIfNeeded();
  const box = (await track.boundingBox()) as { x: number; y: number; width: number; height: number };
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), y);
  await page.mouse.move(box.x + box.width * to, y);
  await page.locator('.selected').waitFor();
  await page.mouse.up();
}

describe.skipIf(CHROMIUM === undefined)('the timeline of a run on its page (skipped where chromium is missing)', () => {
  it('few attempts are bars that say what they are, a retry is striped and one that failed has a notch, and a click opens the job', async () => {
    const { client, id, page, address, faults } = await opened();
    await page.goto(address);
    await page.getByText('This workflow has no jobs.').waitFor();
    const { third } = await withRetry(client, id);
    await page.reload();
    await shows(page, 6);
    const failed = page.getByRole('link', {
      name: /^sample_3, attempt 1: failed with exit code 3; .* on test-host; the command itself ended with 3: no data <img/,
    });
    const retry = page.getByRole('link', { name: /^sample_3, attempt 2: completed; .*, 20\.0s; on test-host$/ });
    const styleOf = (bar: typeof retry) =>
      bar.evaluate((element) => {
        const { backgroundImage, clipPath } = (
          globalThis as unknown as { getComputedStyle(of: unknown): { backgroundImage: string; clipPath: string } }
        ).getComputedStyle(element);
        return { isStriped: backgroundImage !== 'none', isNotched: clipPath !== 'none' };
      });
    expect(await styleOf(retry)).toEqual({ isStriped: true, isNotched: false });
    expect(await styleOf(failed)).toEqual({ isStriped: false, isNotched: true });
    // It begins where half of the time is over, and ends with it.
    const [box, track] = [await retry.boundingBox(), await page.locator('.track').first().boundingBox()];
    expect(((box?.x ?? 0) - (track?.x ?? 0)) / (track?.width ?? 1)).toBeCloseTo(0.5, 1);
    expect((box?.width ?? 0) / (track?.width ?? 1)).toBeCloseTo(0.5, 1);

    // The line below the drawing says what is under the pointer, or has the focus.
    await retry.hover();
    await page.locator('.said', { hasText: 'sample_3, attempt 2: completed' }).waitFor();
    await failed.focus();
    await page.locator('.said', { hasText: 'no data' }).waitFor();
    await page.locator('.track').first().hover();
    await page.locator('.said', { hasText: / ran, \d+ ended/ }).waitFor();

    const table = page.getByRole('group', { name: 'Table of the attempts' });
    expect(await table.getByRole('row').count()).toBe(7);
    await table.getByRole('row', { name: /sample_3 1 failed .*no data/ }).waitFor();
    expect(await faultsOfAxe(page)).toEqual([]);
    await page.setViewportSize({ width: 380, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
    await retry.click();
    await page.waitForURL(`**/#/jobs/${third}`);
    expect(await page.title()).not.toContain('harmed');
    expect(faults).toEqual([]);
  });

  it('a part of the time is chosen with the mouse, with buttons and with keys, stands in the address, and a link leads to it', async () => {
    const { client, id, context, page, address, faults, parameters } = await opened();
    await withRetry(client, id);
    await page.goto(address);
    await shows(page, 6);
    await drag(page, 0.55, 0.9);
    await shows(page, 1);
    const near = (name: string, seconds: number) =>
      expect(Math.abs(Date.parse(parameters().get(name) ?? '') - Date.parse(at(seconds)))).toBeLessThan(300);
    near('from', 22);
    near('to', 36);
    const zoomed = page.url();
    // Its times have milliseconds, and fit on a telephone.
    await page.setViewportSize({ width: 380, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
    await page.setViewportSize({ width: 1000, height: 800 });

    // The keys do what the buttons do.
    await page.keyboard.press('0');
    await shows(page, 6);
    expect(page.url()).toBe(address);
    await page.keyboard.press('+');
    await until(
      async () => parameters().get('from'),
      (from) => from === at(10),
      'the middle half',
    );
    expect(parameters().get('to')).toBe(at(30));
    await page.keyboard.press('ArrowLeft');
    expect([parameters().get('from'), parameters().get('to')]).toEqual([at(0), at(20)]);
    // The retry begins with the end of this time.
    await shows(page, 6);
    await page.getByRole('button', { name: 'Later' }).press('Enter');
    await page.getByRole('button', { name: 'Later' }).press('Enter');
    await until(
      async () => parameters().get('to'),
      (to) => to === at(40),
      'the last half',
    );
    await page.keyboard.press('ArrowRight');
    expect(parameters().get('to')).toBe(at(40));
    await page.keyboard.press('-');
    await until(
      async () => page.url(),
      (url) => url === address,
      'the whole run',
    );

    // Others see the same, and what a link says wrongly is the whole run.
    const other = await context.newPage();
    await other.goto(zoomed);
    await shows(other, 1);
    await other.goto(`${address}?from=then&to=now`);
    await shows(other, 6);
    await other.goto(`${address}?from=${at(-60)}&to=${at(-50)}`);
    await other.getByText('Nothing ran in this time.').waitFor();
    expect(faults).toEqual([]);
  });

  it('a drag that begins on a bar chooses a time, and opens no job', async () => {
    const { client, id, page, address, parameters } = await opened();
    await withRetry(client, id);
    await page.goto(address);
    await shows(page, 6);
    const bar = page.getByRole('link', { name: /^sample_3, attempt 2/ });
    const box = (await bar.boundingBox()) as { x: number; y: number; width: number };
    await bar.scrollIntoViewIfNeeded();
    await bar.hover();
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.9, (await bar.boundingBox())?.y ?? 0, { steps: 3 });
    await page.mouse.up();
    await shows(page, 1);
    expect(parameters().has('from')).toBe(true);
  });

  it('bands are families or runners, and the one of a family leads to its jobs', async () => {
    const { client, id, page, address, faults, parameters } = await opened();
    await withRetry(client, id);
    // Too many to be bars.
    const { id: node } = (await client.listComputeNodes({ query: { workflow_id: id } })).items[1] as { id: number };
    const { jobs } = await client.createJobs({
      body: {
        jobs: Array.from({ length: 300 }, (_, index) => ({ workflow_id: id, name: `short_${index}`, command: 'true' })),
      },
    });
    for (const [index, { id: job }] of (jobs ?? []).entries())
      await record(client, id, { job: job as number, node, from: 40 + index * 0.1, to: 40.1 + index * 0.1 });
    await page.goto(address);
    const bands = page.getByRole('group', { name: 'Attempts by family' });
    await bands.getByRole('link', { name: 'short_#' }).waitFor();
    expect(await bars(page).count()).toBe(0);
    expect(await page.locator('.row').allInnerTexts()).toEqual([
      expect.stringMatching(/^All/),
      expect.stringMatching(/^prepare\s+1$/),
      expect.stringMatching(/^sample_#\s+4$/),
      expect.stringMatching(/^short_#\s+1$/),
    ]);
    const table = page.getByRole('group', { name: 'Table of the timeline' });
    await table.getByRole('row', { name: 'sample_# 4 5 1 5 1' }).waitFor();
    expect(await faultsOfAxe(page)).toEqual([]);

    await page.getByRole('button', { name: 'by runner' }).click();
    await page.getByRole('group', { name: 'Attempts by runner' }).getByText('test-host, runner 2').waitFor();
    expect(parameters().get('by')).toBe('runner');
    await table.getByRole('row', { name: 'test-host, runner 1 4 5 0 5 1' }).waitFor();
    await table.getByRole('row', { name: 'test-host, runner 2 1 301 1 301 0' }).waitFor();
    // The time and the bands are independent of each other.
    await drag(page, 0.05, 0.5);
    await shows(page, 6);
    expect(parameters().get('by')).toBe('runner');
    expect(parameters().has('from')).toBe(true);
    await page.getByRole('button', { name: 'by family' }).click();
    await page.getByRole('link', { name: 'sample_#' }).last().click();
    await page.getByRole('heading', { name: 'sample_#' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('a run that goes on moves without a reload, and a part of it that was chosen stays where it is', async () => {
    const { client, id, context, page, address } = await opened();
    await page.clock.install({ time: new Date() });
    const { third } = await withRetry(client, id);
    await page.goto(address);
    await shows(page, 6);
    const chosen = await context.newPage();
    await chosen.goto(`${address}?from=${at(0)}&to=${at(12)}`);
    await shows(chosen, 5);
    const times = (of: Page) => of.locator('.course + .scale time').allInnerTexts();
    const [before, chosenBefore] = [await times(page), await times(chosen)];

    await record(client, id, { job: third, node: 1, from: 60, to: 80, attempt: 3 });
    await client.initializeJobs({ params: { id } });
    const later = async (of: Page) => {
      await of.getByText('have no free place at the moment').waitFor();
      const read = of.waitForResponse(/\/timeline\?/);
      await of.clock.runFor(11_000);
      await read;
    };
    await later(page);
    await shows(page, 7);
    expect((await times(page))[0]).toBe(before[0]);
    expect((await times(page))[1]).not.toBe(before[1]);
    await later(chosen);
    expect(await times(chosen)).toEqual(chosenBefore);
    expect(await bars(chosen).count()).toBe(5);
  });
});
