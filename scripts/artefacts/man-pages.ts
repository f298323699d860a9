import type { Command } from '../../src/cli/command/command.ts';
import type { Option } from '../../src/cli/command/option.ts';
import { globalsOf } from '../../src/cli/command/settings.ts';
import { VERSION } from '../../src/core/contract/version.ts';
import { commandsOf, groups } from '../../src/cli/program/commands.ts';
import { exampleOf, headingOf } from '../../src/cli/program/help.ts';

/**
 * The manual pages of all programs in the format of man(7), by their file names: one of each program, and of `torc` one more for
 * each first word, `torc-run.1` and `torc-jobs.1`.
 *
 * Made from the table of commands, as help, completion and the reference are. `day` is printed at their foot.
 */
export async function manPages(day: string): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const add = (name: string, says: string, body: readonly string[]) =>
    pages.set(
      `${name}.1`,
      [
        `.TH ${name.toUpperCase().replaceAll('-', '\\-')} 1 "${day}" "torc ${VERSION}" "Torc"`,
        '.SH NAME',
        wrapped(`${name} - ${says.replace(/\.$/, '')}`).replace(`${plain(name)} `, `${name} `),
        ...body,
        '',
      ].join('\n'),
    );
  const torc = await commandsOf('torc');
  const words = [...new Set(torc.map((command) => firstOf(command)))];
  add('torc', 'workflows of many jobs, on one machine, over ssh and in Slurm', overview(torc, words));
  for (const word of words) {
    const own = torc.filter((command) => firstOf(command) === word);
    const others = words.filter((other) => other !== word && headingOf(other) === headingOf(word));
    add(`torc-${word}`, groups[word] ?? own[0]?.says ?? word, [
      ...bodyOf('torc', own),
      ...seeAlso(['torc', ...others.map((other) => `torc-${other}`)]),
    ]);
  }
  for (const [program, says] of Object.entries(OTHERS))
    add(program, says, [
      ...bodyOf(program, await commandsOf(program)),
      ...seeAlso(['torc', ...Object.keys(OTHERS)].filter((name) => name !== program)),
    ]);
  return pages;
}

const OTHERS: Readonly<Record<string, string>> = {
  'torc-server': 'the service of torc: workflows over HTTP, in a SQLite database',
  'torc-htpasswd': 'users and passwords of a torc-server',
  'torc-slurm-job-runner': 'runs jobs of a workflow inside of an allocation of Slurm',
  'torc-mcp-server': 'tools of torc for agents, over the Model Context Protocol',
  'torc-dash': 'the page of torc in a browser, without a server of its own',
};

const firstOf = ({ words }: Command): string => words.split(' ')[0] as string;

/** A line of text: nothing in it is read as an escape or, at its start, as a request. */
const plain = (text: string): string =>
  started(text.replaceAll('…', '...').replaceAll('\\', '\\e').replaceAll('-', '\\-'));
