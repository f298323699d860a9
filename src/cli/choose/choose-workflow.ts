import type { Interface as Prompt } from 'node:readline/promises';
import type { Client } from '../../client/client.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { all } from '../../client/every.ts';
import { Failure, Interrupted } from '../command/failure.ts';
import { idOf, idOrName } from './id-or-name.ts';
import type { Context } from '../command/context.ts';
import { dateText } from '../output/local-time.ts';
import { tableOf } from '../output/table.ts';
import { printable } from '../../core/text/printable.ts';

/** The id of the workflow given by id or name, or else the one that the user selects. */
export async function chooseWorkflow(context: Context, given: unknown): Promise<number> {
  if (given !== undefined) {
    const meant = idOrName('workflow', given);
    return 'id' in meant ? meant.id : byName(context, meant.name);
  }
  if (process.stdin.isTTY !== true) throw new Failure('a workflow ID is required when stdin is not a terminal');
  const { client } = await context.service();
  const { items } = await client.listWorkflows({ query: { user: context.settings.user, is_archived: false } });
  const [only, ...others] = items;
  if (only === undefined) throw new Failure(`no workflows of user ${context.settings.user}; name one by its id`);
  if (others.length === 0) return only.id;
  return ask(context, items);
}

/** The id of the workflow, and the service that has it. */
export async function openWorkflow(context: Context, given: unknown): Promise<{ id: number; client: Client }> {
  const id = await chooseWorkflow(context, given);
  return { id, client: (await context.service()).client };
}

/** The newest workflow of the user. */
export async function latestWorkflow({ service, settings: { user } }: Context): Promise<number> {
  const { client } = await service();
  const query = { user, is_archived: false, sort_by: 'id', reverse_sort: true, limit: 1 };
  const [latest] = (await client.listWorkflows({ query })).items;
  if (latest === undefined) throw new Failure(`no workflows of user ${user}; name one by its id`);
  return latest.id;
}

export const workflowId = (given: unknown): number => idOf('workflow', given);

/** Candidates that are shown. */
const SHOWN = 10;

/** The workflow with this name, among those of the user. */
async function byName(context: Context, name: string): Promise<number> {
  const id = await workflowNamed(context, name);
  if (id !== undefined) return id;
  throw new Failure(
    `no workflow of user ${context.settings.user} is named "${name}"; ${context.hint('torc workflows list')} shows their ids and names`,
  );
}

/** The same, or undefined where there is none; an error where several have the name. */
export async function workflowNamed(
  { service, settings: { user } }: Context,
  name: string,
): Promise<number | undefined> {
  const { client } = await service();
  const found = await all((page) => client.listWorkflows({ query: { user, name, ...page } }));
  const [only, ...others] = found;
  if (only === undefined) return undefined;
  if (others.length === 0) return only.id;
  const shown = found
    .slice(-SHOWN)
    .map(
      ({ id, timestamp, is_archived: isArchived }) =>
        `  ${id}, created ${dateText(timestamp)}${isArchived === true ? ', archived' : ''}`,
    );
  const before = found.length > SHOWN ? [`  ${found.length - SHOWN} older ones`] : [];
  throw new Failure(
    [
      `${found.length} workflows of user ${user} are named "${name}"; use the id of one of them:`,
      ...before,
      ...shown,
    ].join('\n'),
  );
}

async function ask({ output }: Context, items: readonly Workflow[]): Promise<number> {
  output.detail(
    tableOf<Workflow>(
      [
        { title: 'ID', value: ({ id }) => id, align: 'right' },
        { title: 'Name', value: ({ name }) => name, cut: 'middle', importance: 9 },
        { title: 'Timestamp', value: ({ timestamp }) => dateText(timestamp) },
      ],
      items,
      output.messageWidth,
    ).text,
  );
  const prompt = await openPrompt();
  try {
    const answer = await answerTo(prompt, 'Workflow ID: ');
    const chosen = items.find(({ id }) => String(id) === answer.trim());
    if (chosen === undefined) throw new Failure(`"${answer.trim()}" is not one of these workflows`);
    return chosen.id;
  } finally {
    prompt.close();
  }
}

/** Whether a person is there to answer: a terminal, and not a program that reads JSON. */
export const isPersonThere = ({ format }: Pick<Context['output'], 'format'>): boolean =>
  process.stdin.isTTY === true && format !== 'json';

/** Asks the user, or reads the next line of piped input; at its end the answer is no. */
export async function confirm({ output }: Pick<Context, 'output'>, question: string): Promise<boolean> {
  const asked = `${printable(question)} [y/N] `;
  const ask = async (prompt: Prompt) => {
    const answer = process.stdin.isTTY === true ? await answerTo(prompt, asked) : await nextLine(prompt, asked);
    return /^y(es)?$/i.test(answer.trim());
  };
  return withPrompt(output, ask, () => false);
}

/** Asks the user of a terminal until the answer is yes or no, where each of them does something. Throws at Ctrl-C and Ctrl-D. */
export async function decide({ output }: Context, question: string): Promise<boolean> {
  const ask = async (prompt: Prompt) => {
    for (;;) {
      const answer = (await answerTo(prompt, `${printable(question)} [y/n] `)).trim();
      if (/^(?:y|yes|n|no)$/i.test(answer)) return /^y/i.test(answer);
    }
  };
  return withPrompt(output, ask, () => {
    throw new Failure('Nothing was changed.');
  });
}

/** The answer to a question, or `atEnd` where the input ends before it. Throws `Interrupted` at Ctrl-C. */
async function withPrompt(
  output: Context['output'],
  ask: (prompt: Prompt) => Promise<boolean>,
  atEnd: () => boolean,
): Promise<boolean> {
  const prompt = await openPrompt();
  try {
    return await ask(prompt);
  } catch (error) {
    output.detail('');
    if (error instanceof Interrupted) throw error;
    return atEnd();
  } finally {
    prompt.close();
  }
}

/** Throws `Failure` with exit code 130 at Ctrl-C. */
async function answerTo(prompt: Prompt, question: string): Promise<string> {
  const interrupt = new AbortController();
  prompt.once('SIGINT', () => interrupt.abort());
  try {
    return await prompt.question(question, { signal: interrupt.signal });
  } catch (error) {
    throw interrupt.signal.aborted ? new Interrupted() : error;
  }
}

async function nextLine(lines: AsyncIterable<string>, asked: string): Promise<string> {
  process.stderr.write(asked);
  for await (const line of lines) {
    process.stderr.write(`${printable(line)}\n`);
    return line;
  }
  process.stderr.write('\n');
  return '';
}

/** Loaded only for a question, because it would slow the start of every command. */
async function openPrompt(): Promise<Prompt> {
  const { createInterface } = await import('node:readline/promises');
  return createInterface({ input: process.stdin, output: process.stderr });
}
