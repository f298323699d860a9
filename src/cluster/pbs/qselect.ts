import { userInfo } from 'node:os';
import { HelperFailed } from '../helper-failed.ts';
import { type AskPbs, printed } from './programs.ts';

const SOON_MS = 20_000;
const RECENT_MS = 10 * 60_000;

/** The ids of the jobs of this user that have not ended, and of those that ended within the last minutes, where PBS keeps them. */
export async function ownJobs(ask: AskPbs, nowMs = Date.now()): Promise<string[]> {
  const of = ['-u', userInfo().username];
  const open = printed('qselect', await ask('qselect', of, SOON_MS));
  // Without a history it prints nothing, or says that there is none.
  const ended = await ask('qselect', ['-x', '-s', 'F', ...of, `-te.gt.${minuteOf(nowMs - RECENT_MS)}`], SOON_MS).catch(
    () => undefined,
  );
  return [...new Set([...idsIn(open), ...(ended?.code === 0 ? idsIn(ended.stdout) : [])])];
}

/** `202611292044.22`, in UTC, as the programs are asked in. */
const minuteOf = (timeMs: number): string =>
  new Date(timeMs)
    .toISOString()
    .slice(0, 19)
    .replaceAll(/[-:T]/g, '')
    .replace(/(\d\d)$/, '.$1');

/** The lines that are ids: a site may print a banner. Throws if there are lines and none is one: a job may be among them. */
function idsIn(text: string): string[] {
  const lines = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  const ids = lines.filter((line) => /^\d+(?:\[\d*\])?\.[\w.-]+$/.test(line));
  if (lines.length > 0 && ids.length === 0)
    throw new HelperFailed(`qselect printed no line of the form that it was asked for: ${JSON.stringify(lines[0])}`);
  return ids;
}
