/**
 * The reference of workflow files: tables made from the definition that the reader checks with, between the paragraphs of
 * `templates/workflow-files.md`. `<!-- fields NAME -->` there stands for the table of one object.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Field, Shape } from '../src/core/workflow-file/shape/shape.ts';
import { sectionsOf } from '../src/core/workflow-file/shape/unknown-field.ts';
import { workflow } from '../src/core/workflow-file/shape/workflow.ts';
import { write } from './write-generated.ts';

const template = readFileSync(join(import.meta.dirname, 'templates/workflow-files.md'), 'utf8');
const sections = sectionsOf(workflow);
const titles = new Map(sections.map(({ shape, title }) => [shape, title]));
const used = new Set<string>();

const page = template.replaceAll(/<!-- fields (\S+) -->/g, (_, title: string) => {
  const section = sections.find((each) => each.title === title);
  if (section === undefined) throw new Error(`the template asks for the fields of ${title}, and nothing is called so`);
  used.add(title);
  const rows = Object.entries(section.shape.fields ?? {}).map(rowOf);
  return `| field | type | default | example | meaning |\n| --- | --- | --- | --- | --- |\n${rows.join('\n')}`;
});
const unused = sections.filter(({ title }) => !used.has(title)).map(({ title }) => title);
if (unused.length > 0) throw new Error(`the template leaves out the fields of ${unused.join(', ')}`);
write('docs/reference/workflow-files.md', page);

function rowOf([name, field]: readonly [string, Field<unknown, boolean>]): string {
  const { shape, says, standard, example, unit, isNeeded, unless, isOld = false } = field;
  const cells = [
    `\`${name}\``,
    typeOf(shape) + (unit === undefined ? '' : `, ${unit}`),
    isNeeded
      ? `**required**${unless === undefined ? '' : `, or \`${unless}\``}`
      : standard === undefined
        ? '–'
        : `\`${String(standard)}\``,
    example === undefined ? '' : `\`${flowText(example)}\``,
    `${isOld ? 'Deprecated. ' : ''}${says}`,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function typeOf(shape: Shape<unknown>): string {
  const title = titles.get(shape as Shape<object>);
  if (title !== undefined) return `[${title}](#${anchorOf(title)})`;
  switch (shape.kind) {
    case 'string':
      return 'text';
    case 'integer':
      return 'whole number';
    case 'float':
      return 'number';
    case 'boolean':
      return 'true or false';
    case 'any':
      return 'any value';
    case 'choice':
      return (shape.choices ?? []).map((each) => `\`${each}\``).join(', ');
    case 'list':
      return `list of ${shape.of === undefined ? 'values' : typeOf(shape.of)}`;
    case 'map':
      return `map of ${shape.of === undefined ? 'values' : typeOf(shape.of)}`;
    case 'object':
      return 'map';
  }
}

/** As GitHub makes anchors of the headings: dots are left out. */
function anchorOf(title: string): string {
  return title.replaceAll('.', '');
}

/** A value as it may stand in YAML and JSON5 alike. */
function flowText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(
      ([key, item]) => `${/^\w+$/.test(key) ? key : `"${key}"`}: ${flowText(item)}`,
    );
    return `{ ${fields.join(', ')} }`;
  }
  if (typeof value === 'string') return /^[A-Za-z_]\w*$/.test(value) ? value : `"${value}"`;
  return String(value);
}
