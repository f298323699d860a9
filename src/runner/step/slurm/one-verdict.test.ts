import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../core/contract/cause-code.ts';
import { type Mark, NO_MARK } from '../../../core/attempt/step-mark.ts';
import { causeOfRecord, type ExitCodes, judge, type Verdict } from '../../../core/attempt/judge.ts';
import { type LeftRow, provenEnd } from '../../../core/attempt/left-step.ts';
import { whyOf } from '../../../core/lifecycle/recover/recovery.ts';
import { lackOf, useOf } from '../../../core/lifecycle/resources/resource-use.ts';
import { stepAccountOf, type StepEvidence } from './step-account.ts';

/**
 * One end of a step, seen by a runner that watched it, by one that found it later, by the server and by a recovery: all combinations
 * of what may be known of it.
 */
const WORKFLOWS: readonly ExitCodes[] = [
  { memory: 137, time: 152 },
  { memory: 201, time: 200 },
];
/** A success, a failure, 126 and 127, the signals KILL, SEGV, TERM and XCPU, and the codes of the second workflow. */
const CODES = [0, 1, 3, 126, 127, 137, 139, 143, 152, 200, 201] as const;

const ASKED: readonly Mark['asked'][] = [
  undefined,
  { isHandled: true, isCertain: true },
  { isHandled: false, isCertain: true },
  { isHandled: true, isCertain: false },
  { isHandled: false, isCertain: false },
];
const MARKS: readonly (Mark | undefined)[] = [
  undefined,
  ...[undefined, ...CODES].flatMap((code) => ASKED.map((asked) => ({ ...NO_MARK, began: true, code, asked }))),
];

interface Row extends LeftRow, NonNullable<StepEvidence['row']> {}

const RUNNER_ENDED_AT_MS = 1_795_435_200_000;
const row = (state: string, ended: Partial<Row>): Row => ({
  state,
  exitCode: 0,
  signal: 0,
  endedAtMs: undefined,
  maxRssBytes: undefined,
  maxVmSizeBytes: undefined,
  maxDiskReadBytes: undefined,
  maxDiskWriteBytes: undefined,
  aveCpuSeconds: undefined,
  nodeList: 'n1',
  ...ended,
});
/** Long before its runner, with it, and at a time that is not known. */
const TIMES = [RUNNER_ENDED_AT_MS - 10_000, RUNNER_ENDED_AT_MS, undefined];
const ROWS: readonly (Row | undefined)[] = [
  undefined,
  ...TIMES.flatMap((endedAtMs) => [
    row('COMPLETED', { endedAtMs }),
    // The accounting keeps seven bits.
    ...CODES.filter((code) => code > 0 && code < 128).map((exitCode) => row('FAILED', { exitCode, endedAtMs })),
    row('FAILED', { signal: 9, endedAtMs }),
    row('CANCELLED', { canceledBy: '1000', endedAtMs }),
    ...['OUT_OF_MEMORY', 'TIMEOUT', 'CANCELLED', 'PREEMPTED', 'NODE_FAIL', 'BOOT_FAIL', 'DEADLINE', 'RUNNING', ''].map(
      (state) => row(state, { endedAtMs }),
    ),
  ]),
];
const SRUNS: readonly StepEvidence['srun'][] = [
  ...CODES.map((exitCode) => ({ exitCode, signal: undefined })),
  ...[9, 15].map((signal) => ({ exitCode: undefined, signal })),
];

interface Seen {
  readonly codes: ExitCodes;
  readonly mark: Mark | undefined;
  readonly row: Row | undefined;
  readonly live: Verdict;
  readonly left: Verdict | undefined;
}

/** Every end that a runner may see; one that never began has no verdict. */
function* allEnds(): Generator<Seen> {
  for (const codes of WORKFLOWS)
    for (const mark of MARKS)
      for (const found of ROWS) {
        const left = provenEnd({ mark, row: found, runnerEndedAtMs: RUNNER_ENDED_AT_MS }, codes);
        for (const srun of SRUNS) {
          // A row of a failure with a code says which one srun returned, if it watched the end.
          const isOther = found?.state === 'FAILED' && found.signal === 0 && srun.exitCode !== found.exitCode;
          if (isOther && mark?.code === undefined) continue;
          const end = stepAccountOf({ srun, mark: mark ?? NO_MARK, row: found, lastWords: '' });
          if (end.refused === undefined) yield { codes, mark, row: found, live: judge(end, codes), left };
        }
      }
}

