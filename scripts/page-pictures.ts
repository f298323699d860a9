/**
 * Takes pictures of the views of the page, of a server with workflows in several states: look at them after a change of the page.
 * Wants chromium.
 *
 *     node scripts/page-pictures.ts [FOLDER]    every view, light and dark, at 1,440 and 380 pixels
 *     node scripts/page-pictures.ts --docs      the pictures of README and docs/how-to/watch-in-a-browser.md, and the run in a
 *                                               terminal, from the file and the commands of README
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { writeCast } from './page-pictures/cast.ts';
import { CLUSTER, LONGEST_MS, withWorkflows } from './page-pictures/workflows.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (CHROMIUM === undefined) throw new Error('Pictures need chromium.');
const argument = process.argv[2] ?? '.build/page';
const isForDocs = argument === '--docs';
const target = resolve(isForDocs ? join(import.meta.dirname, '../docs/how-to/pictures') : argument);
mkdirSync(target, { recursive: true });

const PASTED = `name: sweep
jobs:
  - name: 'train_{lr}'
    command: 'python train.py --rate {lr}'
    parameters: { lr: '[0.1, 0.01, 0.001]' }
  - name: best
    comand: 'sort -n out/* | tail -1'
    depends_on: [train_0.1]
`;

/** Where each view is, and the words that are there when it has loaded. */
const VIEWS = [
  { name: 'workflows', open: toList, has: 'grid-forecast' },
  { name: 'workflow', open: toWorkflow, has: 'KeyError' },
  { name: 'job', open: toJob, has: 'Jobs that wait for it' },
  { name: 'family', open: toFamily, has: 'align_24' },
  { name: 'resources', open: toPart('resources'), has: 'Most memory' },
  { name: 'runners', open: toPart('runners'), has: 'run commands' },
  { name: 'events', open: toPart('events'), has: 'torc events monitor' },
  { name: 'files', open: toPart('files'), has: 'ID0042.vcf' },
  { name: 'telemetry', open: toTelemetry(''), has: 'on average' },
  { name: 'telemetry-node', open: toTelemetry(`/nodes/c1.${CLUSTER}`), has: 'CPU: on average' },
  { name: 'telemetry-jobs', open: toTelemetry('/jobs'), has: 'python' },
  { name: 'telemetry-job', open: toTelemetry('/jobs/48213'), has: 'CPUs in use: on average' },
  { name: 'new', open: toNew, has: 'prevents its creation' },
] as const;

/** Those of the documentation: small enough to be loaded with the text, and as sharp as the text around them. */
const SHOWN = [
  { view: 'workflow', file: 'page-workflow', width: 1200, height: 978 },
  { view: 'workflows', file: 'page-workflows', width: 1000, height: 668 },
  { view: 'job', file: 'page-job', width: 1000, height: 822 },
  { view: 'telemetry', file: 'page-telemetry', width: 1000, height: 940 },
] as const;

if (isForDocs) await writeCast(join(target, 'run.svg'));
await withWorkflows(async (root) => {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
  });
  try {
    if (isForDocs) {
      for (const { view, file, width, height } of SHOWN) {
        const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: 2 });
        await openView(page, root, view);
        await savePicture(page, join(target, `${file}.webp`));
        await page.close();
      }
      return;
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1440, 380]) {
        const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 }, deviceScaleFactor: 1 });
        for (const { name } of VIEWS) {
          await openView(page, root, name);
          await page.screenshot({ path: join(target, `${name}-${colorScheme}-${width}.png`), fullPage: true });
        }
        await page.close();
      }
    }
  } finally {
    await browser.close();
  }
});
process.stdout.write(`${target}\n`);

async function openView(page: Page, root: string, name: string): Promise<void> {
  const view = VIEWS.find((each) => each.name === name);
  if (view === undefined) throw new Error(`there is no view ${name}`);
  await view.open(page, root);
  await page.getByText(view.has).first().waitFor({ timeout: LONGEST_MS });
  await page.getByRole('link', { name: 'Telemetry' }).first().waitFor({ timeout: LONGEST_MS });
  // Bars and counts move to their places.
  await page.evaluate('Promise.allSettled(document.getAnimations().map((each) => each.finished))');
}

async function toList(page: Page, root: string): Promise<void> {
  await page.goto(`${root}#/`);
}

async function toWorkflow(page: Page, root: string): Promise<void> {
  await toList(page, root);
  await page.getByRole('link', { name: 'variant-calling' }).click();
  await page.getByRole('link', { name: 'align_#' }).first().waitFor();
}

async function toJob(page: Page, root: string): Promise<void> {
  await toWorkflow(page, root);
  await page.getByRole('link', { name: 'align_7' }).first().click();
}

async function toFamily(page: Page, root: string): Promise<void> {
  await toWorkflow(page, root);
  await page.getByRole('table').getByRole('link', { name: 'align_#' }).click();
}

function toPart(part: string) {
  return (page: Page, root: string): Promise<unknown> => page.goto(`${root}#/workflows/4/${part}`);
}

function toTelemetry(part: string) {
  return (page: Page, root: string): Promise<unknown> => page.goto(`${root}#/telemetry/${CLUSTER}${part}`);
}

async function toNew(page: Page, root: string): Promise<void> {
  await page.goto(`${root}#/new`);
  await page.getByRole('textbox', { name: 'Text of the workflow file' }).fill(PASTED);
}

/** WebP, which playwright does not write itself: half the size of PNG. */
async function savePicture(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
  writeFileSync(path, Buffer.from(data, 'base64'));
}
