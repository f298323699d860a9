import type { ReportDocument } from '../../../core/report/document.ts';
import { writeTextFile } from '../../../operations/whole-file.ts';
import type { Context } from '../../command/context.ts';
import { option } from '../../command/option.ts';
import { Failure } from '../../command/failure.ts';

export const outputOption = option('-o, --output <file>', 'where it is written (default: standard output)');

export const formatOption = option('-f, --format <format>', 'notation; auto: by the ending of the file, else md', {
  default: 'auto',
  choices: ['auto', 'html', 'md', 'json'],
});

type Notation = 'html' | 'md' | 'json';

interface WriteOptions {
  readonly output: string | undefined;
  readonly format: Notation | 'auto';
}

const ENDINGS: Readonly<Record<string, Notation>> = { html: 'html', htm: 'html', md: 'md', json: 'json' };

/** Writes a document into a file or to standard output, in the notation that is asked for. */
export async function writeReport(
  { output }: Context,
  content: { readonly json: () => unknown; readonly document: () => ReportDocument },
  { output: path, format: given }: WriteOptions,
): Promise<void> {
  const ending = path?.split('.').at(-1)?.toLowerCase() ?? '';
  const byEnding = path === undefined ? 'md' : ENDINGS[ending];
  const format = given === 'auto' ? byEnding : given;
  if (format === undefined)
    throw new Failure(`${path}: the ending says no notation; use .html, .md or .json, or --format`);
  const text = await textOf(content, format);
  if (path === undefined) return output.text(text.trimEnd());
  await writeTextFile(path, text);
  output.notice(`Wrote ${path}`);
}

async function textOf({ json, document }: Parameters<typeof writeReport>[1], format: Notation): Promise<string> {
  if (format === 'json') return `${JSON.stringify(json(), undefined, 2)}\n`;
  if (format === 'md') return (await import('../../../core/report/markdown.ts')).markdownOf(document());
  return (await import('../../../core/report/html.ts')).htmlOf(document());
}
