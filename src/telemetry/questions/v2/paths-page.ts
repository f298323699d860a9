/** The page at `/api/v2/docs`, where slurm-monitor has its documentation: the paths that this server answers. */
export const pathsPage = (patterns: readonly string[]): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Paths of slurm-monitor on this server</title>
<h1>Paths of slurm-monitor on this server</h1>
<p>Each is read with GET and answers JSON in the shape of slurm-monitor's API, except for topology, which is a drawing.
Times are seconds since 1970: start_time_in_s, end_time_in_s and resolution_in_s of series, time_in_s of everything else.</p>
<ul>
${['cluster', ...patterns.map((pattern) => `cluster/{cluster}/${pattern.replaceAll(/:(\w+)/g, '{$1}')}`).toSorted()]
  .map((path) => `<li><code>/api/v2/${path}</code></li>`)
  .join('\n')}
</ul>
</html>
`;
