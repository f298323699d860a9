import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHROMIUM, openBrowser, watchPage } from '../support/browser.ts';
import { start, startServer, temporaryFolder, until } from '../support/programs.ts';

/** `torc run --page`: the address at once, and on a desktop the browser. */

/** A folder with a workflow that runs until `go` exists, and with a program that notes what it was asked to open. */
function workplace() {
  const cwd = temporaryFolder();
  const command = 'until test -e go; do sleep 0.05; done';
  writeFileSync(join(cwd, 'wait.yaml'), JSON.stringify({ name: 'wait', jobs: [{ name: 'one', command }] }));
  const programs = join(cwd, 'programs');
  mkdirSync(programs);
  const note =
    '#!/bin/sh\nstat -c %a "$1" > opened.mode; cp "$1" opened.html; echo "$@" > opened.tmp; mv opened.tmp opened\n';
  writeFileSync(join(programs, 'xdg-open'), note);
  chmodSync(join(programs, 'xdg-open'), 0o755);
  const nothing = { DISPLAY: undefined, WAYLAND_DISPLAY: undefined, SSH_CONNECTION: undefined };
  return {
    cwd,
    read: (name: string) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), 'utf8') : ''),
    go: () => writeFileSync(join(cwd, 'go'), ''),
    environment: { ...nothing, PATH: `${programs}:${process.env['PATH']}` },
  };
}

const addressIn = (text: string): string => /^Page: (\S+)$/m.exec(text)?.[1] ?? '';

describe('torc run --page', () => {
  it('a run on a desktop prints the address at once, and opens it through a file of this user alone', async () => {
    const { cwd, read, go, environment } = workplace();
    const run = start('torc', ['-s', 'run', 'wait.yaml', '--page'], {
      cwd,
      environment: { ...environment, DISPLAY: ':7' },
    });
    await run.says(/^Page: http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+\/workflows\/1$/m);
    const file = (
      await until(
        () => read('opened'),
        (text) => text !== '',
        'the browser',
      )
    ).trim();
    expect([read('opened.mode').trim(), file]).toEqual([
      '600',
      expect.stringMatching(/torc_output\/open_page_wf1_\d+\.html$/),
    ]);
    go();
    const { code, stderr } = await run.ended;
    expect(code).toBe(0);
    // The token is in the file and not among the arguments, which every user of the machine sees.
    expect(read('opened.html')).toContain(`url=${addressIn(stderr)}"`);
    expect(existsSync(file)).toBe(false);
    expect(stderr).not.toContain('ssh -L');
  });

  it('a run through ssh prints how to forward the port, and opens nothing', async () => {
    const { cwd, read, go, environment } = workplace();
    go();
    const ssh = { ...environment, DISPLAY: ':7', SSH_CONNECTION: '10.0.0.1 50000 10.0.0.2 22' };
    const { code, stderr } = await start('torc', ['-s', 'run', 'wait.yaml', '--page'], { cwd, environment: ssh }).ended;
    const port = new URL(addressIn(stderr)).port;
    expect(stderr).toContain(`ssh -L ${port}:127.0.0.1:${port} <this host>`);
    expect([code, read('opened')]).toEqual([0, '']);
  });

  it('a run without a display, or whose browser does not start, goes on with the address', async () => {
    const { cwd, read, go, environment } = workplace();
    go();
    const plain = await start('torc', ['-s', 'run', 'wait.yaml', '--page'], { cwd, environment }).ended;
    expect([plain.code, addressIn(plain.stderr), read('opened')]).toEqual([0, expect.stringContaining('#token='), '']);
    const broken = { ...environment, DISPLAY: ':7', PATH: join(cwd, 'nowhere') };
    const { code, stderr } = await start('torc', ['-s', 'run', '1', '--page'], { cwd, environment: broken }).ended;
    expect(stderr).toContain('warning: --page: the browser was not opened: xdg-open');
    expect([code, addressIn(stderr)]).toEqual([0, expect.stringContaining('#token=')]);
  });

  it('a run on a server without logins prints an address without a token', async () => {
    const { cwd, go, environment } = workplace();
    const { url, port } = await startServer(cwd);
    go();
    const { stderr } = await start('torc', ['--url', url, 'run', 'wait.yaml', '--page'], { cwd, environment }).ended;
    expect(addressIn(stderr)).toBe(`http://127.0.0.1:${port}/#/workflows/1`);
  });

  it.skipIf(CHROMIUM === undefined)(
    'the printed address opens the workflow in a browser, and its token is gone from the address',
    async () => {
      const { cwd, go, environment } = workplace();
      const run = start('torc', ['-s', 'run', 'wait.yaml', '--page'], { cwd, environment });
      let printed = '';
      run.child.stderr?.on('data', (text: string) => (printed += text));
      const address = await until(
        () => addressIn(printed),
        (text) => text !== '',
        'the address',
      );
      const page = await (await openBrowser()).newPage();
      const faults = watchPage(page, new URL(address).origin);
      await page.goto(address);
      await page.getByText('1 job runs on 1 runner').waitFor();
      expect(new URL(page.url()).hash).toBe('#/workflows/1');
      go();
      expect((await run.ended).code).toBe(0);
      await page.getByText('has not answered since').waitFor();
      expect(faults).toEqual([]);
    },
  );
});
