import { describe, expect, it } from 'vitest';
import { CHROMIUM, openBrowser } from '../support/browser.ts';
import { startServer, temporaryFolder } from '../support/programs.ts';
import type { Page } from 'playwright-core';
import { registerNode } from '../support/service.ts';

/** An escape sequence of terminals, a bell, and a mark that turns the direction of writing. */
const EVIL = 'e\u001b[31m\u0007v\u202eil';
// oxlint-disable-next-line no-control-regex
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** A workflow that has this text in every field that takes it, and the parts of its pages. */
async function filled() {
  const { client, port } = await startServer(temporaryFolder());
  const { id } = await client.createWorkflow({
    body: { name: EVIL, user: EVIL, description: EVIL, project: EVIL, metadata: { note: EVIL } },
  });
  const of = { workflow_id: id };
  const needs = await client.createResourceRequirements({ body: { ...of, name: EVIL, memory: '1g', runtime: 'PT1M' } });
  const job = (name: string) =>
    client.createJob({
      body: { ...of, name, command: `echo ${EVIL}`, labels: [EVIL], resource_requirements_id: needs.id },
    });
  const jobs = [await job(`${EVIL}_1`), await job(`${EVIL}_2`), await job(EVIL)];
  await client.createFile({ body: { ...of, name: EVIL, path: `/${EVIL}` } });
  await client.createUserData({ body: { ...of, name: EVIL, data: { [EVIL]: EVIL } } });
  await client.createEvent({
    body: { ...of, timestamp: Date.now(), data: { category: EVIL, level: EVIL, message: EVIL, [EVIL]: EVIL } },
  });
  const scheduler = await client.createSlurmScheduler({
    body: { ...of, name: EVIL, account: EVIL, partition: EVIL, qos: EVIL, nodes: 1, walltime: '01:00:00' },
  });
  const allocation = { ...of, scheduler_config_id: scheduler.id, scheduler_type: 'slurm', scheduler_id: 0 };
  await client.createScheduledComputeNode({ body: { ...allocation, status: 'planned', held: EVIL } });
  await client.createWorkflowAction({
    params: { id },
    body: {
      ...of,
      trigger_type: 'on_workflow_start',
      action_type: 'run_commands',
      action_config: { commands: [EVIL] },
    },
  });
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  const node = await registerNode({ client }, id, [EVIL]);
  await client.updateComputeNode({ params: { id: node }, body: { hostname: EVIL, compute_node_type: EVIL } });
  for (const [index, status] of (['failed', 'completed', 'terminated'] as const).entries())
    await client.createResult({
      body: {
        ...of,
        job_id: jobs[index]?.id as number,
        run_id: 1,
        attempt_id: 1,
        compute_node_id: node,
        return_code: index,
        exec_time_minutes: 1,
        completion_time: '2026-03-01T12:00:00Z',
        status,
        cause: EVIL,
      },
    });
  return { client, id, jobs, root: `http://127.0.0.1:${port}/` };
}

/** The texts and attributes of the page that hold a character as it came. */
const found = (page: Page): Promise<string[]> =>
  page.evaluate(
    ([source]) => {
      const raw = new RegExp(source as string);
      const texts: string[] = [];
      const { document } = globalThis as unknown as Browser;
      texts.push(document.title);
      for (const element of document.querySelectorAll('*')) {
        for (const { name, value } of element.attributes) texts.push(`${element.tagName} ${name}=${value}`);
        for (const child of element.childNodes)
          if (child.nodeType === 3) texts.push(`${element.tagName}: ${child.textContent}`);
      }
      return texts.filter((text) => raw.test(text));
    },
    [RAW.source],
  );

interface Browser {
  readonly document: {
    readonly title: string;
    querySelectorAll(words: string): Iterable<{
      readonly tagName: string;
      readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
      readonly childNodes: Iterable<{ readonly nodeType: number; readonly textContent: string }>;
    }>;
  };
}

describe.skipIf(CHROMIUM === undefined)('control characters on the page (skipped where chromium is missing)', () => {
  it('a control character in any field of a workflow is shown in a safe form in every view', async () => {
    const { id, jobs, root } = await filled();
    const page = await (await openBrowser()).newPage();
    const at = `#/workflows/${id}`;
    // A view is complete when it shows the last of its texts.
    const views: readonly (readonly [address: string, last: RegExp])[] = [
      ['#/', /· e\\u001b/],
      [at, /· e\\u001b|e\\u001b/],
      [`${at}/families/${encodeURIComponent(EVIL)}`, /e\\u001b/],
      [`${at}/resources`, /- \{ name:/],
      [`${at}/runners`, /"commands"/],
      [`${at}/events`, /u001b.*\.$/],
      [`${at}/files`, /\/e\\u001b/],
      ...jobs.map((job) => [`#/jobs/${job.id}`, /is on e\\u001b/] as const),
    ];
    for (const [view, last] of views) {
      await page.goto('about:blank');
      await page.goto(`${root}${view}`);
      await page.getByText(last).first().waitFor();
      expect([view, await found(page)]).toEqual([view, []]);
    }
  });
  it('a command with a control character is copied as it is, and shown in a safe form', async () => {
    const { jobs, root } = await filled();
    const page = await (await openBrowser()).newPage();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${root}#/jobs/${jobs[0]?.id}`);
    await page
      .getByRole('button', { name: /^Copy: echo e\\u001b/ })
      .first()
      .click();
    const copied = await page.evaluate(() =>
      (
        globalThis as unknown as { navigator: { clipboard: { readText(): Promise<string> } } }
      ).navigator.clipboard.readText(),
    );
    expect(copied).toBe(`echo ${EVIL}`);
  });
});
