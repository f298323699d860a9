/** The page of commands. */
import type { Command } from '../src/cli/command/command.ts';
import type { Option } from '../src/cli/command/option.ts';
import { commandsOf } from '../src/cli/program/commands.ts';
import { keyAt } from '../src/cli/config/schema.ts';
import { exampleOf } from '../src/cli/program/help.ts';
import { shortOptionsOf } from '../src/cli/program/short-options.ts';
import { globalOptions } from '../src/cli/command/settings.ts';
import { write } from './write-generated.ts';

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

const optionRow = ({ flags, says, default: own, setting, choices, required = false }: Option) => {
  const initial = setting === undefined ? own : (keyAt(setting).default as Option['default']);
  const details = [
    choices === undefined ? '' : `one of ${choices.join(', ')}`,
    initial === undefined || initial === false || String(initial) === '' ? '' : `default ${String(initial)}`,
    setting === undefined ? '' : `configuration ${setting}`,
    required ? 'required' : '',
  ];
  return `| \`${flags.replaceAll('|', '\\|')}\` | ${cell([says, ...details.filter((text) => text !== '')].join('; '))} |`;
};

const section = (
  program: string,
  command: Command,
  { words, says, more, options = [] } = command,
  shown = options.filter(({ isHidden }) => isHidden !== true),
) => `### \`${program} ${words}\`

${cell(says)}${more === undefined ? '' : `\n\n\`\`\`text\n${more}\n\`\`\``}

\`\`\`sh
${exampleOf(program, command)}
\`\`\`
${shown.length === 0 ? '' : `\n| option | meaning |\n| --- | --- |\n${shown.map(optionRow).join('\n')}\n`}`;

const letters = async (program: string) => {
  const rows = (await shortOptionsOf(program)).map(
    ({ letter, long, commands }) =>
      `| \`${letter}\` | \`${long}\` | ${commands.map((each) => (each === '' ? 'every command' : each)).join(', ')} |`,
  );
  return `| letter | option | commands of ${program} |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
};

write(
  'docs/reference/cli.md',
  `# Commands

Made from the command tables in \`src/cli/program/commands.ts\` by \`npm run gen\`.

Results go to standard output and nothing else does; messages for the user go to standard error. Lists are \`{"items": […]}\` with \`-f json\`. Exit codes: 0 done, 1 not done, 2 invalid arguments, 78 not configured (no runtime, or a \`torc.toml\` that is not trusted), 130 interrupted.

## Options of every command

Before or after the command, unless the command itself defines the option.

| option | meaning |
| --- | --- |
${globalOptions.map(optionRow).join('\n')}

## torc

${(await commandsOf('torc')).map((command) => section('torc', command)).join('\n')}
## torc-server

${(await commandsOf('torc-server')).map((command) => section('torc-server', command)).join('\n')}
## torc-htpasswd

${(await commandsOf('torc-htpasswd')).map((command) => section('torc-htpasswd', command)).join('\n')}
## torc-slurm-job-runner

${(await commandsOf('torc-slurm-job-runner'))
  .map((command) =>
    section('torc-slurm-job-runner', command).replace('torc-slurm-job-runner run ', 'torc-slurm-job-runner '),
  )
  .join('\n')}
## torc-dash

${(await commandsOf('torc-dash')).map((command) => section('torc-dash', command).replace('torc-dash serve', 'torc-dash')).join('\n')}
## torc-mcp-server

${(await commandsOf('torc-mcp-server'))
  .map((command) => section('torc-mcp-server', command).replace('torc-mcp-server serve', 'torc-mcp-server'))
  .join('\n')}
## Letters

Torc 1.0 gives some letters several meanings, and these stay. A letter that is not one of Torc's has one meaning.

${await letters('torc')}
${await letters('torc-server')}`,
);
