import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Companion } from '../../../cluster/exec.ts';
import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import type { StepAccount, StepEnd, Steps } from '../steps.ts';
import { createCarriedSteps } from './carried.ts';
import type { CarrierLines } from './carrier.ts';
import { type LauncherOrder, messageLine } from './protocol.ts';

const need = { num_cpus: 1, memory_bytes: 0, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 };
const jobOf = (id: number): ClaimedJob => ({
  id,
  workflow_id: 7,
  name: `j${id}`,
  command: 'true',
  attempt_id: 1,
  need,
});
const facts = {
  workflowId: 7,
  runId: 1,
  apiUrl: '',
  outputDir: '/dev/null/none',
  submissionDirectory: undefined,
  execution: {},
  variables: [],
};
const log = { write() {}, close() {} };

/** Launchers of two nodes, and none on those that are bad: there each ends before it speaks, or hangs. */
function steps(bad: readonly string[], how: 'ends' | 'hangs') {
  const opened: string[] = [];
  const killed: string[] = [];
  const broken: string[] = [];
  const started: (readonly [string, number])[] = [];
  const open = (node: string, { onLine }: CarrierLines): Promise<Companion> => {
    opened.push(node);
    const isBad = bad.includes(node);
    if (isBad && how === 'ends') return Promise.reject(new Error('no route to host'));
    const { promise: ended, resolve } = Promise.withResolvers<{ code: null; signal: NodeJS.Signals }>();
    return Promise.resolve({
      pid: undefined,
      ended,
      write(text: string) {
        for (const line of text.split('\n').filter(Boolean)) {
          const order = JSON.parse(line) as LauncherOrder;
          if (isBad) continue;
          if (order.do === 'begin') onLine(messageLine({ is: 'ready', step: '', launcher: 'here' }));
          else if (order.do === 'look') onLine(messageLine({ is: 'uses', question: order.question, uses: [] }));
          else if (order.do === 'start') started.push([node, order.job.id]);
        }
      },
      endInput() {},
      signal(signal: NodeJS.Signals) {
        killed.push(node);
        resolve({ code: null, signal });
      },
      release() {},
    });
  };
  const carried = createCarriedSteps({
    name: 'test',
    facts,
    log,
    nodes: [{ name: 'n1' }, { name: 'n2' }],
    placeOn: (node) => ({
      node,
      starter: 'starts-it',
      open: (lines) => open(node, lines),
      begin: {
        do: 'begin',
        facts,
        sonar: false,
        beside: { defaultRequirementsId: undefined, bytes: 0, reachesAll: false },
      },
      isReadySoon: true,
      nothingLeft: async () => {},
      log,
    }),
    openOwn: () => {
      throw new Error('no job is started without a launcher');
    },
    onBroken: (node) => broken.push(node),
    statsOf: () => undefined,
    lostWith: (_, words) => words,
  } satisfies Parameters<typeof createCarriedSteps>[0]);
  const refused: StepAccount['refused'][] = [];
  carried.listen((ends: readonly StepEnd[]) => {
    for (const end of ends) refused.push((carried.account(end) as StepAccount).refused);
  });
  const start = (id: number, node: string): ReturnType<Steps['start']> =>
    carried.start(jobOf(id), { need, nodes: [node], gpus: [] });
  return { start, opened, killed, broken, started, refused, close: () => carried.close() };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

describe('a node on which no launcher starts', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('its jobs are given back and it is used no longer, while those of another node run', async () => {
    const { start, opened, broken, started, refused, close } = steps(['n2'], 'ends');
    start(1, 'n2');
    await settled();
    start(2, 'n1');
    start(3, 'n2');
    await settled();
    expect(opened.filter((node) => node === 'n2')).toHaveLength(3);
    expect(broken).toEqual(['n2']);
    expect(refused).toEqual(Array(2).fill('nothing can be started on n2'));
    expect(started).toEqual([['n1', 2]]);
    close();
  });

  it('where no node is left, a job cannot be started at all', async () => {
    const { start, broken, close } = steps(['n1', 'n2'], 'ends');
    start(1, 'n1');
    start(2, 'n2');
    await settled();
    expect(broken.toSorted()).toEqual(['n1', 'n2']);
    expect(() => start(3, 'n1')).toThrow('nothing can be started on n1');
    close();
  });

  it('a launcher that does not speak for a minute has failed, and what starts it is ended; one that speaks goes on', async () => {
    const { start, opened, killed, broken, started, refused, close } = steps(['n2'], 'hangs');
    start(1, 'n1');
    start(2, 'n2');
    await vi.advanceTimersByTimeAsync(59_000);
    expect([killed, refused]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(180_000);
    expect(killed).toEqual(['n2', 'n2', 'n2']);
    expect(broken).toEqual(['n2']);
    expect(refused).toEqual(['nothing can be started on n2']);
    expect([opened.filter((node) => node === 'n1'), started]).toEqual([['n1'], [['n1', 1]]]);
    close();
  });
});
