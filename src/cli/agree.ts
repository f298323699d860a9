import { confirm } from './choose-workflow.ts';
import type { Context } from './context.ts';
import type { Option, Values } from './option.ts';

export const noPrompts: Option = { flags: '--no-prompts', says: 'do not ask' };

/**
 * Asks the person before something is lost, and says so when the answer is no.
 *
 * With `--no-prompts` and where JSON is wanted nobody is asked. Where nothing can be read the answer is no: a script that
 * means it says so, or pipes a `y`.
 */
export async function agrees(
  context: Context,
  options: Values,
  { question, otherwise }: { readonly question: string; readonly otherwise: string },
): Promise<boolean> {
  // What commander makes of an option that begins with "no".
  const isAsking = options['prompts'] !== false && context.output.format !== 'json';
  if (!isAsking || (await confirm(context, question))) return true;
  const isAnswer = process.stdin.isTTY === true;
  context.output.notice(isAnswer ? otherwise : `${otherwise} --no-prompts goes on without asking.`);
  return false;
}
