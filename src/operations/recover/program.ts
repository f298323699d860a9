import { runToEnd } from '../../cluster/exec.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { shellWords } from '../../core/text/shell-words.ts';

/** A program of the user that takes part in a recovery: a hook, or an agent that decides about jobs. */
export interface UserProgram {
  readonly command: string;
  readonly more: readonly string[];
  /** Its standard input. */
  readonly input?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** It may submit, move files, ask a person. */
const AT_MOST_MS = 3600_000;

/** Runs it to its end. Throws `HOOK_FAILED` unless it ends with 0. Returns what it printed. */
export async function runUserProgram({ command, more, input, environment }: UserProgram): Promise<string> {
  const words = shellWords(command);
  const [program, ...args] = words ?? [];
  if (program === undefined)
    throw new Refusal(
      'HOOK_FAILED',
      `${JSON.stringify(command)} is no command: expected words, with quotes that are closed`,
    );
  const end = await runToEnd(program, [...args, ...more], { atMostMs: AT_MOST_MS, environment, input }).catch(
    (error: Error) => {
      throw new Refusal('HOOK_FAILED', `${error.message}; nothing was reset`, {}, { cause: error });
    },
  );
  if (end.code === 0) return end.stdout;
  const how = end.isLate ? 'did not end within an hour' : `ended with ${end.signal ?? `exit code ${end.code}`}`;
  const said = end.stderr.trim().split('\n').at(-1) ?? '';
  throw new Refusal('HOOK_FAILED', `${command} ${how}${said === '' ? '' : `: ${said}`}; nothing was reset`);
}

/** What it finds in its environment. */
export const variablesFor = (
  environment: Readonly<Record<string, string | undefined>>,
  { workflowId, runId, url }: { readonly workflowId: number; readonly runId: number; readonly url: string },
): Readonly<Record<string, string | undefined>> => ({
  ...environment,
  TORC_WORKFLOW_ID: String(workflowId),
  TORC_RUN_ID: String(runId),
  TORC_API_URL: url,
});
