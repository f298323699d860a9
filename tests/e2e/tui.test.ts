import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HELP } from '../../src/tui/press/help.ts';
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
    await screen.shows('2/4, 1 failed');
    // What failed comes first, and of what it wrote the stream that has something.
    await screen.press('Enter');
    await screen.shows(/2 +fails +failed/);
    await screen.press('l');
    await screen.shows(/stderr of job 2[^]*broken/);
    await screen.press('q', 'c');
    const jobs = await screen.shows('1–4 of 4');
    // Of jobs that ended also the node and the time.
    const shown = jobs.slice(0, 11).map((line) =>
      line
        .replace(/127\.0\.0\.1:\d+/, 'HOST')
        .replace(hostname(), 'NODE')
        .replace(/\d[\d.]*m?s/, 'TIME')
        .replaceAll(/(?<=\S) +/g, ' '),
    );
    expect(shown).toEqual([
      'torc tui · http://HOST/torc-service/v1 · tester · sweep (workflow 1)',
      'ID ↓ Name State Done User Description',
      '   1 sweep waiting 2/4, 1 failed tester',
      '',
      '',
      ' ◆ Summary ▶ Jobs ▷ Running ✓ Results ◫ Files ◈ User Data ⚡ Events ▣ Com',
      '  ID Name Status Node Elapsed Command',
      '   1 works completed NODE TIME true',
      '   2 fails failed NODE TIME echo broken >&2; exit 3',
      '   3 gpu ready true',
      '   4 after completed NODE TIME true',
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
    expect((await screen.shows('Accounting')).join('\n')).toMatch(/Runtime \(m\) +Completion Time/);
    // As a terminal sends a click on the name of a view: column and line from 1.
    await screen.press('m');
    await screen.press('-l', '\u001b[<0;16;6M');
    await screen.shows(/ID +Name +Status +Node/);
    await screen.press('C-z');
    await screen.shows('Stopped');
    await screen.press('fg', 'Enter');
    await screen.shows('Accounting');
    await screen.press('q');
    // What stood there before.
    await screen.shows('Stopped');
    await screen.press('echo left $?', 'Enter');
    expect((await screen.shows('left 0')).join('\n')).not.toContain('Summary');
  });

  it('torc tui shows what a job writes while it grows, searches in it, and shows files', async () => {
    const { folder, server, command } = await workflow();
    const { client } = server;
    const lines = Array.from({ length: 60 }, (_, at) => `step ${at + 1}`).join('\\n');
    const script = `printf '${lines}\\n'; echo to the other stream >&2; until [ -e go ]; do sleep 0.1; done; echo the very end`;
    await client.createJob({ body: { workflow_id: 1, name: 'writes', command: script } });
    await client.createFile({ body: { workflow_id: 1, name: 'flow', path: join(folder, 'flow.yaml') } });
    await client.initializeJobs({ params: { id: 1 }, query: { only_uninitialized: true } });
    const runner = torc(['--url', server.url, 'run', '1'], { cwd: folder });
    const screen = await openScreen(folder, { width: 100, height: 30 });
    await screen.press(`${command} 1`, 'Enter');
    await screen.shows(/writes +running/);
    await screen.press('/', 'w', 'r', 'i', 't', 'e', 's', 'Enter', 'l');
    await screen.shows(/stdout of job 5 \(writes\), attempt 1: [^]*step 60/);
    await screen.press('/', 's', 't', 'e', 'p', 'Space', '7', 'Enter');
    await screen.shows(/^ +step 7$/m);
    await screen.press('Tab');
    await screen.shows('to the other stream');
    await screen.press('Tab');
    await screen.shows('step 60');
    writeFileSync(join(folder, 'go'), '');
    await screen.shows('the very end');
    await screen.press('q', 'c', 'Tab', 'Tab', 'Tab');
    await screen.shows(/flow +\/.*flow\.yaml/);
    await screen.press('Enter');
    await screen.shows('name: sweep');
    await runner;
  });

  it('torc tui runs any command on the terminal, with its own server, and shows itself again', async () => {
    const { folder, server, command } = await workflow();
    const screen = await openScreen(folder, { width: 100, height: 30 });
    await screen.press(`${command} 1`, 'Enter');
    await screen.shows('1–4 of 4');
    await screen.press('g', 'Space', 'Space');
    await screen.shows('2 jobs selected (c clears)');
    await screen.press('U');
    await screen.shows(':torc jobs reset-status 1 2 --reinit');
    await screen.press('C-u', 'jobs reset-status 2 --reinit --no-prompts', 'Enter');
    await screen.shows('The command has ended with exit code 0. Any key shows the screen again.');
    expect(await server.client.getJob({ params: { id: 2 } })).toMatchObject({ status: 'ready' });
    await screen.press('Enter');
    await screen.shows(/fails +ready/);
    await screen.press(':', 'jobs nonsense', 'Enter');
    expect((await screen.shows('exit code 2')).join('\n')).toContain('nonsense');
    await screen.press('q');
    await screen.shows('1–4 of 4 · ? help');
    await screen.press('x');
    await screen.shows(':torc run 1');
    await screen.press('Escape', ':', 'jobs output 9 --follow', 'Enter');
    await screen.shows('The command has ended with exit code 1');
    await screen.press('Enter');
    await screen.shows('1–4 of 4 · ? help');
    await screen.press(':', 'events monitor 1', 'Enter');
    await screen.shows(/\$ torc --url.* events monitor 1/);
    await screen.press('C-c');
    await screen.shows('The command has ended');
    await screen.press('Enter');
    await screen.shows('1–4 of 4 · ? help');
    await screen.press('BTab', 'BTab');
    const families = (await screen.shows(/✓ works +1 +1/)).join('\n');
    expect(families).toMatch(/ {2}\S after +1.* fails/);
    await screen.press('Enter');
    await screen.shows('Family: works (c clears)');
    await screen.press('q');
  });

  /** Keys of the help on the list of jobs, each with what the screen shows then. Escape ends what a key began. */
  const SHOWN: readonly (readonly [keys: string, shows: string | RegExp, ...ends: string[]])[] = [
    ['G', /1–4 of 4/],
    ['g', /1–4 of 4/],
    ['Down', /1–4 of 4/],
    ['Up', /1–4 of 4/],
    ['PgDn', /1–4 of 4/],
    ['PgUp', /1–4 of 4/],
    ['Enter', /command: true/, 'Escape'],
    ['2', /Name ↓/],
    ['2', /Name ↑/],
    ['2', /ID +Name +Status/],
    ['/', /search:/, 'Escape'],
    ['f', /filter by Status \(Tab: next column\)/, 'Escape'],
    ['=', /Status: completed \(c clears\)/],
    ['c', /1–4 of 4 · \? help/],
    ['Space', /1 job selected/],
    ['*', /4 jobs selected/],
    ['c', /1–4 of 4 · \? help/],
    ['w', /[Jj]ob \d \(\w+\) completed/, 'Escape'],
    ['l', /stdout of job \d/, 'Escape'],
    ['C', /Cancel job \d\? \(y\/n\)/, 'n'],
    ['t', /Cancel job \d\? \(y\/n\)/, 'n'],
    ['y', /:torc jobs reset-status \d --reinit/, 'Escape'],
    ['U', /:torc jobs reset-status \d --reinit/, 'Escape'],
    ['D', /name: sweep/, 'Escape'],
    ['n', /:torc create/, 'Escape'],
    ['i', /:torc workflows init 1/, 'Escape'],
    ['I', /:torc workflows reinit 1/, 'Escape'],
    ['R', /:torc workflows reset-status 1/, 'Escape'],
    ['x', /:torc run 1/, 'Escape'],
    ['s', /:torc submit 1/, 'Escape'],
    ['W', /:torc watch 1 --recover/, 'Escape'],
    ['v', /:torc recover 1 --dry-run/, 'Escape'],
    ['V', /:torc recover 1(?! --dry-run)/, 'Escape'],
    ['d', /:torc delete 1/, 'Escape'],
    [':', /:torc$/, 'Escape'],
    ['?', /the jobs of a family or the file/, 'Escape'],
    ['r', /1–4 of 4/],
    ['m', /1–4 of 4/],
    ['m', /1–4 of 4/],
    ['C-l', /1–4 of 4/],
    [']', /1–4 of 4/],
    ['[', /1–4 of 4/],
    ['Left', /1–1 of 1/],
    ['a', /all users/],
    ['C', /:torc cancel 1/, 'Escape'],
    ['Right', /1–4 of 4/],
    ['e', /Event +Level|Level +Event|Timestamp/],
    ['BTab', /Name +Data|nothing here/],
    ['Tab', /Timestamp|Level/],
  ];

  it('every key of the help does on a terminal what the help says', async () => {
    const named: Readonly<Record<string, string>> = {
      '↑': 'Up',
      '↓': 'Down',
      '←': 'Left',
      '→': 'Right',
      'Shift-Tab': 'BTab',
      'Ctrl-L': 'C-l',
      'Ctrl-Z': 'C-z',
      Esc: 'Escape',
      'Ctrl-C': 'C-c',
    };
    const inHelp = HELP.filter((line) => !line.includes('in a text')).flatMap((line) =>
      line
        .slice(0, 20)
        .trim()
        .replace('1 to 9', '2')
        .split(' ')
        .map((key) => named[key] ?? key),
    );
    const driven = new Set(SHOWN.flatMap(([keys, , ...ends]) => [keys, ...ends]));
    // The first test has Ctrl-Z; Ctrl-C is the last key of this one, and q ends others.
    expect(inHelp.filter((key) => !driven.has(key) && !['C-z', 'C-c', 'q'].includes(key))).toEqual([]);

    const { folder, command } = await workflow();
    const screen = await openScreen(folder, { width: 160, height: 50 });
    await screen.press(`${command} 1`, 'Enter');
    await screen.shows('1–4 of 4');
    for (const [key, shows, ...ends] of SHOWN) {
      await screen.press(key === 'PgDn' ? 'NPage' : key === 'PgUp' ? 'PPage' : key);
      await screen.shows(shows);
      for (const end of ends) await screen.press(end);
      if (ends.length > 0) await screen.shows(/· \? help/);
    }
    await screen.press('C-c');
    // What stood there before.
    await screen.shows('tui 1');
    await screen.press('echo left $?', 'Enter');
    await screen.shows('left 0');
  });

  it('torc tui that gets SIGTERM while a command has the terminal ends with that command', async () => {
    const { folder, command } = await workflow();
    const screen = await openScreen(folder, { width: 100, height: 30 });
    await screen.press(`${command} 1`, 'Enter');
    await screen.shows('1–4 of 4');
    await screen.press(':', 'events monitor 1', 'Enter');
    await screen.shows(/\$ torc .*events monitor 1/);
    const shell = await screen.pid();
    const child = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim();
    process.kill(Number(child), 'SIGTERM');
    await screen.press('C-c');
    await screen.press('echo ended $?', 'Enter');
    const lines = (await screen.shows('ended 143')).join('\n');
    expect(lines).not.toContain('Any key shows the screen again');
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
