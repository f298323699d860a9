import type { Axes } from '../../../core/workflow-file/expand/axes.ts';
import { printerOf } from '../../../core/workflow-file/expand/parameter-value.ts';
import { isActive, type QuoteContext, quoteContexts } from '../../../core/workflow-file/expand/shell-quote.ts';
import { rewrittenAdvice } from '../../../core/workflow-file/expand/rewritten.ts';
import { isQuoted, type Slot, slotsOf } from '../../../core/workflow-file/expand/template.ts';
import { counted } from '../../../core/quantity/count-text.ts';

/** Values of a parameter that are looked at: a range has millions, and all of one kind. */
const LOOKED_AT = 100_000;

/**
 * What is probably not meant in a list of commands with parameters: values that the shell takes apart or carries out, and
 * parameters of which no command has a token.
 */
export function execWarnings(commands: readonly string[], axes: Axes): string[] {
  const rewritten = axes.axes.flatMap((axis) => {
    const advice = rewrittenAdvice(axis, commands, false);
    return advice === undefined ? [] : [`--param ${axis.name}: ${advice}`];
  });
  return [...unquoted(commands, axes), ...unused(commands, axes), ...missing(commands, axes), ...rewritten];
}

/** One warning for each parameter. */
function unquoted(commands: readonly string[], axes: Axes): string[] {
  const warnings = new Map<string, string>();
  for (const command of commands) {
    const slots = slotsOf(command, axes.axes);
    const contexts = quoteContexts(
      command,
      slots.map(({ start }) => start),
    );
    for (const [index, slot] of slots.entries()) {
      const { name } = slot.axis;
      // A command that is nothing but a token: the values are commands, which the shell is to read.
      const isAll = command.trim() === command.slice(slot.start, slot.end);
      if (isAll !== isQuoted(slot) || warnings.has(name)) continue;
      const active = activeValues(slot, contexts[index] as QuoteContext);
      const [first] = active;
      if (first === undefined) continue;
      const values = `${counted(active.length, 'value')} of ${name} ${active.length === 1 ? 'has' : 'have'} blanks or characters that the shell interprets, such as ${JSON.stringify(first)}`;
      warnings.set(
        name,
        isAll
          ? `${values}, and each is passed as one word, the name of a program; for a list of commands use -C`
          : `${values}; write {${name}:q} instead of ${command.slice(slot.start, slot.end)} to pass each unchanged`,
      );
    }
  }
  return [...warnings.values()];
}

function activeValues({ axis, format }: Slot, context: QuoteContext): string[] {
  const print = printerOf(format);
  const found: string[] = [];
  const count = Math.min(axis.values.length, LOOKED_AT);
  for (let index = 0; index < count; index += 1) {
    const value = axis.values.at(index);
    if (typeof value === 'string' && isActive(print(value), context)) found.push(value);
  }
  return found;
}

/** Only where a command has braces that look like a token: without any, the parameter is a number of repetitions. */
function unused(commands: readonly string[], { axes }: Axes): string[] {
  const [like] = commands.flatMap((command) =>
    (command.match(/(?<!\$)\{(?:[A-Za-z_]\w*(?::[^{}]*)?)?\}/g) ?? []).filter(
      (token) => slotsOf(token, axes).length === 0,
    ),
  );
  if (like === undefined) return [];
  return axes
    .filter((axis) => commands.every((command) => slotsOf(command, [axis]).length === 0))
    .map(
      ({ name }) => `no command has a token of parameter ${name}: write {${name}} where its value belongs, not ${like}`,
    );
}

/** A token without any parameter, outside of quotes, where no shell and no program reads braces. */
function missing(commands: readonly string[], { axes }: Axes): string[] {
  if (axes.length > 0) return [];
  for (const command of commands) {
    const tokens = [...command.matchAll(/(?<!\$)\{([A-Za-z_]\w*)(?::[^{}]*)?\}/g)];
    const contexts = quoteContexts(
      command,
      tokens.map(({ index }) => index),
    );
    const [first] = tokens.filter((_, at) => contexts[at]?.quotes === 'none');
    if (first !== undefined)
      return [
        `${first[0]} stays as it is in the command: there is no --param ${first[1]}=…, such as --param ${first[1]}=1:3`,
      ];
  }
  return [];
}
