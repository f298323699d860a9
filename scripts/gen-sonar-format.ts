/** The page of the fields of the Sonar format, with the values that the round-trip tests send through every part. */
import { compatSwitches } from '../src/core/contract/sonar/compat.ts';
import { exactJson } from '../src/core/contract/sonar/encode.ts';
import { attributeTables, type MessageType } from '../src/core/contract/sonar/envelope.ts';
import type { SonarField, ObjectTable } from '../src/core/contract/sonar/kinds.ts';
import { errorObject, kvPair, metadataObject } from '../src/core/contract/sonar/shared.ts';
import { everyField } from '../tests/sonar/every-field.ts';
import { write } from './write-generated.ts';

type Members = Readonly<Record<string, unknown>>;

function typeText({ kind, list }: SonarField): string {
  const one = typeof kind === 'object' ? `[${kind.name}](#${kind.name.toLowerCase()})` : kind;
  return `${one}${'[]'.repeat(list ?? 0)}`;
}

function noteText(field: SonarField): string {
  return [
    field.required === 'refused' ? 'required' : field.required === 'known' ? 'expected' : '',
    field.always === true ? 'always written' : '',
    field.since === undefined ? '' : `since ${field.since}`,
    field.until === undefined ? '' : `until ${field.until}`,
  ]
    .filter((each) => each !== '')
    .join(', ');
}

function exampleText(value: unknown, { kind }: SonarField): string {
  if (typeof kind === 'object') return '';
  const text = exactJson(value).replaceAll('|', '\\|');
  return value === undefined ? '' : `\`${text.length > 45 ? `${text.slice(0, 44)}…` : text}\``;
}

function sectionsOf(table: ObjectTable, example: Members, seen: Set<string>): string[] {
  if (seen.has(table.name)) return [];
  seen.add(table.name);
  const fields = Object.entries(table.fields);
  const rows = fields.map(
    ([name, field]) =>
      `| \`${name}\` | ${typeText(field)} | ${field.unit ?? ''} | ${field.says} | ${noteText(field)} | ${exampleText(example[name], field)} |`,
  );
  const first = (value: unknown) => ((Array.isArray(value) ? value[0] : value) ?? {}) as Members;
  return [
    `### ${table.name}\n\n| field | type | unit | meaning | presence | tested with |\n| --- | --- | --- | --- | --- | --- |\n${rows.join('\n')}`,
    ...fields.flatMap(([name, { kind }]) =>
      typeof kind === 'object' ? sectionsOf(kind, first(example[name]), seen) : [],
    ),
  ];
}

const titles: Readonly<Record<MessageType, string>> = {
  sysinfo: 'Sysinfo: what a node is',
  sample: 'Sample: what a node and its processes do',
  job: 'Job: what Slurm knows of its jobs',
  cluster: 'Cluster: partitions and states of nodes',
};

const seen = new Set([metadataObject.name, kvPair.name, errorObject.name]);
const sections = (Object.keys(attributeTables) as MessageType[]).map((type) => {
  const tables = sectionsOf(attributeTables[type], everyField[type].data.attributes as Members, seen);
  return `## ${titles[type]}\n\n${tables.join('\n\n')}`;
});
const shared = [
  ...sectionsOf(metadataObject, everyField.sample.meta, new Set()),
  ...sectionsOf(errorObject, everyField.sample.data.attributes.errors?.[0] ?? {}, new Set()),
];
const switches = Object.entries(compatSwitches).map(
  ([name, [usual, ...others]]) => `| \`${name}\` | ${usual} | ${others.join(', ')} |`,
);

write(
  'docs/reference/sonar-format.md',
  `# The Sonar format

Made by \`npm run gen\` from the definition in \`src/core/contract/sonar\` and from the values of the tests that send every field
through reader, store and export.

A message is one JSON object, an envelope: \`meta\`, and either \`data\` with \`type\` and \`attributes\`, or a list of \`errors\` if
nothing could be said. Messages follow one another in a file with white space or nothing between them. A field that is absent has
its default: zero, the empty text, false, the empty list.

| type | values |
| --- | --- |
| string, nonempty | Unicode text; \`nonempty\` text has at least one character |
| uint, nonzero | integers of 64 bits, exact up to 18446744073709551615; \`nonzero\` ones start at 1 |
| extended | 0 is unset, 1 is infinite, and any other value is written with 2 added |
| int, float, bool | an integer of 64 bits, a finite number, true or false |
| timestamp | \`yyyy-mm-ddThh:mm:ss+hh:mm\`, or \`Z\`, without a fraction of a second |
| hostname | letters, digits, \`.\`, \`-\` and \`_\` |
| range | host names in brief: \`c[1-3,5]-[2-4].fox\`; at most 100,000 names |

A field \`since\` a release of Sonar is newer than the text of version 0; one \`until\` a release is in the text, and Sonar no longer writes
it. An absent \`required\` field is an error; \`expected\` ones are left out by producers in use.

${sections.join('\n\n')}

## Members of all messages

${shared.join('\n\n')}

## How envelopes are written

Where the programs of the field differ from the text, torc writes the first choice of each switch, and \`--compat NAME=CHOICE,…\` another.
\`--compat text\` follows the text in everything.

| switch | usual | other |
| --- | --- | --- |
${switches.join('\n')}
`,
);
