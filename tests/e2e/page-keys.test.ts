import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { KEYS } from '../../src/page/keys.ts';
import { CHROMIUM, faultsOfAxe, openBrowser, watchPage } from '../support/browser.ts';
import { startServer, temporaryFolder, torc, until } from '../support/programs.ts';

/** The keys of the page: the list that it shows, the documentation, and what they do in a real browser. Skipped without chromium. */

/** What shows that a key did what the list says: where it is pressed, and what is there afterwards. */
interface Driven {
  readonly from?: string;
  readonly press: string;
  readonly shows: (page: Page) => Promise<unknown>;
}

/** The policy of the page allows no other script to wait in it. */
const comes = (page: Page, condition: string) =>
  until(
    () => page.evaluate(condition),
    (found) => found === true,
    condition,
  );
const at = (hash: string) => (page: Page) => comes(page, `location.hash === ${JSON.stringify(hash)}`);
const focused = (selector: string) => (page: Page) =>
  comes(page, `document.activeElement?.matches(${JSON.stringify(selector)})`);

const DRIVEN: Readonly<Record<string, Driven>> = {
  '?': { press: '?', shows: (page) => page.getByRole('dialog', { name: 'Keys' }).waitFor() },
  Esc: { press: 'Escape', shows: (page) => comes(page, "document.querySelector('dialog') === null") },
  '1': { from: '#/workflows/1', press: '1', shows: at('#/') },
  '2': { from: '#/workflows/1/events', press: '2', shows: at('#/workflows/1') },
  '3': { from: '#/workflows/1', press: '3', shows: at('#/workflows/1/events') },
  '4': { from: '#/jobs/1', press: '4', shows: focused('#failed') },
  '5': { from: '#/workflows/1', press: '5', shows: at('#/workflows/1/resources') },
  '6': { from: '#/workflows/1', press: '6', shows: at('#/workflows/1/files') },
  '7': { from: '#/workflows/1', press: '7', shows: at('#/telemetry') },
  g: { from: '#/workflows/1/events', press: 'g', shows: focused('.graph') },
  t: {
    from: '#/workflows/1/events',
    press: 't',
    shows: async (page) => {
      await focused('#course')(page);
      await page.locator('[data-key]').first().waitFor();
    },
  },
  '+': { press: '+', shows: (page) => comes(page, "(globalThis.zoomed = location.hash).includes('from=')") },
  '←': {
    press: 'ArrowLeft',
    shows: (page) => comes(page, '(globalThis.earlier = location.hash) !== globalThis.zoomed'),
  },
  '→': { press: 'ArrowRight', shows: (page) => comes(page, 'location.hash !== globalThis.earlier') },
  '-': { press: '-', shows: at('#/workflows/1') },
  '0': {
    from: '#/workflows/1?from=2026-03-01T12:00:00Z&to=2026-03-01T13:00:00Z',
    press: '0',
    shows: at('#/workflows/1'),
  },
  n: { from: '#/workflows/1', press: 'n', shows: at('#/new') },
  '[': { from: '#/workflows/1/events', press: '[', shows: at('#/workflows/1/runners') },
  ']': { from: '#/workflows/1/events', press: ']', shows: at('#/workflows/1/files') },
  '↓': { from: '#/', press: 'ArrowDown', shows: focused('.workflows li:first-child a') },
  '↑': {
    press: 'ArrowDown',
    shows: async (page) => {
      await focused('.workflows li:nth-child(2) a')(page);
      await page.keyboard.press('ArrowUp');
      await focused('.workflows li:first-child a')(page);
      await page.keyboard.press('Enter');
      await at('#/workflows/2')(page);
    },
  },
  '/': { from: '#/', press: '/', shows: focused('input[type=search]') },
  r: { from: '#/workflows/1/files', press: 'r', shows: (page) => page.waitForRequest(/\/files\?/) },
  Backspace: { from: '#/workflows/1/events', press: 'Backspace', shows: at('#/workflows/1') },
  'Alt+D': {
    from: '#/',
    press: 'Alt+d',
    shows: (page) => comes(page, "document.documentElement.style.colorScheme === 'dark'"),
  },
};

it('the guide to the page lists its keys as the page does', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/how-to/watch-in-a-browser.md'), 'utf8');
  const rows = [...guide.matchAll(/^\| (`.+`) +\| (.+?) +\|$/gm)].map(([, keys, says]) => [keys, says]);
  expect(rows).toEqual(KEYS.map(({ keys, says }) => [keys.map((key) => `\`${key}\``).join(' '), says]));
});

describe.skipIf(CHROMIUM === undefined)('keys of the page (skipped where chromium is missing)', () => {
  it('every key of the list does what the list says, and none while something is typed or the keys are off', async () => {
    expect(Object.keys(DRIVEN).toSorted()).toEqual(KEYS.flatMap(({ keys }) => [...keys]).toSorted());
    const cwd = temporaryFolder();
    expect((await torc(['sonar', 'clusters', 'add', 'fox.test'], { cwd })).code).toBe(0);
    const { client, url, port } = await startServer(cwd, { more: ['--sonar-store', 'sonar.db'] });
    await torc(['--url', url, 'exec', '-c', 'sleep 0.5; exit 3'], { cwd });
    await client.createWorkflow({ body: { name: 'second', user: 'tester' } });
    const page = await (await openBrowser()).newPage({ viewport: { width: 1000, height: 800 } });
    const root = `http://127.0.0.1:${port}/`;
    const faults = watchPage(page, new URL(root).origin);
    await page.goto(root);
    await page.getByRole('link', { name: 'Telemetry' }).waitFor();
    for (const [key, { from, press, shows }] of Object.entries(DRIVEN)) {
      if (from !== undefined) {
        await page.evaluate(`document.activeElement?.blur(); location.hash = '#/none'`);
        await page.evaluate(`location.hash = ${JSON.stringify(from)}`);
        await page.locator('main h1').waitFor();
        await page
          .locator(from === '#/' ? '.workflows li' : from.startsWith('#/jobs') ? '.path a + a' : '.path a')
          .first()
          .waitFor();
        if (from.includes('?')) await page.locator('[data-key]').first().waitFor();
      }
      const happens = shows(page);
      await page.keyboard.press(press);
      await happens.catch((error: Error) => {
        throw new Error(`${key}: ${error.message}`);
      });
    }
    await page.keyboard.press('Alt+d');
    await comes(page, "document.documentElement.style.colorScheme === 'light'");
    await page.reload();
    await comes(page, "document.documentElement.style.colorScheme === 'light'");
    await page.keyboard.press('Alt+d');
    await comes(page, "document.documentElement.style.colorScheme === ''");

    // What is typed is text, and a question is answered first.
    await page.goto(`${root}#/`);
    await page.getByRole('searchbox', { name: 'Name' }).pressSequentially('n2?');
    expect(new URL(page.url()).hash).toBe('#/?name=n2%3F');
    await page.getByRole('searchbox', { name: 'Name' }).fill('');
    await page.getByRole('button', { name: 'Keys' }).press('Enter');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(await page.locator('dialog dd').allInnerTexts()).toEqual(KEYS.map(({ says }) => says));
    expect(await faultsOfAxe(page)).toEqual([]);
    await page.keyboard.press('n');
    await page.getByRole('checkbox', { name: 'Single keys are on' }).uncheck();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('n');
    await page.keyboard.press('Control+1');
    expect(new URL(page.url()).hash).toBe('#/');
    await page.getByRole('button', { name: 'Keys' }).click();
    await page.getByRole('checkbox', { name: 'Single keys are on' }).check();
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await at('#/new')(page);
    expect(faults).toEqual([]);
  });
});
