import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FIREFOX, openFirefox } from '../support/firefox.ts';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';

/** The main views of the page in Firefox; what they do is tried in chromium. Without Firefox these tests are skipped. */

describe.skipIf(FIREFOX === undefined)('the page in Firefox (skipped where it is missing)', () => {
  it('the main views of the page show in Firefox what they show in chromium, stay live, and no script of theirs fails', async () => {
    const cwd = temporaryFolder();
    const { client, port, url } = await startServer(cwd);
    writeFileSync(
      join(cwd, 'w.yaml'),
      'name: in Firefox\nfiles:\n  - {name: out, path: out.txt}\njobs:\n  - {name: first, command: "echo a > out.txt", output_files: [out]}\n  - {name: second, command: exit 3, input_files: [out]}\n',
    );
    const firefox = await openFirefox();
    const root = `http://127.0.0.1:${port}/`;
    await firefox.open(root);
    await firefox.shows('New workflow');
    expect((await torc(['--url', url, 'create', 'w.yaml'], { cwd })).code).toBe(0);
    await firefox.shows('in Firefox');
    await firefox.open(`${root}#/workflows/1`);
    await firefox.shows('have not been initialized');
    await torc(['--url', url, 'run', '1'], { cwd });
    // What changed arrives by the stream.
    await firefox.shows('1 failed');
    expect(await firefox.evaluate("document.querySelectorAll('.graph svg .node').length")).toBe(2);
    const [job] = (await client.listJobs({ query: { workflow_id: 1, name: 'second' } })).items;
    for (const [view, text] of [
      [`jobs/${job?.id}`, 'the command itself ended with 3'],
      ['workflows/1/resources', 'Resources'],
      ['workflows/1/runners', 'Runners'],
      ['workflows/1/events', 'Events'],
      ['workflows/1/files', 'out.txt'],
      ['new', 'Workflow file'],
    ] as const) {
      await firefox.open(`${root}#/${view}`);
      await firefox.shows(text);
    }
    expect(firefox.faults).toEqual([]);
  });
});