const started = (text: string) => text.replaceAll(/^(?=[.'])/gm, '\\&');
/** The same in lines of up to 80 characters, as readers of the source expect; mandoc counts others than those of ASCII as `\[u2082]`. */
function wrapped(text: string): string {
  const lines = [''];
  const width = (part: string) => part.replaceAll(/[^\t -~]/gu, '\\[u2082]').length;
  for (const word of plain(text).split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (width(longer) > 78 && lines.at(-1) !== '') lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return started(lines.join('\n'));
}
const bold = (text: string) => `.B ${plain(text)}`;
/** Lines as they are, in an example. */
const example = (text: string) => ['.nf', '.RS', ...text.split('\n').map(plain), '.RE', '.fi'];
const paragraphs = (text: string) =>
  text.split('\n').flatMap((line) => (line.trim() === '' ? [] : ['.PP', wrapped(line.trim())]));

/** `torc jobs list [workflow]`: words and arguments of a command as a person types them. */
const spoken = (program: string, { words, isDefault, options = [] }: Command): string => {
  const [name = '', ...args] = words.split(' ');
  const isAlone = isDefault === true && program !== 'torc-server';
  const shown = options.length === 0 && globalsOf(program).length === 0 ? [] : ['[options]'];
  const verbs = args.filter((arg) => /^[a-z]/.test(arg));
  return [program, ...(isAlone ? [] : [name]), ...verbs, ...shown, ...args.filter((arg) => !/^[a-z]/.test(arg))].join(
    ' ',
  );
};

function overview(commands: readonly Command[], words: readonly string[]): string[] {
  const headed = Map.groupBy(words, (word) => headingOf(word) ?? 'Commands:');
  return [
    '.SH SYNOPSIS',
    bold('torc [options] command [arguments]'),
    '.SH DESCRIPTION',
    wrapped(
      'A workflow file names jobs, what they read and write, and what they need. Torc runs what is ready, and keeps every result.',
    ),
    '.PP',
    wrapped('Each command has a page of its own: man torc-run.'),
    ...[...headed].flatMap(([heading, inIt]) => [
      `.SS ${plain(heading.replace(/:$/, ''))}`,
      ...inIt.flatMap((word) => [
        '.TP',
        bold(word),
        wrapped(groups[word] ?? commands.find((each) => firstOf(each) === word)?.says ?? ''),
      ]),
    ]),
    '.SH OPTIONS OF EVERY COMMAND',
    ...globalsOf('torc').flatMap(item),
    '.SH EXAMPLES',
    ...example('torc -s run sweep.yaml\ntorc -s status 1\ntorc -s jobs explain 1'),
    ...ends('torc', commands),
    ...seeAlso([...Object.keys(OTHERS), ...words.slice(0, 8).map((word) => `torc-${word}`)]),
  ];
}

function bodyOf(program: string, commands: readonly Command[]): string[] {
  const [only, ...more] = commands;
  const isOne = only !== undefined && more.length === 0;
  const synopsis = commands.flatMap((command, at) => [...(at === 0 ? [] : ['.br']), bold(spoken(program, command))]);
  const described = (command: Command) => [wrapped(command.says), ...paragraphs(command.more ?? '')];
  const options = ({ options: own = [] }: Command) => own.filter(({ isHidden }) => isHidden !== true).flatMap(item);
  const parts = isOne
    ? ['.SH DESCRIPTION', ...described(only), ...(options(only).length === 0 ? [] : ['.SH OPTIONS', ...options(only)])]
    : [
        '.SH COMMANDS',
        ...commands.flatMap((command) => [
          `.SS ${plain(spoken(program, command))}`,
          ...described(command),
          ...options(command),
        ]),
      ];
  const globals = globalsOf(program);
  return [
    '.SH SYNOPSIS',
    ...synopsis,
    ...parts,
    ...(globals.length === 0 ? [] : ['.SH OPTIONS OF EVERY COMMAND', ...globals.flatMap(item)]),
    '.SH EXAMPLES',
    ...example(commands.map((command) => exampleOf(program, command)).join('\n')),
    ...ends(program, commands),
  ];
}

function item({ flags, says, default: own, choices, required }: Option): string[] {
  const more = [
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(own === undefined || own === false || own === '' ? [] : [`default ${String(own)}`]),
    ...(required === true ? ['required'] : []),
  ];
  return ['.TP', bold(flags), wrapped([says, ...more].join('; '))];
}

/** What every page ends with: exit codes, the variables that its options name, and files. */
function ends(program: string, commands: readonly Command[]): string[] {
  const texts = [...globalsOf(program), ...commands.flatMap(({ options = [] }) => options)].map(({ says }) => says);
  const variables = [
    ...new Set(texts.flatMap((says) => says.match(/\b(?:TORC_[A-Z_]+|DATABASE_URL|RUST_LOG)\b/g) ?? [])),
  ];
  const of = (name: string) => texts.find((says) => says.includes(name)) ?? '';
  return [
    '.SH EXIT STATUS',
    ...EXITS.flatMap(([code, means]) => ['.TP', bold(code), wrapped(means)]),
    '.SH ENVIRONMENT',
    ...variables.flatMap((name) => ['.TP', bold(name), wrapped(of(name))]),
    ...(variables.length === 0 ? [] : ['.PP']),
    wrapped('All variables stand in docs/reference/environment.md of the installation.'),
    '.SH FILES',
    ...FILES.flatMap(([path, means]) => ['.TP', bold(path), wrapped(means)]),
  ];
}

const EXITS = [
  ['0', 'done'],
  ['1', 'not done: a job failed, or the command could not do what was asked'],
  ['2', 'invalid arguments'],
  ['78', 'not configured: no Node that starts, or a torc.toml that is not trusted'],
  ['130', 'interrupted by Ctrl-C'],
] as const;

const FILES = [
  ['torc.toml', 'configuration in the current folder; torc config paths lists all files that are read'],
  ['~/.config/torc/config.toml', 'your own configuration'],
  ['torc_output/', 'database of -s, output and logs of jobs'],
] as const;

const seeAlso = (names: readonly string[]) => [
  '.SH SEE ALSO',
  ...[...new Set(names)].sort().map((name, at, all) => `.BR ${plain(name)} (1)${at === all.length - 1 ? '' : ' ,'}`),
];
