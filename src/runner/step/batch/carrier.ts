import type { Companion, CompanionOptions } from '../../../cluster/exec.ts';
import { type StepId, stepIdOf } from '../../../core/contract/files/job.ts';
import type { Log } from '../../facts/log.ts';
import type { StepUse } from '../steps.ts';
import { type Heartbeat, LATEST_SILENT_MS, SILENT_SECONDS, startHeartbeat } from './heartbeat.ts';
import { messageLine, type LauncherOrder, type LauncherReport, reportIn } from './protocol.ts';

export interface CarrierOptions {
  readonly node: string;
  /** The program that starts the launcher on its node. */
  readonly starter: string;
  /** Starts it; what is written to it arrives at the launcher, and its lines are those of the launcher. */
  readonly open: (lines: CarrierLines) => Promise<Companion>;
  readonly begin: Extract<LauncherOrder, { do: 'begin' }>;
  /** One that is not ready after a minute has failed. Absent: what starts it may wait, as srun does for a controller that is away. */
  readonly isReadySoon?: boolean | undefined;
  readonly log: Log;
  readonly onReported: (reported: Extract<LauncherReport, { is: 'changed' }>) => void;
  /** The step has ended, or never began; with what it said last. */
  readonly onGone: (words: string) => void;
  /** Resolves when nothing of its jobs runs any more after it is gone, or after a while. Never rejects. */
  readonly nothingLeft: (step: string) => Promise<void>;
}

export type CarrierLines = Pick<CompanionOptions, 'onLine' | 'onErrorLine'>;

/** Our launcher on one node: in a long step of Slurm, or where PBS has started it. */
export interface Carrier {
  readonly node: string;
  /** The id of the step, empty where there are none; undefined until its launcher has spoken. Nothing was started before. */
  readonly step: string | undefined;
  readonly isGone: boolean;
  /** It is gone: resolves when nothing of its jobs runs any more, or after a while. Never rejects. */
  nothingLeft(): Promise<void>;
  /** Sent when the launcher is ready. False if it was not yet: the order waits, and `withdraw` takes it back. */
  order(order: LauncherOrder): void;
  /** Takes back the start of a step that waits for the launcher; false if it was sent. */
  withdraw(id: StepId): boolean;
  /** Its present use of steps. Never rejects; what is not known is absent. */
  look(ids: readonly StepId[]): Promise<readonly (readonly [StepId, StepUse])[]>;
  /** Ends the step; resolves when it has ended, or after a while. */
  end(): Promise<void>;
  /** Lets go of it at once: the launcher kills what is left. */
  close(): void;
}

/** Longer than a look takes on a busy node; a sample that comes later is of no use. */
const LOOK_MS = 5_000;
/** The launcher ends what jobs left behind, which takes 2 s, and Slurm ends the step. */
const END_MS = 10_000;
const LAST_LINES = 5;

export function startCarrier(options: CarrierOptions): Carrier {
  const { node, starter, begin, log, onReported, onGone } = options;
  let companion: Companion | undefined;
  let step: string | undefined;
  let isGone = false;
  let waiting: LauncherOrder[] = [];
  let lines: string[] = [];
  let question = 0;
  const questions = new Map<number, (uses: readonly (readonly [StepId, StepUse])[]) => void>();
  const lastWords: string[] = [];
  let heartbeat: Heartbeat | undefined;

  const flush = () => {
    const text = lines.join('');
    lines = [];
    if (text !== '') companion?.write(text);
  };
  /** Orders of one call travel together. */
  const send = (order: LauncherOrder) => {
    lines.push(messageLine(order));
    if (lines.length === 1) queueMicrotask(flush);
  };

  const hear = (line: string) => {
    // Its jobs were given up.
    if (isGone) return;
    const report = reportIn(line);
    if (report === undefined) return remember(line);
    heartbeat?.heard();
    if (report.is === 'changed') onReported(report);
    else if (report.is === 'log') log.write(report.level, report.words, { ...report.fields, node });
    else if (report.is === 'uses') {
      questions.get(report.question)?.(report.uses);
      questions.delete(report.question);
    } else {
      step = report.step;
      const { launcher, cpus } = report;
      log.write('info', 'A launcher starts the jobs of a node', {
        node,
        ...(step === '' ? {} : { step }),
        launcher,
        bound_to: cpus ?? 'no CPUs',
      });
      for (const order of waiting) send(order);
      waiting = [];
      heartbeat ??= beat();
    }
  };
  const beat = () =>
    startHeartbeat({
      ask() {
        if (step !== undefined) send({ do: 'look', question: 0, ids: [] });
      },
      onSilent() {
        companion?.signal('SIGKILL');
        over(
          step === undefined
            ? `its launcher was not ready after ${LATEST_SILENT_MS / 1000} s`
            : `its launcher has not answered for ${SILENT_SECONDS} s`,
        );
      },
    });
  const remember = (line: string) => {
    if (line.trim() === '') return;
    lastWords.push(line);
    if (lastWords.length > LAST_LINES) lastWords.shift();
    log.write('debug', 'A step said', { node, line });
  };

  const over = (words: string) => {
    if (isGone) return;
    isGone = true;
    heartbeat?.close();
    for (const answer of questions.values()) answer([]);
    questions.clear();
    onGone(words);
  };

  const run = async () => {
    if (options.isReadySoon === true) heartbeat = beat();
    try {
      companion = await options.open({ onLine: hear, onErrorLine: remember });
      if (isGone) companion.signal('SIGKILL');
      companion.write(messageLine(begin));
      const { code, signal } = await companion.ended;
      over(lastWords.at(-1) ?? `${starter} ended with ${signal ?? `exit code ${code}`}`);
    } catch (error) {
      over((error as Error).message);
    }
  };
  const ended = run();

  return {
    node,
    get step() {
      return step;
    },
    get isGone() {
      return isGone;
    },
    nothingLeft: () => options.nothingLeft(step ?? ''),
    order(order) {
      if (isGone) return;
      if (step === undefined) waiting.push(order);
      else send(order);
    },
    withdraw(id) {
      const before = waiting.length;
      waiting = waiting.filter((order) => !(order.do === 'start' && idOf(order, begin) === id));
      return waiting.length < before;
    },
    look(ids) {
      if (isGone || step === undefined || ids.length === 0) return Promise.resolve([]);
      question += 1;
      const asked = question;
      return new Promise((answer) => {
        questions.set(asked, answer);
        setTimeout(() => questions.delete(asked) && answer([]), LOOK_MS).unref();
        send({ do: 'look', question: asked, ids });
      });
    },
    async end() {
      if (isGone) return;
      send({ do: 'end' });
      const late = new Promise<void>((done) => void setTimeout(done, END_MS).unref());
      await Promise.race([ended, late]);
    },
    close() {
      isGone = true;
      heartbeat?.close();
      companion?.endInput();
      companion?.release();
    },
  };
}

const idOf = ({ job }: Extract<LauncherOrder, { do: 'start' }>, { facts }: CarrierOptions['begin']): StepId =>
  stepIdOf(facts, job);
