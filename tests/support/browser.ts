import { existsSync, readFileSync } from 'node:fs';
import { type IncomingMessage, request, createServer, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { chromium, type Browser, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { isCi } from './in-ci.ts';
import { whenFileIsOver } from './over.ts';

/**
 * A browser that a test drives; undefined where there is none. The first is Chromium without its windows, from the package of that name:
 * the same engine, and a test takes a third less CPU time.
 */
export const CHROMIUM = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync);

let opened: Promise<Browser> | undefined;

/**
 * The browser of the test file: a start takes 1 s of CPU time. Each page or context that a test opens has cookies and a
 * storage of its own, as a browser with a new profile has, and is closed with the test.
 */
export async function openBrowser(): Promise<Browser> {
  const browser = await (opened ??= launched());
  onTestFinished(async () => void (await Promise.all(browser.contexts().map((context) => context.close()))));
  return browser;
}

async function launched(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
  const browser = await chromium.launch({ executablePath: CHROMIUM as string, args });
  whenFileIsOver(() => browser.close());
  return browser;
}

/** What a page did that it must not: requests to another host, errors of scripts, and what its policy stopped. */
export function watchPage(page: Page, origin: string): string[] {
  // A machine that does other things takes its time; a test that hangs is ended by its own limit.
  page.context().setDefaultTimeout(120_000);
  const faults: string[] = [];
  page.on('request', (asked) => {
    const url = new URL(asked.url());
    if (url.protocol !== 'data:' && url.origin !== origin) faults.push(`request to ${asked.url()}`);
  });
  page.on('pageerror', (error) => void faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) faults.push(message.text());
  });
  return faults;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const THEMES = [
  { colorScheme: 'light', contrast: 'no-preference' },
  { colorScheme: 'dark', contrast: 'no-preference' },
  ...(isCi
    ? ([
        { colorScheme: 'light', contrast: 'more' },
        { colorScheme: 'dark', contrast: 'more' },
      ] as const)
    : []),
] as const;

/** The rules that read colors, of those that axe runs unless it is asked for others. */
const OF_COLORS = ['color-contrast', 'link-in-text-block'];

/**
 * What axe finds fault with in a page, in both themes and, in CI, with high contrast. A theme changes colors alone, so that the rules that
 * read no color run once: all rules in each theme took three times as long.
 */
export async function faultsOfAxe(page: Page): Promise<string[]> {
  const faults: string[] = [];
  // By the debugger and not as an element: the policy of the page does not allow other scripts.
  await page.evaluate(axe);
  for (const [index, theme] of THEMES.entries()) {
    await page.emulateMedia({ ...theme, reducedMotion: 'reduce' });
    const found = await page.evaluate(
      async (options) => (await (globalThis as unknown as Axe).axe.run(options)).violations,
      index === 0 ? {} : { runOnly: OF_COLORS },
    );
    for (const { id, nodes } of found)
      faults.push(
        `${theme.colorScheme}, contrast ${theme.contrast}, ${id}: ${nodes.map(({ html }) => html).join(' ')}`,
      );
  }
  return faults;
}

interface Axe {
  readonly axe: {
    run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
  };
}

/**
 * A proxy that serves a server below a prefix, as Open OnDemand does. Where `instead` gives a reply, the server is not asked: a portal
 * whose session is over replies itself.
 */
export async function prefixProxy(
  port: number,
  prefix: string,
  instead: (
    path: string,
  ) => readonly [status: number, headers: Record<string, string>, body: string] | undefined = () => undefined,
): Promise<string> {
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const own = instead(incoming.url ?? '');
    if (own !== undefined) return void outgoing.writeHead(own[0], own[1]).end(own[2]);
    if (!(incoming.url ?? '').startsWith(prefix)) return void outgoing.writeHead(404).end();
    const asked = request(
      {
        port,
        host: '127.0.0.1',
        method: incoming.method,
        path: incoming.url?.slice(prefix.length),
        headers: incoming.headers,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    asked.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(asked);
  };
  const server = createServer(forward);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
}
