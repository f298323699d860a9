/** The page of the configuration. */
import { type Key, keyAt } from '../src/cli/config/schema.ts';
import { notifyFields } from '../src/cli/config/notify-kind.ts';
import { literal, sections } from '../src/cli/config/write.ts';
import { write } from './write-generated.ts';

const initialOf = ({ default: initial }: Key<unknown>) => (initial === undefined ? '' : `\`${literal(initial)}\``);

const tables = [...sections()].map(([section, rows]) => {
  const lines = rows.map(({ path, name }) => {
    const key = keyAt(path);
    const names = [name, ...(key.alias === undefined ? [] : [key.alias])].map((each) => `\`${each}\``).join(', ');
    const variable = key.variable === undefined ? '' : `\`${key.variable}\``;
    const folder = key.isFolders === true ? 'any' : 'trusted';
    return `| ${names} | ${key.says} | ${key.kind.expected} | ${initialOf(key)} | ${variable} | ${folder} |`;
  });
  return `## ${section}\n\n| key | meaning | expected | default | variable | \`torc.toml\` |\n| --- | --- | --- | --- | --- | --- |\n${lines.join('\n')}\n`;
});

const receiver = Object.entries(notifyFields).map(
  ([name, { kind, says }]) => `| \`${name}\` | ${says} | ${kind.expected} |`,
);
tables.push(`## notify.NAME

Who gets messages about workflows, by a name of yours; read by commands and by servers. A file that has a table \`notify\` replaces those of the
files before it. An address or a secret may be \`env:VARIABLE\` or \`file:PATH\`, the first line of a file. [Get a message](../how-to/get-a-message.md)
shows how. In \`torc.toml\` it counts when the file is trusted.

| key | meaning | expected |
| --- | --- | --- |
${receiver.join('\n')}
`);

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

## Files that others may have written

A file of another user, or one that everybody may write, does not count: one line on standard error says so. Nothing makes it count.

Your own \`torc.toml\` may have come with a cloned project, so the last column of the tables says which of its keys count. \`any\`
counts in the file of any folder. \`trusted\` counts after \`torc config trust [FILE]\`, for the file as it is then: after a change, type it
again. Until then a command that would use such a key ends with exit code 78, having done nothing, and says what to type. In scripts, and in
the unit file of a service, \`TORC_TRUST_CONFIG=1\` trusts the \`torc.toml\` of the folder if it is yours.
A file that \`torc config init --local\` wrote goes on counting for you while you edit it, until its first line is removed. Files of root are
treated as your own: root may have cloned a project, too.

Which files are trusted is kept in \`~/.local/state/torc/trusted\`, or below \`XDG_STATE_HOME\`. [What Torc trusts](../explanation/what-torc-trusts.md)
has the other files that are read without being named. The script of an allocation carries what its runners need.

${tables.join('\n')}`,
);
