/** The page of the configuration. */
import { type Key, keyAt } from '../src/cli/config/schema.ts';
import { literal, sections } from '../src/cli/config/write.ts';
import { write } from './write-generated.ts';

const initialOf = ({ default: initial }: Key<unknown>) => (initial === undefined ? '' : `\`${literal(initial)}\``);

const tables = [...sections()].map(([section, rows]) => {
  const lines = rows.map(({ path, name }) => {
    const key = keyAt(path);
    const names = [name, ...(key.alias === undefined ? [] : [key.alias])].map((each) => `\`${each}\``).join(', ');
    const variable = key.variable === undefined ? '' : `\`${key.variable}\``;
    return `| ${names} | ${key.says} | ${key.kind.expected} | ${initialOf(key)} | ${variable} |`;
  });
  return `## ${section}\n\n| key | meaning | expected | default | variable |\n| --- | --- | --- | --- | --- |\n${lines.join('\n')}\n`;
});

write(
  'docs/reference/configuration.md',
  `# Configuration

Made from the table in \`src/cli/config/schema.ts\` by \`npm run gen\`.

Each key is taken from the last of these that sets it:

1. defaults,
2. \`/etc/torc/config.toml\`, or the file that \`TORC_SYSTEM_CONFIG\` names,
3. \`~/.config/torc/config.toml\`, below \`XDG_CONFIG_HOME\` where that is set,
4. \`torc.toml\` in the folder where the command runs,
5. variables made of section and key: \`TORC_CLIENT__RUN__POLL_INTERVAL=2.5\`, \`TORC_SERVER__ADMIN_USERS=ada,bob\`,
6. the variables that the tables name,
7. options.

An invalid value stops the programs that read its section, with file, line, key, what was expected and what was found;
an unknown key is a warning. Numbers may be quoted; an empty text means no value. \`torc config show\` prints
the effective values and their origin, \`torc config validate\` checks everything, \`torc config init --user\` writes a file to begin
with. A server that \`-s\` starts reads no server section.

${tables.join('\n')}`,
);
