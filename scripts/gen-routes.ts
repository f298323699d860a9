/** The page of routes. */
import { BASE_PATH } from '../src/core/contract/base-path.ts';
import { type Route, routes } from '../src/core/contract/routes.ts';
import { write } from './write-generated.ts';

const rows = (Object.entries(routes) as [string, Route][]).map(([name, { method, path, query, says }]) => {
  const fields = query === undefined ? '' : Object.keys(query.shape).join(', ');
  return `| ${method} | \`${path}\` | ${fields} | ${says} | \`${name}\` |`;
});

write(
  'docs/reference/routes.md',
  `# Routes

Made from the table in \`src/core/contract/routes/\` by \`npm run gen\`. Everything stands under \`${BASE_PATH}\`; bodies are JSON.

| method | path | query | what it does | name |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`,
);
