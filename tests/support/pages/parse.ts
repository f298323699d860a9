/**
 * A page of the documentation as the steps that a reader takes, in order.
 *
 * - A fenced block whose preceding line ends with a file name in backticks and a colon is a file to be written.
 * - A `console` block holds commands (`$ …`, continued by lines that begin with `> ` or after a `\`) and, below each, lines of
 *   output that the reader is promised. `…` in such a line stands for anything; a line `^C` is the key that the reader presses.
 * - A comment on the line before a block says how it is run: `<!-- exit 1 -->` (the last command ends with this code),
 *   `<!-- in a clone -->` (in a fresh clone of the repository), `<!-- in a clone after npm ci -->`,
 *   `<!-- on a Slurm cluster -->`, `<!-- on a PBS cluster -->`, `<!-- with hosts that ssh reaches -->`, `<!-- with the program make -->`,
 *   `<!-- with PostgreSQL -->`, `<!-- with Kafka and PostgreSQL -->`, `<!-- not run: the reason -->`.
 *
 * Other blocks are text.
 */
export type Step = WriteFile | RunCommands;

interface WriteFile {
  readonly kind: 'file';
  readonly line: number;
  readonly name: string;
  readonly text: string;
}

export interface RunCommands {
  readonly kind: 'commands';
  readonly line: number;
  readonly commands: readonly Command[];
  /** Expected exit code of the last command; the others end with 0. */
  readonly exitCode: number;
  /** Whether it runs in a clone of the repository, and what is in it. */
  readonly clone: 'none' | 'fresh' | 'set up';
  /** Whether it needs a cluster to which jobs can be submitted. */
  readonly needsSlurm: boolean;
  readonly needsPbs?: boolean;
  /** Whether it needs the hosts worker1 and worker2, which ssh reaches. */
  readonly needsHosts: boolean;
  /** A program of this machine that it needs. */
  readonly program: string | undefined;
  /** The servers of others that it needs. */
  readonly servers: readonly OtherServer[];
  /** Why the block is not run. */
  readonly notRun: string | undefined;
}

export type OtherServer = 'Kafka' | 'PostgreSQL';

export interface Command {
  readonly line: number;
  readonly text: string;
  readonly expected: readonly string[];
}

/** Throws when a block is not closed, a comment is not known, or a console block has output before its first command. */
export function parsePage(markdown: string): Step[] {
  const lines = markdown.split('\n');
  const steps: Step[] = [];
  let before = '';
  for (let index = 0; index < lines.length; index += 1) {
    const opening = /^( *)(`{3,})(\w*)/.exec(lines[index] as string);
    if (opening === null) {
      if (lines[index]?.trim() !== '') before = lines[index] as string;
      continue;
    }
    const [, indent = '', fence = '', language = ''] = opening;
    const end = lines.findIndex((line, at) => at > index && line.trim() === fence);
    if (end === -1) throw new Error(`line ${index + 1}: the block is not closed`);
    const body = lines
      .slice(index + 1, end)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()));
    const step = stepOf(language, body, before, index + 1);
    if (step !== undefined) steps.push(step);
    before = '';
    index = end;
  }
  return steps;
}

function stepOf(language: string, body: readonly string[], before: string, line: number): Step | undefined {
  const comment = /^\s*<!--\s*(.*?)\s*-->\s*$/.exec(before)?.[1];
  if (language === 'console') {
    return { kind: 'commands', line, commands: commandsOf(body, line), ...howToRun(comment, line) };
  }
  if (comment !== undefined && isAboutRunning(comment)) {
    throw new Error(`line ${line}: "${comment}" stands before a block that is not a console block`);
  }
  const name = /`([^`\s]+)`:$/.exec(before.trimEnd())?.[1];
  return name === undefined ? undefined : { kind: 'file', line, name, text: body.map((each) => `${each}\n`).join('') };
}

const isAboutRunning = (comment: string) =>
  /^(?:exit|in a clone|on a (?:Slurm|PBS) cluster|with |not run)/.test(comment);

function howToRun(
  comment: string | undefined,
  line: number,
): Pick<
  RunCommands,
  'exitCode' | 'clone' | 'needsSlurm' | 'needsPbs' | 'needsHosts' | 'program' | 'servers' | 'notRun'
> {
  const usual = {
    exitCode: 0,
    clone: 'none' as const,
    needsSlurm: false,
    needsHosts: false,
    program: undefined,
    servers: [],
    notRun: undefined,
  };
  if (comment === undefined) return usual;
  const exit = /^exit (\d+)$/.exec(comment)?.[1];
  if (exit !== undefined) return { ...usual, exitCode: Number(exit) };
  if (comment === 'in a clone') return { ...usual, clone: 'fresh' };
  if (comment === 'in a clone after npm ci') return { ...usual, clone: 'set up' };
  if (comment === 'on a Slurm cluster') return { ...usual, needsSlurm: true };
  if (comment === 'on a PBS cluster') return { ...usual, needsPbs: true };
  if (comment === 'with hosts that ssh reaches') return { ...usual, needsHosts: true };
  if (comment === 'with PostgreSQL') return { ...usual, servers: ['PostgreSQL'] };
  if (comment === 'with Kafka and PostgreSQL') return { ...usual, servers: ['Kafka', 'PostgreSQL'] };
  const program = /^with the program (\S+)$/.exec(comment)?.[1];
  if (program !== undefined) return { ...usual, program };
  const reason = /^not run: (\S.*)$/.exec(comment)?.[1];
  if (reason !== undefined) return { ...usual, notRun: reason };
  throw new Error(
    `line ${line}: "${comment}" before a console block; expected "exit N", "in a clone" or "not run: the reason"`,
  );
}

function commandsOf(body: readonly string[], start: number): Command[] {
  const commands: { line: number; text: string; expected: string[] }[] = [];
  body.forEach((text, index) => {
    const line = start + index + 1;
    const last = commands.at(-1);
    if (text.startsWith('$ ')) {
      commands.push({ line, text: text.slice(2), expected: [] });
    } else if (last === undefined) {
      if (text.trim() !== '') throw new Error(`line ${line}: output before the first command ("$ …"): ${text}`);
    } else if (last.expected.length === 0 && (text.startsWith('> ') || last.text.endsWith('\\'))) {
      last.text += `\n${text.startsWith('> ') ? text.slice(2) : text}`;
    } else {
      last.expected.push(text.trimEnd());
    }
  });
  if (commands.length === 0) throw new Error(`line ${start}: a console block without a command ("$ …")`);
  return commands;
}

/**
 * The first promised line that is missing in the output, or undefined when all are there in order.
 *
 * Lines between two promised ones are passed over. Empty lines and lines of `…` alone promise nothing.
 */
export function firstMissing(output: string, expected: readonly string[]): string | undefined {
  const lines = output.split(/\r?\n/).map((line) => line.trimEnd());
  let from = 0;
  for (const promised of expected) {
    if (/^[\s…]*$/.test(promised)) continue;
    const pattern = new RegExp(`^${promised.split('…').map(RegExp.escape).join('.*')}$`);
    const found = lines.findIndex((line, at) => at >= from && pattern.test(line));
    if (found === -1) return promised;
    from = found + 1;
  }
  return undefined;
}
