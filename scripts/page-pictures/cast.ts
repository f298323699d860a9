import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * A run in the terminal as an SVG that shows its lines one after another, as they came: README's own workflow file and commands. It
 * needs no script and no other file, so it is shown wherever pictures are; with reduced motion it is whole from the beginning.
 */

const root = resolve(import.meta.dirname, '../..');
/** `go` is what the last job of the file waits for. */
const COMMANDS = [
  'torc -s run sweep.yaml',
  'torc -s jobs explain train_150 -w 1',
  'rm out/model_40',
  'torc -s run 1 --dry-run',
];
/** Left out: the same in each command, and longer than what the reader looks for. */
const LEFT_OUT = /^(Started standalone|Files:|  torc_output)/;
/** A reader needs this long for a command, and does not wait longer than this for a line. */
const [READ_SECONDS, LONGEST_SECONDS] = [1.2, 1.5];
const [WIDTH, LINE, MARGIN, COLUMNS] = [860, 21, 18, 98];

interface Line {
  readonly text: string;
  readonly kind: 'command' | 'good' | 'warning' | 'plain';
  readonly atSeconds: number;
}

/** Runs the commands and writes the picture. */
export async function writeCast(path: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'torc-cast-'));
  try {
    const file = /^name: sweep\n[\s\S]*?(?=^```)/m.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[0];
    if (file === undefined) throw new Error('README has no workflow file named sweep');
    writeFileSync(join(folder, 'sweep.yaml'), file);
    writeFileSync(join(folder, 'go'), '');
    const lines: Line[] = [];
    let now = 0.4;
    for (const command of COMMANDS) {
      lines.push({ text: `$ ${command}`, kind: 'command', atSeconds: now });
      const startedAt = now + READ_SECONDS;
      now = startedAt;
      for (const { text, seconds } of await outputOf(command, folder)) {
        now = Math.min(startedAt + seconds, now + LONGEST_SECONDS);
        lines.push({ text, kind: kindOf(text), atSeconds: now });
      }
      now += READ_SECONDS;
    }
    writeFileSync(path, svgOf(lines));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const kindOf = (text: string): Line['kind'] =>
  text.startsWith('✓') ? 'good' : text.startsWith('warn:') ? 'warning' : 'plain';

/** What a command prints, line by line, with the time since its start. */
function outputOf(command: string, cwd: string): Promise<{ readonly text: string; readonly seconds: number }[]> {
  const words = command.replace(/^torc /, `${process.execPath} ${join(root, 'bin/torc.mjs')} `);
  const startedAt = performance.now();
  const found: { text: string; seconds: number }[] = [];
  const child = spawn('bash', ['-c', `${words} 2>&1`], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    const seconds = (performance.now() - startedAt) / 1000;
    for (const line of lines)
      if (line.trim() !== '' && !LEFT_OUT.test(line))
        found.push({ text: cut(line.replaceAll(hostname(), 'laptop')), seconds });
  });
  return new Promise((done, fail) => {
    child.on('close', (code) =>
      code === 0 ? done(found) : fail(new Error(`${command} ended with ${code}: ${JSON.stringify(found)}`)),
    );
  });
}

const cut = (line: string) => (line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line);

function svgOf(lines: readonly Line[]): string {
  const height = MARGIN * 2 + lines.length * LINE;
  const rows = lines.map(
    ({ text, kind, atSeconds }, row) =>
      `<text class="${kind}" x="${MARGIN}" y="${MARGIN + row * LINE + 15}" style="animation-delay:${atSeconds.toFixed(1)}s" xml:space="preserve">${escaped(text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(lines.map(({ text }) => text).join(' — '))}">
<style>
text { font: 13.5px ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', monospace; fill: #d8dee6; opacity: 0; animation: shown 0.01s forwards; }
.command { fill: #ffffff; font-weight: 600; }
.good { fill: #6fd08c; }
.warning { fill: #e6b450; }
@keyframes shown { to { opacity: 1; } }
@media (prefers-reduced-motion: reduce) { text { opacity: 1; animation: none; } }
</style>
<rect width="${WIDTH}" height="${height}" rx="10" fill="#14181d"/>
${rows.join('\n')}
</svg>
`;
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
