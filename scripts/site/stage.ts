/**
 * The pages of the repository as a generator of sites needs them: all below one folder, with links between them. A page keeps its
 * name below `docs`, pages beside the README stand beside the first page, and other files that a page links to come along in `files`.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { contentsOf, type Part } from './contents.ts';

/** Pages outside of `docs`, in the order of the last part of the contents. */
const PROJECT = ['CHANGELOG.md', 'SUPPORT.md', 'SECURITY.md', 'CONTRIBUTING.md', 'changes/README.md'];

/** Where a path of the repository stands among the staged pages. */
const placeOf = (path: string): string => {
  if (path === 'README.md') return 'index.md';
  if (path === 'docs/README.md') return 'all-pages.md';
  if (path.startsWith('docs/')) return path.slice('docs/'.length);
  return PROJECT.includes(path) ? path : `files/${path}`;
};

/** Writes the pages of a repository into an empty folder. A link to what is not there, or to a folder, throws. */
export function stagePages(root: string, to: string): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), text);
  };
  const below = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const pages = [
    'README.md',
    ...PROJECT,
    ...below.filter((path) => path.endsWith('.md')).map((path) => `docs/${path}`),
  ];
  for (const page of pages) {
    const { text, linked } = withLinks(readFileSync(join(root, page), 'utf8'), page);
    for (const path of linked) {
      if (!existsSync(join(root, path)) || !statSync(join(root, path)).isFile())
        throw new Error(`${page} links to ${path}, which is no file`);
      if (path.endsWith('.md') && pages.includes(path)) continue;
      mkdirSync(dirname(join(to, placeOf(path))), { recursive: true });
      copyFileSync(join(root, path), join(to, placeOf(path)));
    }
    // The first page is made below: the README behind the contents, which Markdown has no words for.
    write(page === 'README.md' ? 'readme.txt' : placeOf(page), text);
  }
  const parts = [
    ...contentsOf(readFileSync(join(root, 'docs/README.md'), 'utf8')),
    { title: 'Project', pages: ['all-pages', ...PROJECT.map((path) => path.replace(/\.md$/, ''))] },
  ];
  const decisions = pages.filter((path) => /^docs\/adr\/\d/.test(path)).sort();
  write(
    'adr/contents.rst',
    `:orphan:\n\nDecisions\n=========\n\n${tree(decisions.map((path) => posix.basename(path, '.md')))}`,
  );
  write('index.rst', `${parts.map(partTree).join('\n')}\n.. include:: readme.txt\n   :parser: myst_parser.sphinx_\n`);
}

const tree = (pages: readonly string[], caption?: string): string =>
  [
    '.. toctree::',
    '   :hidden:',
    ...(caption === undefined ? [] : [`   :caption: ${caption}`]),
    '',
    ...pages.map((page) => `   ${page}`),
    '',
  ].join('\n');

const partTree = ({ title, pages }: Part): string => tree(pages, title);

/** A page with its links as they are among the staged pages, and the paths of the repository that they name. */
export function withLinks(text: string, page: string): { text: string; linked: string[] } {
  const linked: string[] = [];
  const from = posix.dirname(placeOf(page));
  const link = (whole: string, target: string, anchor = ''): string => {
    if (target === '' || /^[a-z]+:/.test(target)) return whole;
    const path = posix.normalize(posix.join(posix.dirname(page), target));
    linked.push(path);
    return `](${posix.relative(from, placeOf(path))}${anchor})`;
  };
  const parts = text.split(/^(```[\s\S]*?^```$)/gm);
  const written = parts.map((part, index) =>
    index % 2 === 1
      ? part
      : part.replaceAll(/\]\(([^)#\s]*)(#[^)\s]*)?\)/g, (whole, target: string, anchor?: string) =>
          link(whole, target, anchor),
        ),
  );
  return { text: written.join(''), linked };
}
