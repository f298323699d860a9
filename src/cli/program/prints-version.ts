/** Programs with `--version`, as in Torc 1.0.0; the others refuse it. */
const WITH_VERSION: ReadonlySet<string> = new Set(['torc', 'torc-slurm-job-runner']);

export const printsVersion = (program: string): boolean => WITH_VERSION.has(program);
