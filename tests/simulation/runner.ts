import type { Completion, Retried } from '../../src/core/contract/exchange.ts';
import type { Workflow } from '../../src/core/contract/workflow.ts';
import { Unreachable } from '../../src/client/errors.ts';
import { createSlots } from '../../src/runner/claim/capacity.ts';
import type { CurrentRun } from '../../src/runner/ledger/current-run.ts';
import type { Ledger } from '../../src/runner/ledger/ledger.ts';
import type { Log } from '../../src/runner/facts/log.ts';
import { createReportOutbox } from '../../src/runner/ledger/outbox.ts';
import { createDirectSteps } from '../../src/runner/step/direct/direct.ts';
import { WAKING_EVENTS } from '../../src/runner/report/wake.ts';
import type { RunnerEnd } from '../../src/runner/main/run-end.ts';
import { createRunnerWork, type RunnerWork } from '../../src/runner/main/work.ts';
import type { Machine } from './machine.ts';
import type { Network } from './network.ts';
import type { SimulatedServer } from './server.ts';

/** A runner's ledger: it outlives the runner. What was gathered and not written does not. */
interface KeptLedger {
  readonly started: { job_id: number; attempt_id: number }[];
  readonly completed: Completion[];
  readonly retried: Retried[];
}

export interface SimulatedRunner {
  readonly name: string;
  readonly host: string;
  readonly nodeId: number | undefined;
  readonly state: 'starts' | 'works' | 'ends' | 'ended' | 'killed';
  readonly verdict: RunnerEnd | undefined;
  /** Absent when the runner has removed it. */
  readonly ledger: KeptLedger | undefined;
  readonly log: readonly string[];
  /** kill -9: nothing of it happens any more; its jobs go on. */
  kill(): void;
  /** Ctrl-C. */
  stop(): void;
}

export interface RunnerOptions {
  readonly name: string;
  readonly host: string;
  readonly slots: number;
  readonly mostEnds: number;
  readonly workflow: Workflow & { id: number; run_id: number };
  readonly server: SimulatedServer;
  readonly network: Network;
  readonly machine: Machine;
  readonly next: () => number;
  /** Runners of this host that are gone, whose node and ledger are there. */
  readonly lost: () => readonly SimulatedRunner[];
  /** A lost runner was reported, and the server knows. */
  readonly onRecovered: (name: string) => void;
  readonly onEnded: () => void;
}

const RETRY_MS = 100;

