import { BASE_PATH } from '../../core/contract/base-path.ts';

/** The page for users who open the server in a browser: it says that this is a Torc server, and where to continue. */
export const FRONT_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>pre { white-space: pre-wrap; overflow-wrap: anywhere }</style>
<title>Torc</title>
<h1>Torc</h1>
<p>This is a Torc server. Programs use its API at <code>${BASE_PATH}</code>; people use the command line:</p>
<pre>export TORC_API_URL=http://&lt;this host&gt;:&lt;port&gt;${BASE_PATH}
torc workflows list</pre>
<p>Its <a href="${BASE_PATH}/openapi.json">OpenAPI document</a> describes the API.</p>
</html>`;
