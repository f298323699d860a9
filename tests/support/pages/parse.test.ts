import { describe, expect, it, test } from 'vitest';
import { type Command, firstMissing, parsePage, type RunCommands } from './parse.ts';

const page = (...lines: string[]) => parsePage(lines.join('\n'));
const onlyBlock = (...lines: string[]) => page(...lines)[0] as RunCommands;
const commandsOf = (...lines: string[]): Omit<Command, 'line'>[] =>
  onlyBlock('```console', ...lines, '```').commands.map(({ text, expected }) => ({ text, expected }));

describe('a page is read as steps', () => {
  it('a block below a line that ends with a file name and a colon is a file', () => {
    expect(page('Save this as `sweep.yaml`:', '', '```yaml', 'name: sweep', 'jobs: []', '```')).toEqual([
      { kind: 'file', line: 3, name: 'sweep.yaml', text: 'name: sweep\njobs: []\n' },
    ]);
  });

  it.each(['The field `jobs` is a list.', 'In `a b`:', 'A file `x.yaml`', '`x.yaml`: as before, but'])(
    'a block below "%s" is only text',
    (before) => {
      expect(page(before, '', '```yaml', 'name: sweep', '```')).toEqual([]);
    },
  );

  it('the line before counts for one block only', () => {
    expect(page('Save this as `a.yaml`:', '```yaml', 'a: 1', '```', '', '```yaml', 'b: 1', '```')).toHaveLength(1);
  });

  it('a console block is commands, each with the output that is promised below it', () => {
    expect(commandsOf('$ torc ping', '$ torc -s status 1', 'Workflow Summary', '  Name: first')).toEqual([
      { text: 'torc ping', expected: [] },
      { text: 'torc -s status 1', expected: ['Workflow Summary', '  Name: first'] },
    ]);
  });

  it('a command goes on after a backslash and at the prompt ">"', () => {
    expect(commandsOf('$ torc exec \\', '    -c true', 'ok')).toEqual([
      { text: 'torc exec \\\n    -c true', expected: ['ok'] },
    ]);
    expect(commandsOf('$ cat > x <<END', '> a > b', '> END', '> is output')).toEqual([
      { text: 'cat > x <<END\na > b\nEND\nis output', expected: [] },
    ]);
  });

  it('a block inside a list loses the indentation of its fence', () => {
    expect(page('1. Save `a.yaml`:', '', '   ```yaml', '   a:', '     b: 1', '   ```')).toMatchObject([
      { name: 'a.yaml', text: 'a:\n  b: 1\n' },
    ]);
  });

  it('a longer fence may hold a shorter one', () => {
    expect(page('A page `page.md`:', '````md', '```console', '$ false', '```', '````')).toMatchObject([
      { kind: 'file', text: '```console\n$ false\n```\n' },
    ]);
  });

  it('a comment says how a block is run', () => {
    const after = (comment: string) => onlyBlock(comment, '', '```console', '$ false', '```');
    expect(after('Text.')).toMatchObject({
      exitCode: 0,
      clone: 'none',
      needsSlurm: false,
      needsHosts: false,
      notRun: undefined,
    });
    expect(after('<!-- exit 3 -->')).toMatchObject({ exitCode: 3, notRun: undefined });
    expect(after('<!-- in a clone -->')).toMatchObject({ exitCode: 0, clone: 'fresh' });
    expect(after('<!-- in a clone after npm ci -->')).toMatchObject({ clone: 'set up' });
    expect(after('<!-- on a Slurm cluster -->')).toMatchObject({ needsSlurm: true });
    expect(after('<!-- on a PBS cluster -->')).toMatchObject({ needsSlurm: false, needsPbs: true });
    expect(after('<!-- with hosts that ssh reaches -->')).toMatchObject({ needsHosts: true });
    expect(after('<!-- not run: it needs root -->')).toMatchObject({ notRun: 'it needs root' });
  });

  test.each([
    ['a comment with a mistake', ['<!-- exits 1 -->', '```console', '$ false', '```'], 'expected "exit N"'],
    ['no reason', ['<!-- not run: -->', '```console', '$ false', '```'], 'expected "exit N"'],
    ['a comment before another block', ['<!-- exit 1 -->', '```sh', 'false', '```'], 'not a console block'],
    ['output without a command', ['```console', 'Workflow Summary', '```'], 'output before the first command'],
    ['a block without commands', ['```console', '```'], 'without a command'],
    ['a block that is not closed', ['```console', '$ true'], 'not closed'],
  ])('%s is an error, not left out', (_, lines, message) => {
    expect(() => page(...lines)).toThrow(message);
  });
});

describe('promised output', () => {
  const output = 'Created workflow 12\nName    Status\ntrain_1 completed  \n\ntrain_2 failed\n';

  it.each<[string, string[]]>([
    ['all lines', ['Created workflow 12', 'Name    Status', 'train_1 completed', 'train_2 failed']],
    ['some of the lines', ['train_1 completed']],
    ['any text for …', ['Created workflow …', '…completed']],
    ['nothing', []],
    ['a line of … alone and an empty one', ['Created workflow 12', '…', '', 'train_2 failed']],
  ])('promised output is there: %s', (_, expected) => {
    expect(firstMissing(output, expected)).toBeUndefined();
  });

  it.each<[string, string[], string]>([
    ['a line in another order', ['train_2 failed', 'train_1 completed'], 'train_1 completed'],
    ['a part of a line', ['Created workflow 1'], 'Created workflow 1'],
    ['the same line twice', ['train_1 completed', 'train_1 completed'], 'train_1 completed'],
    ['a line with a sign of regular expressions', ['Created workflow .*'], 'Created workflow .*'],
    ['… over more than one line', ['Created … Status'], 'Created … Status'],
  ])('promised output is missing: %s', (_, expected, missing) => {
    expect(firstMissing(output, expected)).toBe(missing);
  });
});
