import type { MessageProblem } from '../../../core/contract/sonar/problem.ts';
import type { EnvelopeRecord } from '../../../telemetry/format/envelope-reader.ts';
import { command } from '../../command/command.ts';
import { Failure } from '../../command/failure.ts';
import { integerOption, option } from '../../command/option.ts';
import type { Output } from '../../output/output.ts';

/** One problem of one record, as it is printed. */
interface Finding extends MessageProblem {
  readonly file: string;
  readonly record: number;
  readonly line: number;
}

interface Verdict {
  readonly file: string;
  records: number;
  valid: number;
  refused: number;
  warnings: number;
}

export const validate = command('sonar validate [file...]', {
  says: 'Check Sonar envelopes in files or on standard input.',
  example: 'samples.json',
  more:
    'Every problem is printed with the number of its record, its field, what was found and what is expected. ' +
    'Files may have any length, and may be compressed with gzip. The exit code is 1 if an envelope breaks the format.',
  options: [
    option('--strict', 'let warnings fail too: unknown members, null, removed fields'),
    option('--max-problems <n>', 'problems to print; the others are counted', {
      default: 1000,
      read: integerOption(0),
    }),
  ],
  offline: true,
  async run({ output, exitWith }, [files], options) {
    const { recordsOfFiles } = await import('../../../telemetry/format/files.ts');
    const paths = files === undefined || files.length === 0 ? ['-'] : files;
    const shown: Finding[] = [];
    const verdicts: Verdict[] = [];
    let found = 0;
    for (const file of paths) {
      if (file === '-' && process.stdin.isTTY === true)
        throw new Failure('envelopes are expected on standard input, and that is a terminal; name a file');
      const verdict: Verdict = { file, records: 0, valid: 0, refused: 0, warnings: 0 };
      verdicts.push(verdict);
      const keep = (finding: Finding) => {
        if (++found > options.maxProblems) return;
        if (output.format === 'table') output.text(findingText(finding));
        else shown.push(finding);
      };
      try {
        for await (const records of recordsOfFiles(file, { isCareful: true }))
          for (const record of records) judge(verdict, record, keep);
      } catch (cause) {
        throw new Failure(`cannot read ${file}: ${(cause as Error).message}`, { cause });
      }
      if (output.format === 'table') output.text(verdictText(verdict));
    }
    const leftOut = Math.max(0, found - options.maxProblems);
    if (output.format !== 'table') printData(output, shown, verdicts, leftOut);
    if (leftOut > 0) output.notice(`${leftOut} more problems were not printed; --max-problems ${found} prints all`);
    if (verdicts.some(({ refused, warnings }) => refused > 0 || (options.strict === true && warnings > 0))) exitWith(1);
  },
});

function judge(verdict: Verdict, record: EnvelopeRecord, keep: (finding: Finding) => void): void {
  const { number, line, problems } = record;
  const isRefused = problems.some(({ level }) => level !== 'warning');
  if (number > 0) {
    verdict.records++;
    if (!isRefused) verdict.valid++;
  }
  if (isRefused) verdict.refused++;
  verdict.warnings += problems.filter(({ level }) => level === 'warning').length;
  for (const problem of problems) keep({ file: verdict.file, record: number, line, ...problem });
}

const placeText = ({ file, record, line }: Finding): string =>
  record === 0 ? `${file}: line ${line}` : `${file}: record ${record} (line ${line})`;

const findingText = (finding: Finding): string =>
  [
    placeText(finding),
    finding.level === 'warning' ? 'warning' : 'error',
    ...(finding.field === '' ? [] : [finding.field]),
    `found ${finding.found}; expected ${finding.expected}`,
  ].join(': ');

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

const verdictText = ({ file, records, valid, refused, warnings }: Verdict): string =>
  `${file}: ${counted(records, 'record')}: ${[
    `${valid} valid`,
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ].join(', ')}`;

function printData(output: Output, problems: readonly Finding[], files: readonly Verdict[], leftOut: number): void {
  output.list({
    items: problems,
    columns: [
      { title: 'File', value: ({ file }) => file },
      { title: 'Record', value: ({ record }) => record },
      { title: 'Line', value: ({ line }) => line },
      { title: 'Level', value: ({ level }) => level },
      { title: 'Field', value: ({ field }) => field },
      { title: 'Found', value: (problem) => problem.found },
      { title: 'Expected', value: ({ expected }) => expected },
    ],
    things: 'problems',
    empty: 'No problems',
    json: { files, problems, problems_not_listed: leftOut },
  });
}
