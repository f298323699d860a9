import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startAside } from '../../../cluster/exec.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { Context } from '../../command/context.ts';
import { makeOutputFolder } from '../../run/output-folder.ts';
import { pageAddress } from '../../page-address.ts';

/**
 * Prints the address of a workflow in the page and, on a desktop, opens it in the browser. Returns what removes the file
 * that was made for it.
 *
 * The address goes to the browser in a file that only this user may read: arguments of programs are visible to all users
 * of a machine, and the start token in it is worth a login.
 */
export async function showPage(context: Context, workflowId: number, outputDir: string): Promise<() => void> {
  const { output, environment } = context;
  const address = await pageAddress(context, await context.service(), workflowId).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    output.warn(`--page: ${error.message}`);
    return undefined;
  });
  if (address === undefined) return () => {};
  output.notice(`Page: ${address.url}`);
  if (address.tunnel !== undefined) output.notice(address.tunnel);
  if (!hasDisplay(environment)) return () => {};
  // A browser in a sandbox its own reads no hidden folders and no /tmp.
  const file = resolve(join(outputDir, `open_page_wf${workflowId}_${process.pid}.html`));
  try {
    makeOutputFolder(context, outputDir);
    writeFileSync(file, documentFor(address.url), { mode: 0o600, flag: 'wx' });
    await startAside('xdg-open', [file], environment);
  } catch (error) {
    output.warn(`--page: the browser was not opened: ${(error as Error).message}`);
  }
  return () => rmSync(file, { force: true });
}

/** Over ssh a display would be that of another machine, and its browser one that draws over the network. */
const hasDisplay = ({ DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION }: Context['environment']) =>
  SSH_CONNECTION === undefined && [DISPLAY, WAYLAND_DISPLAY].some((each) => each !== undefined && each !== '');

function documentFor(url: string): string {
  const text = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return [
    '<!doctype html>',
    '<meta charset="utf-8">',
    '<meta name="referrer" content="no-referrer">',
    `<meta http-equiv="refresh" content="0; url=${text}">`,
    `<title>Torc</title><a href="${text}">Open the page</a>`,
    '',
  ].join('\n');
}
