/** The page of refusals and of problems in workflow files. */
import { hostFaults } from '../src/core/remote/host-faults.ts';
import { refusals } from '../src/core/contract/refusals.ts';
import { problemKinds } from '../src/core/workflow-file/problems/problems.ts';
import { write } from './write-generated.ts';

const refusalRows = Object.entries(refusals)
  .sort(([left], [right]) => left.localeCompare(right))
  .map(([code, { status, remedy }]) => `| \`${code}\` | ${status} | ${remedy} |`);

const faultRows = Object.entries(hostFaults)
  .sort(([left], [right]) => left.localeCompare(right))
  .map(([code, { brief, remedy }]) => `| \`${code}\` | ${brief} | ${remedy} |`);

const problemRows = Object.entries(problemKinds)
  .sort(([left], [right]) => left.localeCompare(right))
  .map(([code, [stage, severity]]) => `| \`${code}\` | ${stage} | ${severity} |`);

write(
  'docs/reference/errors.md',
  `# Refusals and problems

Made from the catalogues in \`src/core/contract/refusals.ts\` and \`src/core/workflow-file/problems/problems.ts\` by \`npm run gen\`.
A job that fails is a result and no refusal: [why attempts end](causes.md).

## Refusals

When the service refuses a request, its reply is \`{"error": {"message": …, "code": …, "remedy": …}}\` with this status. No user error has a status of 500 or above.

| code | status | what to do |
| --- | --- | --- |
${refusalRows.join('\n')}

## Hosts of torc remote

\`torc remote … -f json\` has the code of each host with which something is wrong.

| code | what is wrong | what to do |
| --- | --- | --- |
${faultRows.join('\n')}

## Problems in workflow files

\`torc create --dry-run -f json\` lists each with its file, line, column and field. The stage says which step finds it: \`resources\` may be skipped with \`--skip-checks\`, \`advice\` never stops anything.

| code | stage | severity |
| --- | --- | --- |
${problemRows.join('\n')}
`,
);
