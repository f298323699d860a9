import { BASE_PATH } from '../../core/contract/base-path.ts';

/** What a person sees who opens the server in a browser: that it is there, and where to go on. */
export const FRONT_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Torc</title>
<h1>Torc</h1>
<p>This is a Torc server. Programs talk to it at <code>${BASE_PATH}</code>; people use the command line:</p>
<pre>export TORC_API_URL=http://&lt;this host&gt;:&lt;port&gt;${BASE_PATH}
torc workflows list</pre>
<p>What it answers is described in <a href="${BASE_PATH}/openapi.json">its OpenAPI document</a>.</p>
</html>
`;
