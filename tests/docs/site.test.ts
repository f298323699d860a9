import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { contentsOf } from '../../scripts/site/contents.ts';
import { withLinks } from '../../scripts/site/stage.ts';
import { VERSION } from '../../src/core/contract/version.ts';
import { CHROMIUM, openBrowser, watchPage } from '../support/browser.ts';
import { folderWith } from '../support/folder-with.ts';

const root = resolve(import.meta.dirname, '../..');

describe('the links of a printed page', () => {
  it.each([
    ['README.md', '[a](docs/how-to/install.md#x)', '[a](how-to/install.md#x)', ['docs/how-to/install.md']],
    ['docs/how-to/install.md', '[a](../../README.md)', '[a](../index.md)', ['README.md']],
    ['docs/how-to/install.md', '[a](../README.md)', '[a](../all-pages.md)', ['docs/README.md']],
    ['docs/how-to/a.md', '[a](../../api/b.json)', '[a](../files/api/b.json)', ['api/b.json']],
    ['docs/how-to/a.md', '![a](pictures/b.svg)', '![a](pictures/b.svg)', ['docs/how-to/pictures/b.svg']],
  ])('in %s %s leads where it led', (page, text, expected, linked) => {
    expect(withLinks(text, page)).toEqual({ text: expected, linked });
  });

  it.each(['[a](#x)', '[a](https://example.org/x.md)', '```sh\n[a](x.md)\n```'])('%j stays as it is', (text) => {
    expect(withLinks(text, 'docs/how-to/a.md')).toEqual({ text, linked: [] });
  });
});

it('the parts of the contents are those of the list of all pages, without a page twice', () => {
  const list =
    '# A\n\n[x](t/x.md)\n\n## T\n- [x](t/x.md)\n\n## H\n\nSet up:\n\n- [y](h/y.md), [z](h/z.md#q)\n\nRun:\n\n- [y](h/y.md), [w](h/w.md)\n';
  expect(contentsOf(list)).toEqual([
    { title: 'T', pages: ['t/x'] },
    { title: 'Set up', pages: ['h/y', 'h/z'] },
    { title: 'Run', pages: ['h/w'] },
  ]);
});

const hasSphinx =
  existsSync(join(root, '.build/sphinx/bin/sphinx-build')) || spawnSync('sphinx-build', ['--version']).status === 0;

describe.skipIf(!hasSphinx)('the printed pages (skipped without Sphinx: scripts/site/requirements.txt)', () => {
  const out = folderWith({});
  const place = join(out, VERSION);
  beforeAll(
    () =>
      void execFileSync('node', [join(root, 'scripts/site.ts'), '--out', out], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
  );

  it('every page of the documentation is printed', () => {
    const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.md'),
    );
    const missing = pages.filter(
      (path) => path !== 'README.md' && !existsSync(join(place, path.replace(/\.md$/, '.html'))),
    );
    expect(missing).toEqual([]);
  });

  it('the page of all versions leads to this one', () => {
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toContain(`<a href="${VERSION}/index.html">`);
  });

  it('no page loads anything from another host', () => {
    const pages = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /\.(?:html|css)$/.test(path),
    );
    const loads =
      /<(?:script|img|iframe|source)[^>]+src="(?:https?:)?\/\/|<link[^>]+href="(?:https?:)?\/\/|url\(["']?(?:https?:)?\/\//;
    expect(pages.filter((path) => loads.test(readFileSync(join(place, path), 'utf8')))).toEqual([]);
  });

  it.skipIf(CHROMIUM === undefined)('a search without a network finds the page that a word stands in', async () => {
    const page = await (await openBrowser()).newPage();
    const faults = watchPage(page, 'null');
    await page.goto(`file://${join(place, 'search.html')}?q=checkpoints`);
    await page.getByRole('link', { name: 'Run a chain of jobs with checkpoints' }).last().click();
    await page.getByRole('heading', { level: 1, name: 'Run a chain of jobs with checkpoints' }).waitFor();
    // A browser gives a file no summaries of other files; the results have their titles alone.
    expect(faults.filter((fault) => fault !== 'error: Failed to fetch')).toEqual([]);
  });
});