/** The first ends for which something else is said than that, and how many they are. */
function exceptions(differs: (seen: Seen) => unknown): { readonly ends: number; readonly first: readonly unknown[] } {
  const found = [...allEnds()].flatMap((seen) => {
    const other = differs(seen);
    return other === undefined ? [] : [{ ...seen, other }];
  });
  return { ends: found.length, first: found.slice(0, 3) };
}
const NONE = { ends: 0, first: [] };

/**
 * A job that handled the signal at its time limit and ended with 0. A runner that watched it knows that this was its answer; of a step
 * that was left behind the State counts always (ADR 31).
 */
const isAnswerAtLimit = ({ mark, row: found }: Seen) =>
  found?.state === 'TIMEOUT' && mark?.code === 0 && mark.asked?.isHandled === true;

describe('the end of a step has one verdict', () => {
  it('what is proven of a step that was left behind is what its runner would have said', () => {
    const isSame = ({ left, live }: Seen) =>
      left === undefined ||
      (left.status === live.status && left.returnCode === live.returnCode && left.cause === live.cause);
    expect(exceptions((seen) => (isSame(seen) || isAnswerAtLimit(seen) ? undefined : seen.left))).toEqual(NONE);
    const answers = [...allEnds()].filter(isAnswerAtLimit);
    expect(new Set(answers.map(({ left, live }) => `${left?.cause} ${live.cause}`))).toEqual(new Set(['time asked']));
  });

  it('many of the ends are proven of a step that was left behind, and many are not', () => {
    const ends = [...allEnds()];
    const proven = ends.filter(({ left }) => left !== undefined).length / ends.length;
    expect(proven).toBeGreaterThan(0.1);
    expect(proven).toBeLessThan(0.9);
  });

  it('137 and 143 prove nothing of a step that was left behind, and a runner that watched the end judges them', () => {
    const isBySlurm = (state: string | undefined) => state === 'OUT_OF_MEMORY' || state === 'TIMEOUT';
    const bySignal = [...allEnds()].filter(
      ({ mark, row: found }) => (mark?.code === 137 || mark?.code === 143) && !isBySlurm(found?.state),
    );
    expect(new Set(bySignal.map(({ left }) => left))).toEqual(new Set([undefined]));
    expect(new Set(bySignal.map(({ live }) => live.cause))).toEqual(
      new Set<CauseCode>(['killed', 'signal', 'node', 'canceled', 'allocation']),
    );
  });

  it('what the server derives from status and return code alone is that cause, or nothing', () => {
    const differs = ({ live, codes }: Seen) => {
      const derived = causeOfRecord(live, codes);
      // A command that ends with the code of its workflow for time, while its allocation ends: without a cause that is its time.
      const isLikeTime = live.cause === 'allocation' && live.returnCode === codes.time;
      return derived === live.cause || isLikeTime ? undefined : derived;
    };
    expect(exceptions(differs)).toEqual(NONE);
    const derived = [...allEnds()].map(({ live, codes }) => causeOfRecord(live, codes));
    expect(new Set(derived)).toEqual(
      new Set<CauseCode | undefined>([undefined, 'exit', 'not_found', 'not_executable', 'crash', 'signal', 'time']),
    );
  });

  it('a recovery names that cause where nothing was measured', () => {
    const differs = ({ live, codes }: Seen) => {
      if (live.status === 'completed') return undefined;
      const why = whyWithoutFigures(live, codes);
      return why === live.cause ? undefined : why;
    };
    expect(exceptions(differs)).toEqual(NONE);
  });
});

function whyWithoutFigures({ status, returnCode, cause: causeCode }: Verdict, codes: ExitCodes) {
  const figures = { seconds: 60, peakMemoryBytes: undefined, peakCpuPercent: undefined };
  const use = useOf({ status, returnCode, causeCode, ...figures }, codes);
  return whyOf({
    status,
    lack: lackOf({ memoryBytes: 1e9, numCpus: 1, runtimeSeconds: 3_600 }, use),
    memoryShare: undefined,
    causeCode: use.causeCode,
    handlerLimit: undefined,
    canceledBehind: undefined,
  });
}
