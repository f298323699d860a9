/** The page of routes. */
import { BASE_PATH } from '../src/core/contract/base-path.ts';
import { type Route, routes } from '../src/core/contract/routes.ts';
import { write } from './write-generated.ts';

const rows = (Object.entries(routes) as [string, Route][]).map(([name, { method, path, query, says, access }]) => {
  const fields = query === undefined ? '' : Object.keys(query.shape).join(', ');
  return `| ${method} | \`${path}\` | ${fields} | ${says} | ${access} | \`${name}\` |`;
});

write(
  'docs/reference/routes.md',
  `# Routes

Made from the table in \`src/core/contract/routes/\` by \`npm run gen\`. All paths begin with \`${BASE_PATH}\`; bodies are JSON.

\`who\` says who may use a route while access is enforced: anyone; a user with a login; users who may see the workflow that
is named in the path, the query, the body or by one of its records; oneself, the user of the path; administrators of a group; and
administrators, who may use all routes.

| method | path | query | what it does | who | name |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`,
);
