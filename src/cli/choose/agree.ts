import { confirm } from './choose-workflow.ts';
import type { Context } from '../command/context.ts';
import { option } from '../command/option.ts';

export const noPrompts = option('--no-prompts', 'do not ask');

/**
 * Asks the user before data is lost, and reports a negative answer.
 *
 * With `--no-prompts` and with JSON output nothing is asked. If there is no input the answer is no: a script that means
 * yes uses the option, or pipes a `y`.
 */
export async function agrees(
  context: Context,
  options: { readonly prompts?: boolean | undefined },
  {
    question,
    otherwise,
    isNeeded = false,
  }: {
    readonly question: string;
    readonly otherwise: string;
    /** Without a terminal a "no" is a failure: a script would take a 0 for done. */
    readonly isNeeded?: boolean;
  },
): Promise<boolean> {
  // The form in which commander stores an option that begins with "no".
  const isAsking = options.prompts !== false && context.output.format !== 'json';
  if (!isAsking || (await confirm(context, question))) return true;
  const isAnswer = process.stdin.isTTY === true;
  if (isNeeded && !isAnswer) context.exitWith(1);
  context.output.detail(isAnswer ? otherwise : `${otherwise} Use --no-prompts to continue without asking.`);
  return false;
}
