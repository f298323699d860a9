import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programFolder } from '../support/packed.ts';
import { type RunningServer, startServer, temporaryFolder, torc } from '../support/programs.ts';

/** Completion in real shells: what the person's command line means after the Tab key. */

const program = join(programFolder(), 'torc.mjs');
const TAB = '\t';
/** Writes all candidates into the line. */
const ALL = '\u001b*';

const isThere = (name: string) => {
  try {
    execFileSync('/bin/sh', ['-c', `command -v ${name}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

interface Place {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** A folder with files to name, `torc` on PATH, and where a server is. */
function place(url = 'http://127.0.0.1:1/torc-service/v1'): Place {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/torc'), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`);
  chmodSync(join(folder, 'bin/torc'), 0o755);
  for (const name of ['flow.yaml', 'my flow.yml', 'notes.txt']) writeFileSync(join(folder, name), '');
  mkdirSync(join(folder, 'results of may'));
  const environment = {
    ...process.env,
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    HOME: folder,
    USER: 'tester',
    TORC_API_URL: url,
    TERM: 'dumb',
    NODE_COMPILE_CACHE: join(tmpdir(), 'torc-test-compiled'),
  };
  return { folder, environment };
}

/** Arguments that bash gives to the program for each of these lines of keys, which are pressed on a terminal. */
async function inBash({ folder, environment }: Place, ...lines: string[]): Promise<string[][]> {
  writeFileSync(
    join(folder, '.rc'),
    [
      "PS1='$ '",
      // Without the package bash-completion.
      'unset BASH_COMPLETION_VERSINFO; complete -r',
      'source <(torc completions bash)',
      `torc() { case $1 in complete) command torc "$@" ;; *) printf '<%s>' "$@" >> got; echo >> got ;; esac; }`,
      String.raw`bind '"\e*": insert-completions'; bind 'set bell-style none'`,
    ].join('\n'),
  );
  const shell = spawn('script', ['-qec', 'bash --noprofile --rcfile .rc -i', '/dev/null'], {
    cwd: folder,
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  shell.stdout.resume();
  shell.stdin.write(`${lines.map((keys) => `torc ${keys}\n`).join('')}exit\n`);
  await new Promise((done) => void shell.once('close', done));
  shell.stdin.destroy();
  const text = readFileSync(join(folder, 'got'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(1, -1).split('><'));
}

/** A workflow with jobs of these names. */
async function workflowWith({ client }: RunningServer, name: string, ...jobs: string[]): Promise<void> {
  const { id } = await client.createWorkflow({ body: { name, user: 'tester' } });
  for (const job of jobs) await client.createJob({ body: { workflow_id: id, name: job, command: 'true' } });
}

/** Each Tab starts the program from its sources, which takes seconds on a machine that is busy. */
const SLOW = { timeout: 240_000 };

describe.skipIf(!isThere('bash') || !isThere('script'))('in bash without the package bash-completion', SLOW, () => {
  it('commands, options and their values are completed', async () => {
    const lines = [`jobs exp${TAB}`, `run --num-c${TAB}`, `--format=js${TAB}`, `exec --link ${ALL}`];
    expect(await inBash(place(), ...lines)).toEqual([
      ['jobs', 'explain'],
      ['run', '--num-cpus'],
      ['--format=json'],
      ['exec', '--link', 'product', 'zip'],
    ]);
  });

  it('workflow files are completed where one is expected, folders where one is, and names with blanks are quoted', async () => {
    const lines = [`run fl${TAB}`, `run my${TAB}`, `run no${TAB}`, `run flow.yaml -o re${TAB}`, `--db no${TAB}`];
    expect(await inBash(place(), ...lines)).toEqual([
      ['run', 'flow.yaml'],
      ['run', 'my flow.yml'],
      ['run', 'no'],
      ['run', 'flow.yaml', '-o', 'results of may/'],
      ['--db', 'notes.txt'],
    ]);
  });

  it('names from the server are completed, and nothing in them is executed', async () => {
    const server = await startServer(temporaryFolder());
    const here = place(server.url);
    await workflowWith(server, 'sweep', 'train_1', 'train 2', 'a:b', '$(touch pwned)', '`touch pwned`');
    const lines = [`train_${TAB}`, `a:${TAB}`, ALL].map((keys) => `jobs explain ${keys}`);
    expect(await inBash(here, ...lines, `status sw${TAB}`)).toEqual([
      ['jobs', 'explain', 'train_1'],
      ['jobs', 'explain', 'a:b'],
      ['jobs', 'explain', '$(touch pwned)', '`touch pwned`', 'a:b', 'train 2', 'train_1'],
      ['status', 'sweep'],
    ]);
    expect(existsSync(join(here.folder, 'pwned'))).toBe(false);
  });
});

describe.skipIf(!isThere('fish'))('in fish', () => {
  it('commands, workflow files and values are completed', () => {
    const { folder, environment } = place();
    const script =
      'torc completions fish | source; for line in "torc jobs exp" "torc run fl" "torc --format=js"; complete -C $line; end';
    const text = execFileSync('fish', ['--no-config', '-c', script], {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
    });
    expect(text.split('\n').map((line) => line.split('\t')[0])).toEqual(['explain', 'flow.yaml', '--format=json', '']);
  });
});

describe('torc complete', () => {
  it('torc complete is silent where no server answers, and where the words make no sense', async () => {
    const { folder, environment } = place();
    for (const words of [['jobs', 'explain', ''], ['nosuch', ''], ['--nosuch', 'x', ''], []]) {
      const { code, stdout, stderr } = await torc(['complete', '--', ...words], { cwd: folder, environment });
      expect([words, code, stdout.includes('Error'), stderr]).toEqual([words, 0, false, '']);
    }
  });

  it('torc complete offers a name that several records have as their ids only', async () => {
    const server = await startServer(temporaryFolder());
    await workflowWith(server, 'twice');
    await workflowWith(server, 'twice');
    const { folder, environment } = place(server.url);
    const { stdout } = await torc(['complete', '--', 'status', ''], { cwd: folder, environment });
    expect(stdout).toBe('=2\ttwice\n=1\ttwice\n');
  });

  it('torc complete with -s asks the server of a running command, and starts none', async () => {
    const { folder, environment } = place();
    const { stdout } = await torc(['complete', '--', '-s', 'status', ''], { cwd: folder, environment });
    expect([stdout, existsSync(join(folder, 'torc_output'))]).toEqual(['', false]);
  });
});
