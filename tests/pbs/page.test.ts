import { readFileSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { follow } from '../support/pages/follow.ts';
import { parsePage } from '../support/pages/parse.ts';
import { pbsIsMissing, startPbs } from './cluster.ts';

it('the tests on a PBS cluster run where OpenPBS is, and say what is missing elsewhere', ({ skip }) => {
  if (pbsIsMissing !== undefined) skip(`no PBS cluster: ${pbsIsMissing}`);
});

describe.skipIf(pbsIsMissing !== undefined)('on a real PBS cluster, a reader can follow', () => {
  it('how-to/submit-to-pbs.md', { timeout: 300_000 }, async () => {
    const { environment } = await startPbs();
    const names = Object.keys(environment).filter((name) => name.startsWith('PBS_'));
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) process.env[name] = environment[name];
    onTestFinished(() => {
      for (const [name, value] of before)
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    });
    const page = resolve(import.meta.dirname, '../../docs/how-to/submit-to-pbs.md');
    const path = (environment['PATH'] as string).split(delimiter);
    const own = Object.fromEntries(names.map((name) => [name, environment[name] as string]));
    expect(await follow(parsePage(readFileSync(page, 'utf8')), { path, hasNetwork: false, environment: own })).toEqual({
      skipped: undefined,
    });
  });
});