/** A runner as `run.ts` makes one, of the real parts that decide, on a simulated machine and network. */
export function startRunner(options: RunnerOptions): SimulatedRunner {
  const { name, host, slots, workflow, server, network, machine, next } = options;
  const { id: workflowId, run_id: runId } = workflow;
  const lines: string[] = [];
  let state: SimulatedRunner['state'] = 'starts';
  let verdict: RunnerEnd | undefined;
  let nodeId: number | undefined;
  let kept: KeptLedger | undefined;
  let work: RunnerWork | undefined;
  const isGone = () => state === 'killed' || state === 'ended';

  /** What happens to a runner only while it lives. */
  const alive =
    <Arguments extends unknown[]>(call: (...given: Arguments) => void) =>
    (...given: Arguments): void => {
      if (state !== 'killed') call(...given);
    };

  /** Sends again what got no answer, with the same key: as `patiently` does. */
  const patiently = <Answer>(
    deliver: () => Answer,
    then: (answer: Answer) => void,
    give?: () => void,
    refused?: () => void,
  ) => {
    const attempt = (left: number) =>
      network.send(deliver, {
        answered: alive(then),
        failed: alive((error: unknown) => {
          if (!(error instanceof Unreachable)) {
            if (refused === undefined) throw error;
            refused();
            return;
          }
          if (left > 0)
            setTimeout(
              alive(() => attempt(left - 1)),
              RETRY_MS,
            );
          else give?.();
        }),
      });
    attempt(give === undefined ? Infinity : 600);
  };

  const log: Log = {
    write: (level, words, fields = {}) => void lines.push(`${Date.now()} ${level} ${words} ${JSON.stringify(fields)}`),
    close: () => {},
  };

  const openLedger = (): Ledger => {
    const file: KeptLedger = { started: [], completed: [], retried: [] };
    kept = file;
    let gathered: (() => void)[] = [];
    const flush = () => {
      for (const write of gathered) write();
      gathered = [];
    };
    return {
      path: '',
      start(jobId, attemptId) {
        gathered.push(() => file.started.push({ job_id: jobId, attempt_id: attemptId }));
        flush();
      },
      end: (completion) => void gathered.push(() => file.completed.push(completion)),
      retry: (retried) => void gathered.push(() => file.retried.push(retried)),
      // Its workflows have no actions.
      action: flush,
      flush,
      close({ remove }) {
        flush();
        if (remove) kept = undefined;
      },
    };
  };

  /** What `recoverLostRunners` does. */
  const recover = (then: () => void) => {
    const [gone, ...others] = options.lost();
    if (gone === undefined) {
      then();
      return;
    }
    machine.killMarked(gone.name);
    const body = { run_id: runId, ...gone.ledger, reason: `runner ${gone.name} is gone` };
    patiently(
      () => server.reportLost(`${name} lost ${gone.name}`, gone.nodeId as number, body),
      () => {
        options.onRecovered(gone.name);
        if (others.length > 0) recover(then);
        else then();
      },
      undefined,
      // The workflow went on to another run: the runners of that run have its jobs.
      then,
    );
  };
  const register = () =>
    patiently(
      () =>
        server.register(`${name} registers`, {
          workflow_id: workflowId,
          hostname: host,
          pid: 1,
          start_time: new Date(Date.now()).toISOString(),
          is_active: true,
          num_cpus: slots,
          memory_gb: 1,
          num_gpus: 0,
          num_nodes: 1,
          compute_node_type: 'local',
        }),
      (node) => begin(node.id),
    );

  const begin = (id: number) => {
    nodeId = id;
    state = 'works';
    const ledger = openLedger();
    const run: CurrentRun = {
      workflowId,
      runId,
      apiUrl: '',
      outputDir: '/simulated',
      submissionDirectory: undefined,
      execution: { sigterm_lead_seconds: 1 },
      variables: [],
      ledger,
      outbox: createReportOutbox(options.mostEnds),
      log,
    };
    const parts = createRunnerWork({
      options: {
        offline: { isEnabled: true, pingIntervalSeconds: 5 },
        pollIntervalSeconds: 2,
        claimBackoffMaxSeconds: 4,
        computeNodeType: 'local',
        persistent: false,
        maxParallelJobs: slots,
        labels: [],
      },
      workflow,
      nodeId: id,
      run,
      capacity: createSlots(slots, []),
      ask: (body, answered, failed) => {
        const request = JSON.stringify(body);
        network.send(() => server.exchange(JSON.parse(request)), { answered: alive(answered), failed: alive(failed) });
      },
      steps: createDirectSteps({
        facts: run,
        environment: {},
        log,
        launcherOf: ({ environment, onEnd }) => machine.launcherOf(name, { environment, onEnd: alive(onEnd) }),
      }),
      actions: { isBusy: false, consider() {}, keepsIdle: async () => false },
      drainOf: (jobs, mayGoOn) => ({
        begin: () => jobs.stopStarting(),
        ended() {},
        end() {
          if (mayGoOn()) jobs.resumeStarting();
        },
        reported() {},
        keep() {},
        forget() {},
      }),
      limitScripts() {},
      onPoll: () => {
        if (parts.held() === 0 && options.lost().length > 0) recover(() => parts.on.workMayBeReady());
      },
    });
    work = parts;
    parts.open();
    void parts.finished.then(alive((reached) => tearDown(parts, ledger, reached)));
  };

  const tearDown = (parts: RunnerWork, ledger: Ledger, reached: RunnerEnd) => {
    verdict = reached;
    state = 'ends';
    parts.idlePolicy.close();
    parts.jobs.stopStarting();
    const leave = (isKept: boolean) => {
      ledger.close({ remove: !isKept });
      parts.stop.close();
      parts.conversation.close();
      state = 'ended';
      options.onEnded();
    };
    const deregister = () =>
      patiently(
        () => server.deregister(nodeId as number),
        () => leave(false),
        () => leave(false),
      );
    void parts.conversation.finish().then(
      alive((isReported) => {
        if (isReported || reached.ending === 'superseded') deregister();
        else
          network.send(() => server.run(), {
            answered: alive((current: number) => (current === runId ? leave(true) : deregister())),
            failed: alive(() => leave(true)),
          });
      }),
    );
  };

  server.onChange((change) => {
    if (work === undefined || isGone() || !WAKING_EVENTS.includes(change.event_type as (typeof WAKING_EVENTS)[number]))
      return;
    const { on } = work;
    const report = change.event_type.startsWith('workflow_') ? on.workflowChanged : on.workMayBeReady;
    // Events are lost with the line, and may be late.
    if (next() >= network.faults)
      setTimeout(
        alive(() => report(change.id)),
        1 + next() * 5,
      );
  });

  recover(register);
  return {
    name,
    host,
    get nodeId() {
      return nodeId;
    },
    get state() {
      return state;
    },
    get verdict() {
      return verdict;
    },
    get ledger() {
      return kept;
    },
    log: lines,
    kill() {
      if (!isGone()) state = 'killed';
      work?.idlePolicy.close();
      work?.stop.close();
      work?.conversation.close();
    },
    stop() {
      if (state === 'works') work?.stop.ask('stop');
    },
  };
}
