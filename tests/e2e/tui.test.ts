import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';
import { hasTmux, openScreen } from '../support/screen.ts';

const FLOW = `
name: sweep
jobs:
  - {name: works, command: 'true'}
  - {name: fails, command: 'echo broken >&2; exit 3'}
  - {name: after, command: 'true', depends_on: [fails], cancel_on_blocking_job_failure: false}
  - {name: gpu, command: 'true', labels: [gpu]}
`;

async function workflow() {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  writeFileSync(join(folder, 'flow.yaml'), FLOW);
  await torc(['--url', server.url, 'run', 'flow.yaml'], { cwd: folder });
  return { folder, server, command: `torc --url ${server.url} tui` };
}

it('torc tui needs a terminal, and names a command that needs none', async () => {
  const folder = temporaryFolder();
  const { code, stderr } = await torc(['--url', 'http://127.0.0.1:1', 'tui'], { cwd: folder });
  expect([code, stderr]).toEqual([1, expect.stringContaining('torc tui needs a terminal')]);
  expect(stderr).toContain('top');
});

// tmux drives the keys; without it there is no terminal.
describe.skipIf(!hasTmux)('torc tui on a terminal', () => {
  it('torc tui shows workflows and jobs, explains one, cancels one, searches, shows results and events, and leaves the terminal as it was', async () => {
    const { folder, server, command } = await workflow();
    const screen = await openScreen(folder, { width: 80, height: 24 });
    await screen.press(command, 'Enter');
    await screen.shows('1–1 of 1');
    await screen.press('Enter');
    const jobs = await screen.shows('1–4 of 4');
    expect(jobs.slice(0, 11).map((line) => line.replace(/127\.0\.0\.1:\d+/, 'HOST'))).toEqual([
      'torc tui · http://HOST/torc-service/v1 · tester · sweep (workflow 1)',
      'ID ↓  Name    User    Description',
      '   1  sweep   tester',
      '',
      '',
      ' ◆ Summary  ▶ Jobs  ▷ Running  ✓ Results  ◫ Files  ◈ User Data  ⚡ Events  ▣ Com',
      '  ID  Name    Status       Node    Elapsed  Command',
      '   1  works   completed                     true',
      '   2  fails   failed                        echo broken >&2; exit 3',
      '   3  gpu     ready                         true',
      '   4  after   completed                     true',
    ]);
    await screen.press('/', 'f', 'a', 'i', 'l', 'Enter');
    await screen.shows('search: fail (c clears)');
    await screen.press('w');
    const why = (await screen.shows('Last lines of its standard error:')).join('\n');
    expect(why).toMatch(/Job 2 \(fails\) failed after .* with exit code 3/);
    expect(why).toContain('broken');
    await screen.press('Escape');
    await screen.press('c', 'G', 'Up', 'C');
    await screen.shows('Cancel job 3? (y/n)');
    await screen.press('y');
    await screen.shows('job 3 is canceled');
    expect(await server.client.getJob({ params: { id: 3 } })).toMatchObject({ status: 'canceled' });
    await screen.press('e');
    await screen.shows(/warning +job_canceled/);
    await screen.press('BTab', 'BTab', 'BTab');
    await screen.shows(/Job ID +Name +Return +Status/);
    await screen.resize(120, 40);
    expect((await screen.shows('Slurm Stats')).join('\n')).toMatch(/Runtime \(m\) +Completion Time/);
    await screen.press('C-z');
    await screen.shows('Stopped');
    await screen.press('fg', 'Enter');
    await screen.shows('Slurm Stats');
    await screen.press('q');
    // What stood there before.
    await screen.shows('Stopped');
    await screen.press('echo left $?', 'Enter');
    expect((await screen.shows('left 0')).join('\n')).not.toContain('Summary');
  });

  it('torc tui keeps what it shows while its server is away, and goes on when it returns', async () => {
    const { folder, server, command } = await workflow();
    const screen = await openScreen(folder, { width: 80, height: 24, locale: 'C' });
    await screen.press(`${command} 1`, 'Enter');
    const lines = await screen.shows('1-4 of 4');
    expect(lines.join('')).toMatch(/^[ -~]*$/);
    server.program.child.kill('SIGKILL');
    await screen.press('r');
    expect((await screen.shows('the server does not answer')).join('\n')).toContain('works');
    await startServer(folder, { port: server.port });
    await screen.press('r');
    await screen.shows(/1-4 of 4(?![^]*does not answer)/);
    const shell = await screen.pid();
    const child = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim();
    process.kill(Number(child), 'SIGTERM');
    await screen.shows('torc --url');
    await screen.press('echo ended $?', 'Enter');
    const left = (await screen.shows('ended 143')).join('\n');
    expect(left).not.toContain('Summary');
  });
});
