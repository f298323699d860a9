import type { Uint } from '../../../../core/contract/sonar/kinds.ts';
import { exactUint, GREATEST_UINT } from '../../../../core/contract/sonar/extended-uint.ts';
import { asPlainData } from '../../../../telemetry/answers.ts';
import { command } from '../../../command/command.ts';
import { Failure, UsageError } from '../../../command/failure.ts';
import { percentText } from '../../../output/words.ts';
import { processColumns, stepColumns } from '../../../samples/profile-columns.ts';
import { nodeOption, ask, print, windowOptions } from './window.ts';
import { DAY, buckets } from '../../../samples/intervals.ts';
import { option } from '../../../command/option.ts';

/** `--every` of each sample. */
const EACH_SAMPLE = 'sample';

function readJobId(text: string): Uint {
  if (!/^\d{1,20}$/.test(text) || BigInt(text) === 0n || BigInt(text) > GREATEST_UINT)
    throw new UsageError(`expected the id of a job: an integer above 0, found "${text}"`);
  return exactUint(BigInt(text));
}

export const showProfile = command('sonar show profile <job>', {
  says: 'Show what one job did over time.',
  example: '4711 --processes',
  more: 'A step has the average of CPU and GPU, and the greatest memory at one time. Steps of whole hours are read from the hours of closed days, so a profile of weeks takes no longer than one of a day; `--every sample` shows each sample.\n\n  torc sonar show profile 4711\n  torc sonar show profile 4711 --processes',
  options: [
    ...windowOptions,
    nodeOption,
    option('--epoch <n>', 'epoch of a job that is not of Slurm (default: any)', { read: readEpoch }),
    option('--every <interval>', 'length of the steps (default: what gives at most 300 of them on a node)', {
      choices: [EACH_SAMPLE, ...Object.keys(buckets)],
    }),
    option('--processes', 'its processes as a tree instead, with the CPU time of each'),
  ],
  offline: true,
  async run({ output }, [job], options) {
    const { profileOf } = await import('../../../../telemetry/questions/profile.ts');
    const { profileSteps } = await import('../../../../telemetry/questions/profile-steps.ts');
    const key = { job: readJobId(job), epoch: options.epoch };
    const every = options.every === undefined ? undefined : (buckets[options.every] ?? 0);
    const ago = options.to === undefined && options.from === undefined ? 366 * DAY : DAY;
    const { linkedAttemptsOf, attemptsText } = await import('../../../../telemetry/questions/attempts.ts');
    const { profile, steps, everySeconds, attempts } = await ask(
      options,
      async (rows, window) => ({
        ...(options.processes === true
          ? { profile: await profileOf(rows, window, key), steps: [], everySeconds: 0 }
          : { profile: undefined, ...(await profileSteps(rows, window, key, every)) }),
        attempts: await linkedAttemptsOf(rows, window, key),
      }),
      ago,
    );
    const of = attempts.length === 0 ? [] : [`Job ${job}: ${attemptsText(attempts)}`];
    const more = { attempts: attempts.map(asPlainData) };
    if ((profile?.steps ?? steps).length === 0)
      throw new Failure(`no samples of job ${job}; torc sonar show jobs lists jobs`);
    if (profile !== undefined) {
      const imbalance = profile.nodeImbalancePercent;
      const lines = [...of, ...(imbalance >= 1 ? [`Imbalance of nodes: ${percentText(imbalance)}`] : [])];
      print(output, 'processes', profile.processes, processColumns, titleOf(lines), more);
    } else {
      const lines = [...of, ...(everySeconds > 0 && options.every === undefined ? [chosenText(everySeconds)] : [])];
      const things = everySeconds > 0 ? 'steps' : 'samples';
      print(output, things, steps, stepColumns, titleOf(lines), { ...more, every_seconds: everySeconds });
    }
  },
});

const chosenText = (seconds: number): string =>
  `Steps of ${Object.entries(buckets).find(([, each]) => each === seconds)?.[0] ?? `${seconds}s`}; --every sets another length`;

const titleOf = (lines: readonly string[]): string | undefined => (lines.length === 0 ? undefined : lines.join('\n'));

function readEpoch(text: string): Uint {
  if (!/^\d{1,20}$/.test(text) || BigInt(text) > GREATEST_UINT)
    throw new UsageError(`--epoch: expected an integer, found "${text}"`);
  return exactUint(BigInt(text));
}
