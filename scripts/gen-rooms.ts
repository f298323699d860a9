/** The list of the rooms of `src` in the page about how it is built, from their imports. */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { needsOf } from './order.ts';
import { write } from './write-generated.ts';

const PAGE = 'docs/explanation/how-it-is-built.md';
const [BEGIN, END] = ['<!-- rooms -->', '<!-- end of rooms -->'] as const;

const root = resolve(import.meta.dirname, '..');
const paths = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((path) => !/\.(?:test|gen)\.tsx?$/.test(path));
const sources = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
const needs = needsOf(sources).get('src') ?? new Map<string, Map<string, string>>();
const below = (room: string): string[] => [...(needs.get(room)?.keys() ?? [])].sort();

/** How many rooms stand below it in the longest line. */
const floorOf = (room: string): number => Math.max(0, ...below(room).map((other) => floorOf(other) + 1));

const rooms = [...new Set(paths.map((path) => path.split('/')[1] as string))]
  .map((room) => ({ room, floor: floorOf(room) }))
  .sort((one, other) => other.floor - one.floor || one.room.localeCompare(other.room));
const lines = rooms.map(({ room, floor }) => {
  const others = below(room).map((each) => `\`${each}\``);
  return `- floor ${floor}: \`${room}\`${others.length === 0 ? '' : ` on ${others.join(', ')}`}`;
});

const page = readFileSync(join(root, PAGE), 'utf8');
const [before, rest] = [page.slice(0, page.indexOf(BEGIN) + BEGIN.length), page.slice(page.indexOf(END))];
write(PAGE, `${before}\n\n${lines.join('\n')}\n\n${rest}`);
