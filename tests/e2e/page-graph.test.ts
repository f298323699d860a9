import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CHROMIUM, faultsOfAxe, openBrowser, watchPage } from '../support/browser.ts';
import { startServer, temporaryFolder, until } from '../support/programs.ts';

/** A large graph on the page of its workflow, in a real browser. Without chromium these tests are skipped. */

const FAMILIES = 60;
const letters = (at: number) => String.fromCharCode(97 + Math.floor(at / 26), 97 + (at % 26));

/** A chain of so many families of one job, each of which depends on the one before it. */
async function openedChain(families: number) {
  const { client, port } = await startServer(temporaryFolder());
  const { id } = await client.createWorkflow({ body: { name: 'chain', user: 'tester' } });
  let before: number[] = [];
  for (let at = 0; at < families; at += 1) {
    const body = { workflow_id: id, name: `step_${letters(at)}`, command: 'true', depends_on_job_ids: before };
    before = [(await client.createJob({ body })).id];
  }
  const page = await (await openBrowser()).newPage({ viewport: { width: 1000, height: 800 } });
  const address = `http://127.0.0.1:${port}/#/workflows/${id}`;
  const faults = watchPage(page, new URL(address).origin);
  await page.goto(address);
  await page.locator('.graph .node').first().waitFor();
  return { page, faults };
}

const button = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Size of the graph' }).getByRole('button', { name, exact: true });
/** The width of the first family, as it is on the screen. */
const widthOf = async (page: Page) => (await page.locator('.graph .node .box').first().boundingBox())?.width ?? 0;
const scrolled = (page: Page) => page.locator('.graph').evaluate((graph: { scrollLeft: number }) => graph.scrollLeft);
const comes = (page: Page, name: string) => page.locator('.graph').getByRole('link', { name, exact: true }).waitFor();
const drawn = (page: Page) => page.locator('.graph .node').count();

describe.skipIf(CHROMIUM === undefined)(
  'the graph of a workflow on its page (skipped where chromium is missing)',
  () => {
    it('of a large one the families in view are elements, those that scroll into view become some, and all are in its table', async () => {
      const { page, faults } = await openedChain(FAMILIES);
      await comes(page, 'step_aa');
      expect(await drawn(page)).toBeLessThan(20);
      await page.locator('.graph').evaluate((graph: { scrollLeft: number }) => void (graph.scrollLeft = 1e6));
      await comes(page, `step_${letters(FAMILIES - 1)}`);
      expect(await page.locator('.graph').getByRole('link', { name: 'step_aa', exact: true }).count()).toBe(0);
      await page.getByRole('group', { name: 'Table of the families of jobs' }).getByText('step_aa × 1').waitFor();
      expect(faults).toEqual([]);
    });

    it('zooms with buttons and keys to all of it and back, and the names that are too small are hidden', async () => {
      const { page, faults } = await openedChain(FAMILIES);
      const own = await widthOf(page);
      await button(page, 'Zoom in').click();
      expect((await widthOf(page)) / own).toBeCloseTo(1.4, 1);
      await page.locator('.graph').focus();
      await page.keyboard.press('-');
      expect((await widthOf(page)) / own).toBeCloseTo(1, 1);
      await page.keyboard.press('0');
      await until(
        () => drawn(page),
        (found) => found === FAMILIES,
        'all families',
      );
      // The keys are those of the part with the focus: the time that is shown is the same.
      expect(page.url()).not.toContain('from=');
      expect(await page.locator('.graph text').first().isVisible()).toBe(false);
      expect(await faultsOfAxe(page)).toEqual([]);
      // The focus leads to a family that has no name on it.
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'step_aa' }).waitFor();
      expect(faults).toEqual([]);
    });

    it('zooms at the pointer with Ctrl and the wheel, and without Ctrl a wheel scrolls the page', async () => {
      const { page, faults } = await openedChain(FAMILIES);
      const box = (await page.locator('.graph').boundingBox()) as { x: number; y: number };
      const [own, name] = [await widthOf(page), page.locator('.graph').getByRole('link', { name: 'step_ac' })];
      const before = (await name.boundingBox()) as { x: number; y: number };
      await page.mouse.move(before.x + 1, box.y + 20);
      await page.mouse.wheel(0, 40);
      expect(await widthOf(page)).toBe(own);
      const now = (await name.boundingBox()) as { x: number; y: number };
      await page.mouse.move(now.x + 1, now.y + 20);
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, -100);
      await page.keyboard.up('Control');
      await until(
        () => widthOf(page),
        (width) => width > own * 1.3,
        'a larger graph',
      );
      expect(await scrolled(page)).toBeGreaterThan(0);
      expect(Math.abs(((await name.boundingBox())?.x ?? 0) - now.x)).toBeLessThan(3);
      expect(faults).toEqual([]);
    });

    it('all of a graph is in its frame on a desk and on a phone, with names that can be read', async () => {
      const { page } = await openedChain(6);
      for (const size of [
        { width: 1400, height: 900 },
        { width: 390, height: 844 },
      ]) {
        await page.setViewportSize(size);
        await page.reload();
        await comes(page, 'step_af');
        const isWhole = () =>
          page
            .locator('.graph')
            .evaluate(
              (graph: { scrollWidth: number; clientWidth: number; scrollHeight: number; clientHeight: number }) =>
                graph.scrollWidth <= graph.clientWidth && graph.scrollHeight <= graph.clientHeight,
            );
        await until(isWhole, (is) => is, `the whole graph at ${size.width}`);
        expect(await page.locator('.graph text').first().isVisible()).toBe(true);
      }
    });

    it('a graph that has room in its frame has no buttons', async () => {
      const { page } = await openedChain(2);
      expect(await drawn(page)).toBe(2);
      expect(await page.getByRole('group', { name: 'Size of the graph' }).count()).toBe(0);
    });
  },
);
