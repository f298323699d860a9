import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../src/core/spec/problems.ts';
import { readSpec } from '../../src/core/spec/read.ts';
import { VERSION } from '../../src/core/contract/version.ts';
import { startServer, temporaryFolder } from '../support/programs.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const pagesUnder = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? pagesUnder(`${folder}/${entry.name}`)
      : entry.name.endsWith('.md')
        ? [`${folder}/${entry.name}`]
        : [],
  );

const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pagesUnder('docs')];

interface Block {
  readonly language: string;
  readonly text: string;
  /** The last file named between backticks before the block. */
  readonly named: string | undefined;
}

function blocksOf(page: string): Block[] {
  const text = read(page);
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map((match) => {
    // From the block before on.
    const before = text.slice(0, match.index).split('```').at(-1) ?? '';
    return {
      language: match[1] as string,
      text: match[2] as string,
      named: [...before.matchAll(/`([\w.-]+\.ya?ml)`/g)].at(-1)?.[1],
    };
  });
}

/** A folder in which the programs are commands, as after an installation, with the examples beside. */
function workplace(): { cwd: string; environment: Record<string, string> } {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'bin'));
  for (const program of ['torc', 'torc-server', 'torc-htpasswd']) {
    writeFileSync(
      join(cwd, 'bin', program),
      `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin', `${program}.mjs`)}' "$@"\n`,
      { mode: 0o755 },
    );
  }
  cpSync(join(root, 'examples'), join(cwd, 'examples'), { recursive: true });
  symlinkSync(join(root, 'api'), join(cwd, 'api'));
  return {
    cwd,
    environment: {
      ...(process.env as Record<string, string>),
      PATH: `${join(cwd, 'bin')}:${process.env['PATH']}`,
      USER: 'reader',
    },
  };
}

const run = (
  line: string,
  { cwd, environment }: ReturnType<typeof workplace>,
): Promise<{ code: number; said: string }> =>
  new Promise((done) => {
    const shell = execFile('bash', ['-c', line], { cwd, env: environment }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code ?? 1), said: error === null ? stdout : stdout + stderr });
    });
    // Nobody is there to be asked.
    shell.stdin?.end();
  });

/** Lines of output in order, `…` standing for any. */
function follows(said: string, expected: readonly string[]): boolean {
  const lines = said.split('\n').map((line) => line.trimEnd());
  let at = 0;
  let skips = false;
  for (const line of expected) {
    if (line === '…') {
      skips = true;
      continue;
    }
    const found = lines.indexOf(line, at);
    if (found === -1 || (!skips && found !== at)) return false;
    at = found + 1;
    skips = false;
  }
  return true;
}

describe.each(pages.filter((page) => blocksOf(page).some(({ language }) => language === 'console')))(
  'the commands of %s',
  (page) => {
    it('do what the page says', async () => {
      const place = workplace();
      for (const { language, text, named } of blocksOf(page)) {
        if (language === 'yaml' && named !== undefined) writeFileSync(join(place.cwd, named), text);
        if (language !== 'console') continue;
        for (const part of text.split(/^\$ /m).filter((each) => each.trim() !== '')) {
          const [line = '', ...expected] = part.trimEnd().split('\n');
          // The installation has happened when this test runs, and the tests are these.
          const command = line.replace(/^npm ci && /, '').replaceAll(/\bnpx (?=torc)/g, '');
          if (command === 'npm test') continue;
          if (command.startsWith('torc-server')) {
            await startServer(place.cwd);
            continue;
          }
          const { code, said } = await run(command, place);
          expect([line, code], said).toEqual([line, 0]);
          if (expected.length > 0) expect(follows(said, expected), `${line} said:\n${said}`).toBe(true);
        }
      }
    }, 120_000);
  },
);

it('every workflow file in the pages and among the examples is right', () => {
  const inPages = pages.flatMap((page) =>
    blocksOf(page)
      .filter(({ language }) => language === 'yaml')
      .map(({ text }) => ({ name: page, text })),
  );
  const examples = readdirSync(join(root, 'examples')).filter((name) => /\.(ya?ml|json5?|kdl)$/.test(name));
  const files = examples.map((name) => ({ name: `examples/${name}`, text: read(`examples/${name}`) }));
  for (const { name, text } of [...inPages, ...files]) {
    const format = name.endsWith('.md') ? { format: 'yaml' as const } : {};
    const { problems } = readSpec(
      { name, text, ...format },
      { readFile: (path) => readFileSync(join(root, path), 'utf8') },
    );
    expect(problems.map(formatProblem)).toEqual([]);
  }
});

it('every variable of the environment that a program reads stands in the page about them', () => {
  const page = read('docs/reference/environment.md');
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(?<!\.test|\.gen)\.ts$/.test(path),
  );
  const variables = new Set(
    sources.flatMap((path) =>
      [...read(`src/${path}`).matchAll(/'([A-Z][A-Z0-9]*_[A-Z0-9_]+)'/g)].flatMap(([, name = '']) =>
        /^(?:TORC|SLURM(?!_DEFAULT)|CUDA|RUST|NO)_|^DATABASE_URL$/.test(name) ? [name] : [],
      ),
    ),
  );
  expect(variables.size).toBeGreaterThan(15);
  expect([...variables].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

it('every link between pages leads somewhere', () => {
  const dead = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
      .map((match) => match[1] as string)
      .filter((target) => !existsSync(resolve(root, page, '..', target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(dead).toEqual([]);
});

it('the life of a job names only files that exist', () => {
  const named = [...read('docs/explanation/life-of-a-job.md').matchAll(/`(src\/[\w/.-]+\.ts)`/g)].map(
    (match) => match[1] as string,
  );
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it('the version is told alike everywhere', () => {
  expect((JSON.parse(read('package.json')) as { version: string }).version).toBe(VERSION);
});
