import type { Problem } from './problems.ts';

// A hundred show which instances are affected; a thousand hide the other errors.
const MOST_ALIKE = 100;

/** The problems as shown to a user: of similar ones the first hundred, and the number of the others. */
export function fewAlike(problems: readonly Problem[]): Problem[] {
  const alike = Map.groupBy(
    problems,
    ({ code, path, line, column }) => `${code} ${path === '' ? `${line}:${column}` : path}`,
  );
  const shown = new Set<Problem>();
  const summaries: Problem[] = [];
  for (const group of alike.values()) {
    const [first] = group;
    const lines = group.filter(({ more }) => more === undefined);
    for (const problem of lines.slice(0, MOST_ALIKE)) shown.add(problem);
    const left = lines.slice(MOST_ALIKE).length + group.reduce((sum, { more = 0 }) => sum + more, 0);
    if (left === 0 || first === undefined) continue;
    const { code, severity, stage, file, path } = first;
    summaries.push({ code, severity, stage, file, path, ...positionOf(first), message: moreLike(left), more: left });
  }
  return [...problems.filter((problem) => shown.has(problem)), ...summaries];
}

const positionOf = ({ line, column }: Problem): Pick<Problem, 'line' | 'column'> =>
  line === undefined || column === undefined ? {} : { line, column };

export const moreLike = (count: number): string => `… and ${count} more like it`;
