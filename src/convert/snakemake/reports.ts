import { pathTokenIn, type Report } from '../conversion.ts';
import { countsOf, type ResolvedJob } from './dry-run.ts';
import { temporaryOf } from './command.ts';
import { reportResources } from './requirements.ts';
import { hasAttempt, includesOf, numberBehind, type Snakefile, type WrittenRule } from './rules.ts';

export function reportJob(job: ResolvedJob, rule: WrittenRule | undefined, bySnakemake: boolean, report: Report): void {
  const at = [rule?.line, rule?.file] as const;
  if (job.isCheckpoint || [...job.input, ...job.output].some((each) => /^<.*>$/.test(each)))
    report.leaveOut(
      `checkpoint ${job.rule}`,
      'the jobs behind it are known only when it has run: convert again then',
      ...at,
    );
  if ([...job.input, ...job.output].some((each) => / \(.*storage\)$/.test(each)))
    report.leaveOut(`files in a storage of rule ${job.rule}`, 'jobs read and write files of the file system', ...at);
  if (rule === undefined)
    report.leaveOut(
      `rule ${job.rule}`,
      'no Snakefile has a rule of this name, so whether it needs more than its command cannot be seen',
    );
  const threads = numberBehind(rule, 'threads');
  if (threads !== undefined && threads > job.threads)
    report.note(
      `threads: ${threads} of rule ${job.rule}`,
      `its jobs have ${job.threads}; --cores gives them more`,
      ...at,
    );
  const token = bySnakemake ? undefined : pathTokenIn(job.shell ?? '');
  if (token !== undefined)
    report.leaveOut(
      `${token} in rule ${job.rule}`,
      'in a command it is a path of the job: use another name there',
      ...at,
    );
  if (bySnakemake)
    report.note(`rule ${job.rule}`, 'its jobs let Snakemake run it, so it has to be installed where they run', ...at);
  if (rule?.flags.has('pipe') === true || rule?.flags.has('service') === true)
    report.leaveOut(
      `a pipe or service of rule ${job.rule}`,
      'jobs pass files; they do not run at the same time for it',
      ...at,
    );
  const isTemporary = rule?.flags.has('temp') === true || rule?.flags.has('temporary') === true;
  if (isTemporary && temporaryOf(rule.text, job.output) === undefined)
    report.note(`temp() in rule ${job.rule}`, 'a program makes the paths, so the files are kept', ...at);
  if (rule?.directives.has('retries') === true && !bySnakemake && numberBehind(rule, 'retries') === undefined)
    report.leaveOut(`retries of rule ${job.rule}`, 'a program makes the number: add a failure handler', ...at);
  if (rule?.directives.has('group') === true)
    report.note(
      `group of rule ${job.rule}`,
      'each job is started by itself; a runner runs many in an allocation',
      ...at,
    );
  reportResources(job, rule, report);
  if (rule?.directives.has('benchmark') === true)
    report.note(`benchmark of rule ${job.rule}`, 'torc measures every job: torc results list', ...at);
}

/** Jobs that Snakemake counts and does not show. */
export function reportHidden(
  jobs: readonly ResolvedJob[],
  printed: string,
  rules: ReadonlyMap<string, WrittenRule>,
  report: Report,
): void {
  for (const [rule, count] of countsOf(printed)) {
    const shown = jobs.filter((job) => job.rule === rule).length;
    if (shown < count)
      report.leaveOut(
        `${count - shown} of ${count} jobs of rule ${rule}`,
        'a dry run does not show the files of a rule with a message: take its line message: out and convert again',
        rules.get(rule)?.line,
        rules.get(rule)?.file,
      );
  }
}

/** What in the Snakefiles is neither a rule nor part of the dry run. */
export function reportFiles(files: readonly Snakefile[], hasRetries: boolean, report: Report): void {
  for (const file of files) {
    if (!hasRetries && hasAttempt(file.text))
      report.note('attempt', 'no rule has retries; those of --retries are not known here', undefined, file.path);
    for (const line of includesOf(file).unread)
      report.leaveOut(
        'an include or module whose path is no literal',
        'whether its rules need Snakemake cannot be seen',
        line,
        file.path,
      );
    for (const [at, line] of file.text.split(/\r?\n/).entries()) {
      if (/^\s*shell\.(?:prefix|executable)\((?!["'](?:\/\w+)*\/?bash["'])/.test(line))
        report.leaveOut(line.trim(), 'commands run in bash with set -euo pipefail', at + 1, file.path);
      if (/^(?:container|containerized|singularity|conda)\s*:/.test(line))
        report.leaveOut(line.trim(), 'the environment of all rules: name it in each rule', at + 1, file.path);
      if (/^workdir\s*:/.test(line))
        report.leaveOut(
          line.trim(),
          'jobs run where torc run was started: run it there, with the paths from there',
          at + 1,
          file.path,
        );
      if (/^on(?:start|success|error)\s*:/.test(line))
        report.note(line.trim(), 'not carried over: add an action', at + 1, file.path);
    }
  }
}
