import { confirm } from './choose-workflow.ts';
import type { Context } from './context.ts';
import type { Option, Values } from './option.ts';

export const noPrompts: Option = { flags: '--no-prompts', says: 'do not ask' };

/**
 * Asks a person at a terminal before something is lost, and says so when the answer is no.
 *
 * Without a terminal, with `--no-prompts` and where JSON is wanted nobody is asked: who wrote a script has decided.
 */
export async function agrees(
  context: Context,
  options: Values,
  { question, otherwise }: { readonly question: string; readonly otherwise: string },
): Promise<boolean> {
  const isAsking = options['noPrompts'] !== true && context.output.format !== 'json' && process.stdin.isTTY === true;
  if (!isAsking || (await confirm(context, question))) return true;
  context.output.notice(otherwise);
  return false;
}
