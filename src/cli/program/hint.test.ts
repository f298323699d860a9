import { execFileSync } from 'node:child_process';
import { describe, expect, it, test } from 'vitest';
import { connecting, givenOf, optionWords, withOptions } from './hint.ts';
import { runnerOptions } from '../run/run-workflow.ts';
import { globalOptions } from '../command/settings.ts';
import { shellWord } from '../../core/text/shell-word.ts';

/** The options that reach the server, of a command line that gave these. */
const given = (values: Record<string, unknown>) =>
  givenOf(connecting(globalOptions), values, (name) => Object.hasOwn(values, name));

describe('a suggested command', () => {
  it('a suggested command repeats the options that reach the same server, as words of a shell', () => {
    expect(withOptions('torc run 3 --resume', given({ standalone: true, db: 'my runs/torc.db' }))).toBe(
      "torc -s --db 'my runs/torc.db' run 3 --resume",
    );
    expect(withOptions('torc status', given({ url: 'http://h:1/torc-service/v1', tlsInsecure: true }))).toBe(
      'torc --url http://h:1/torc-service/v1 --tls-insecure status',
    );
  });

  it('a suggested command is as it is where none was given', () => {
    expect(withOptions('torc run 3', given({}))).toBe('torc run 3');
  });

  it('a suggested command does not repeat how results are printed, nor a database in memory, which is on disk by then', () => {
    expect(withOptions('torc run 3', given({ standalone: true, inMemory: true, format: 'json' }))).toBe(
      'torc -s run 3',
    );
  });

  it('a suggested command never shows a password or a cookie', () => {
    const words = optionWords(given({ password: 'secret', promptPassword: true, cookieHeader: 'session=secret' }));
    expect(words).toBe("--prompt-password --cookie-header '…'");
  });

  it('a suggested command in a sentence is found wherever it stands, and only there', () => {
    expect(
      withOptions(
        'decide: torc jobs list 1, then `torc run 1`; the torc that wrote torc_output',
        given({ standalone: true }),
      ),
    ).toBe('decide: torc -s jobs list 1, then `torc -s run 1`; the torc that wrote torc_output');
  });

  it('a suggested command repeats the options of the runner, lists and values that look like options included', () => {
    const values = { maxParallelJobs: 3, label: ['a b', 'c'], outputDir: '-out', persistent: true };
    expect(optionWords(givenOf(runnerOptions, values, (name) => Object.hasOwn(values, name)))).toBe(
      "-j 3 --output-dir=-out --label 'a b' --label c --persistent",
    );
  });
});

test('a shell reads every word back as it was', () => {
  const words = ['a', "it's", 'a b', '$HOME', '`id`', '"', '\\', '*', '~', 'é', '-x', '#', ';', 'a\nb', '!', "''", ''];
  const script = `printf '%s\\0' ${words.map(shellWord).join(' ')}`;
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(words);
});
