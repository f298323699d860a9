import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseSync } from '@swc/core';
import { expect, it } from 'vitest';
import { jobStatuses } from '../src/core/job/job-statuses.ts';

/**
 * Lists of statuses of jobs outside `core/job/statuses.ts`: what *failed* or *open* means would be decided twice, and a new
 * status would be forgotten in one of them. Found by reading the sources as syntax.
 */

const source = resolve(import.meta.dirname, '../src');

/** The statuses themselves and their sets. */
const HOMES: ReadonlySet<string> = new Set(['core/job/job-statuses.ts', 'core/job/statuses.ts']);

/** Tasks of the server have statuses with the same words, and a runner counts its ends under their names. */
const OTHERS: ReadonlySet<string> = new Set([
  'core/contract/task.ts: running failed',
  'runner/attempt/report.ts: completed terminated',
]);

interface Node {
  readonly type: string;
  readonly [name: string]: unknown;
}

const STATUSES: ReadonlySet<unknown> = new Set(jobStatuses);
const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';

/** The status that an expression is: `'failed'`, `STATUS.failed`, `counts.failed`, or a variable `failed`. */
function statusIn(node: Node | undefined): string | undefined {
  const value = node?.type === 'MemberExpression' ? (node['property'] as Node)['value'] : (node?.['value'] as unknown);
  return STATUSES.has(value) ? (value as string) : undefined;
}

/** `one op two op three` as a list. */
function operands(node: Node, operator: string): Node[] {
  if (node.type === 'ParenthesisExpression') return operands(node['expression'] as Node, operator);
  if (node.type !== 'BinaryExpression' || node['operator'] !== operator) return [node];
  return [...operands(node['left'] as Node, operator), ...operands(node['right'] as Node, operator)];
}

const elements = (list: unknown) => (list as ({ expression: Node } | undefined)[]).map((each) => each?.expression);

/** The statuses that this expression lists: in an array, as arguments, in comparisons or in a sum. */
function listedIn(node: Node): (string | undefined)[] {
  switch (node.type) {
    case 'ArrayExpression':
      return elements(node['elements']).map((each) => (each?.type === 'StringLiteral' ? statusIn(each) : undefined));
    case 'CallExpression':
      return elements(node['arguments']).map((each) => (each?.type === 'StringLiteral' ? statusIn(each) : undefined));
    case 'BinaryExpression':
      return node['operator'] === '+' ? summed(node) : compared(node);
    default:
      return [];
  }
}

/** A sum with something else in it is one of other things. */
function summed(node: Node): (string | undefined)[] {
  const found = operands(node, '+').map(statusIn);
  return found.every((each) => each !== undefined) ? found : [];
}

function compared(node: Node): (string | undefined)[] {
  const parts = operands(node, node['operator'] as string);
  return parts.map((part) =>
    /^[!=]==$/.test(String(part['operator']))
      ? (statusIn(part['right'] as Node) ?? statusIn(part['left'] as Node))
      : undefined,
  );
}

const WORDS = new RegExp(`\\b(?:${jobStatuses.join('|')})\\b`, 'g');

function listsIn(text: string, path: string): string[] {
  const found = new Set<string>();
  // Most files name no status, and to read them as syntax takes ten times as long.
  if (new Set(text.match(WORDS)).size < 2) return [];
  const visit = (node: unknown) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    const listed = isNode(node) ? new Set(listedIn(node).filter((each) => each !== undefined)) : [];
    if ([...listed].length > 1) found.add(`${path}: ${[...listed].join(' ')}`);
    // A longer sum or comparison is found as a whole.
    if ([...listed].length > 1 && (node as Node).type === 'BinaryExpression') return;
    for (const value of Object.values(node)) visit(value);
  };
  visit(parseSync(text, { syntax: 'typescript', target: 'es2024', tsx: path.endsWith('.tsx') }));
  return [...found];
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (path) => /\.tsx?$/.test(path) && !/\.(?:test|gen|d)\.ts$/.test(path) && !HOMES.has(path),
);

it('what several statuses of a job mean together stands in core/job/statuses.ts only', () => {
  expect(files.length).toBeGreaterThan(1000);
  const found = files.flatMap((path) => listsIn(readFileSync(join(source, path), 'utf8'), path));
  expect(found.filter((each) => !OTHERS.has(each))).toEqual([]);
});

it('a list of statuses is found in each form in which one can be written, and a single status is none', () => {
  const lists = [
    "const BAD = ['failed', 'terminated'] as const;",
    'const sql = `status in ${anyOf("failed", "canceled")}`;',
    "const isBad = status === 'failed' || status === 'terminated';",
    "const isGood = status !== 'failed' && job.status !== 'canceled' && other;",
    'const isHeld = code === STATUS.pending || code === STATUS.running;',
    'const bad = counts.failed + counts.terminated;',
    'const open = ready + (blocked + running);',
  ];
  expect(lists.filter((text) => listsIn(text, 'x.ts').length === 0)).toEqual([]);
  const others = [
    'const sql = `status in ${anyOf(WAITS, "canceled")}`;',
    "const isFailed = status === 'failed' || isLate;",
    'const left = counts.running + dead;',
    "const words = { failed: 'red', terminated: 'red' };",
    "const [first] = ['failed', reason];",
  ];
  expect(others.flatMap((text) => listsIn(text, 'x.ts'))).toEqual([]);
});
