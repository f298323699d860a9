import { existsSync } from 'node:fs';
import { type IncomingMessage, request, createServer, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { chromium, type Browser, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

/** A browser that a test drives; undefined where there is none. */
export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

/** A browser with a profile of its own, which is closed with the test. */
export async function openBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
  const browser = await chromium.launch({ executablePath: CHROMIUM as string, args });
  onTestFinished(() => browser.close());
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

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe finds fault with in a page, in both themes and with high contrast. */
export async function faultsOfAxe(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const [colorScheme, contrast] of [
    ['light', 'more'],
    ['dark', 'more'],
    ['light', 'no-preference'],
    ['dark', 'no-preference'],
  ] as const) {
    await page.emulateMedia({ colorScheme, contrast, reducedMotion: 'reduce' });
    // By the debugger and not as an element: the policy of the page does not allow other scripts.
    await page.evaluate(await (await import('node:fs/promises')).readFile(axe, 'utf8'));
    const found = await page.evaluate(
      async () =>
        (
          await (
            globalThis as unknown as {
              axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
            }
          ).axe.run()
        ).violations,
    );
    for (const { id, nodes } of found)
      faults.push(`${colorScheme}, contrast ${contrast}, ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }
  return faults;
}

/** A proxy that serves a server below a prefix, as Open OnDemand does. */
export async function prefixProxy(port: number, prefix: string): Promise<string> {
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse) => {
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
