import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseSync } from '@swc/core';
import { expect, it } from 'vitest';

/**
 * Calls that work in every test and fail with large values: a timer beyond 2^31 ms fires at once, and a list spread into
 * the arguments of a call overflows the stack from some 120,000 elements on, and a clock that is set back makes a duration
 * negative; a recursive mkdir never returns on a file system that refuses folders with ENOENT. And some that are slow once: what each process needs tens of milliseconds for, when it is loaded or at the
 * first call. Found by reading the sources as syntax.
 */

const source = resolve(import.meta.dirname, '../src');

/** The one place for long delays, and rooms whose delays are numbers of their own: no option of the server or of a thread is a time. */
const TIMERS_ARE_SAFE = /^client\/long-timers\.ts$|^(?:server|thread)\//;

interface Node {
  readonly type: string;
  readonly span?: { readonly start: number };
  readonly [name: string]: unknown;
}

interface Found {
  readonly timers: string[];
  readonly spreads: string[];
  readonly clocks: string[];
  readonly slow: string[];
  readonly folders: string[];
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';

/** What a call calls: `setTimeout`, or `Math.max` for a member. */
function nameOf(callee: Node): string {
  if (callee.type === 'Identifier') return callee['value'] as string;
  if (callee.type !== 'MemberExpression') return '';
  return `${nameOf(callee['object'] as Node)}.${(callee['property'] as Node)['value'] as string}`;
}

/** A delay that is no larger than a number in the sources: a literal, a constant, a sum of these, or the least of some. */
function isBounded(delay: Node | undefined): boolean {
  if (delay === undefined || delay.type === 'NumericLiteral') return true;
  if (delay.type === 'Identifier') return /^[A-Z][A-Z\d_]*$/.test(delay['value'] as string);
  if (delay.type === 'BinaryExpression') return isBounded(delay['left'] as Node) && isBounded(delay['right'] as Node);
  if (delay.type !== 'CallExpression' || nameOf(delay['callee'] as Node) !== 'Math.min') return false;
  return (delay['arguments'] as { expression: Node }[]).some(({ expression }) => isBounded(expression));
}

const SPREAD_INTO = /^Math\.(max|min|hypot)$|\.(push|unshift|splice|concat|fromCharCode|fromCodePoint|of)$/;

/** V8 checks expressions when it reads a file, and these sets are large: 50 ms. `toLocaleString` loads tables for 30 ms. */
const EMOJI = /\\p\{(RGI_)?Emoji/;

function hazardsIn(text: string, path: string): Found {
  const found: Found = { timers: [], spreads: [], clocks: [], slow: [], folders: [] };
  const program = parseSync(text, { syntax: 'typescript', target: 'es2024' });
  const visit = (node: unknown) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    if (isNode(node) && node.type === 'CallExpression') look(node);
    if (isNode(node) && node.type === 'BinaryExpression' && node['operator'] === '-') lookAtDifference(node);
    if (isNode(node) && node.type === 'RegExpLiteral' && EMOJI.test(node['pattern'] as string)) found.slow.push(path);
    for (const value of Object.values(node)) visit(value);
  };
  const look = (call: Node) => {
    const name = nameOf(call['callee'] as Node);
    const given = call['arguments'] as { spread: unknown; expression: Node }[];
    if (/^set(Timeout|Interval)$/.test(name) && !isBounded(given[1]?.expression)) found.timers.push(`${path}: ${name}`);
    if (SPREAD_INTO.test(name) && given.some(({ spread }) => (spread ?? null) !== null))
      found.spreads.push(`${path}: ${name}`);
    if (/\.toLocale[A-Z]\w+$/.test(name)) found.slow.push(path);
    if (/(?:^|\.)mkdir(?:Sync)?$/.test(name) && JSON.stringify(given.slice(1)).includes('"recursive"'))
      found.folders.push(path);
  };
  const lookAtDifference = ({ left }: Node) => {
    const call = left as Node;
    if (call.type === 'CallExpression' && nameOf(call['callee'] as Node) === 'Date.now') found.clocks.push(path);
  };
  visit(program);
  return found;
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.endsWith('.gen.ts'),
);
const all = files.map((path) => hazardsIn(readFileSync(join(source, path), 'utf8'), path));

it('a delay that comes from outside goes through client/long-timers.ts', () => {
  expect(all.flatMap(({ timers }) => timers).filter((each) => !TIMERS_ARE_SAFE.test(each.split(':')[0] ?? ''))).toEqual(
    [],
  );
});

it('no list is spread into the arguments of a call that takes as many as there are', () => {
  expect(all.flatMap(({ spreads }) => spreads)).toEqual([]);
});

it('a duration is not the difference to the time of day, which can be set', () => {
  expect(all.flatMap(({ clocks }) => clocks)).toEqual([]);
});

it('no file is slow to load, and no number is written by the tables of all languages', () => {
  expect(all.flatMap(({ slow }) => slow)).toEqual([]);
});

it('folders are made by cluster/make-folder.ts', () => {
  expect(all.flatMap(({ folders }) => folders)).toEqual([]);
});

it('all of them are found where they are', () => {
  const offences = `
    setTimeout(call, seconds * 1000); setInterval(() => {}, Math.max(0, ms)); setTimeout(call, given.ms);
    seconds = (Date.now() - startedMs) / 1000;
    Math.max(...list); held.list.push(1, ...more); String.fromCharCode(...codes);
    mkdirSync(path, { recursive: true }); await fs.mkdir(path, { mode, recursive });
    count.toLocaleString('en-US'); face = /\\p{RGI_Emoji}/v;
  `;
  expect(hazardsIn(offences, 'x.ts')).toEqual({
    timers: ['x.ts: setTimeout', 'x.ts: setInterval', 'x.ts: setTimeout'],
    spreads: ['x.ts: Math.max', 'x.ts: held.list.push', 'x.ts: String.fromCharCode'],
    clocks: ['x.ts'],
    slow: ['x.ts', 'x.ts'],
    folders: ['x.ts', 'x.ts'],
  });
  const harmless = `
    setTimeout(call, PAUSE_MS * 2); setTimeout(call); setInterval(call, Math.min(LONGEST_TIMER_MS, ms));
    left = endAtMs - Date.now(); passed = performance.now() - startedMs;
    mkdirSync(path); mkdirSync(path, { mode }); rmSync(path, { recursive: true });
    Math.max(0, most); [...list, ...more]; call(...given); list.push(one); /\\p{L}/u.test(text);
  `;
  expect(hazardsIn(harmless, 'x.ts')).toEqual({ timers: [], spreads: [], clocks: [], slow: [], folders: [] });
});
