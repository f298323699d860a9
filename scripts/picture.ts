/**
 * Draws a picture of the docs from a page of `torc plot-resources`:
 *
 *     node scripts/picture.ts plots/job_1.html 'Memory (MiB)' docs/how-to/pictures/job-memory.svg
 *
 * The picture is the chart of the page with the style of the page, so it can stand alone, on light and on dark paper.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const [page = '', title = '', target = ''] = process.argv.slice(2);
const html = readFileSync(page, 'utf8');
const style = /<style>(.*?)<\/style>/s.exec(html)?.[1];
const chart = html.match(/<svg .*?<\/svg>/gs)?.find((each) => each.includes(`aria-label="${title}"`));
if (style === undefined || chart === undefined) throw new Error(`${page} has no chart "${title}"`);

const paper = '<rect width="100%" height="100%" fill="var(--paper)"/>';
const standalone = chart
  .replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')
  .replace(/^(<svg [^>]*>)/, `$1\n<style>${stylesOfCharts(style)}</style>\n${paper}`);
writeFileSync(target, `${standalone}\n`);

/** The variables and the rules of classes: what a chart is drawn with. */
function stylesOfCharts(all: string): string {
  const lines = all.split('\n').filter((line) => /^(?::root|@media|\.(?:title|mark|grid|limit|line|c0))/.test(line));
  return `\n${lines.join('\n')}\n`;
}
