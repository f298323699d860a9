import { ServiceError, Unreachable } from '../../src/client/errors.ts';
import type { ExchangeReply, ExchangeRequest, LostRunner, LostRunnerReply } from '../../src/core/contract/exchange.ts';
import type { NewComputeNode, ComputeNode } from '../../src/core/contract/node.ts';
import { Refusal } from '../../src/core/contract/refusals.ts';
import { allocateHandlers } from '../../src/server/allocate/handlers.ts';
import { exchangeHandlers } from '../../src/server/exchange/handlers.ts';
import { errorBody } from '../../src/server/http/errors.ts';
import type { Change } from '../../src/server/store/changes.ts';
import type { Database } from '../../src/server/store/database.ts';
import { createStore, type Store } from '../../src/server/records/store.ts';

/** Where a server is killed: before a request, with its transaction open, or after the commit and before the answer. */
type Moment = 'before' | 'during' | 'after';

/** The real slices of the server over a real database, without HTTP: a request is a call. */
export interface SimulatedServer {
  exchange(body: ExchangeRequest): ExchangeReply;
  register(key: string, body: NewComputeNode): ComputeNode;
  deregister(nodeId: number): void;
  /** The current run of the workflow. */
  run(): number;
  isActive(nodeId: number): boolean;
  reportLost(key: string, nodeId: number, body: LostRunner): LostRunnerReply;
  /** Kills it at the next request, at this moment of it; `onDown` is called then, and the test starts it again. */
  killAt(moment: Moment, onDown: () => void): void;
  /** It is not killed after all. */
  spare(): void;
  start(): void;
  readonly isUp: boolean;
  onChange(listener: (change: Change) => void): void;
  readonly store: Store;
}

export function createServer(db: Database, workflowId: number): SimulatedServer {
  let store: Store;
  let handlers: ReturnType<typeof exchangeHandlers> & ReturnType<typeof allocateHandlers>;
  let isUp = false;
  let death: { readonly moment: Moment; readonly onDown: () => void } | undefined;
  const listeners: ((change: Change) => void)[] = [];

  const start = () => {
    store = createStore(db, { now: Date.now, onBroken: () => {} });
    handlers = { ...exchangeHandlers(store), ...allocateHandlers(store) };
    store.changes.subscribe(workflowId, (change) => {
      for (const listener of listeners) listener(change);
    });
    isUp = true;
  };

  const dieIf = (moment: Moment): void => {
    if (death?.moment !== moment) return;
    const { onDown } = death;
    death = undefined;
    isUp = false;
    onDown();
    throw new Unreachable('the server was killed');
  };

  /** A write as `turn.ts` carries it out when it is alone. */
  const write = <Answer>(work: () => Answer): Answer => {
    if (!isUp) throw new Unreachable('no server listens');
    dieIf('before');
    const here = store;
    db.run('begin immediate');
    let answer: Answer;
    try {
      answer = work();
      dieIf('during');
    } catch (error) {
      db.run('rollback');
      here.changes.forgetSince(0);
      throw error instanceof Refusal ? asService(error) : error;
    }
    here.changes.write();
    db.run('commit');
    dieIf('after');
    here.changes.publish();
    // What an answer carries is text: nothing that the server keeps is shared with a runner.
    return JSON.parse(JSON.stringify(answer ?? null)) as Answer;
  };

  start();
  return {
    start,
    exchange: (body) => write(() => handlers.exchange({ params: { id: workflowId }, query: {}, body } as never)),
    register: (key, body) =>
      write(
        () =>
          store.replies.once(key, 'register', () =>
            handlers.createComputeNode({ params: {}, query: {}, body } as never),
          ) as ComputeNode,
      ),
    deregister: (id) =>
      write(() => {
        handlers.updateComputeNode({ params: { id }, query: {}, body: { is_active: false } } as never);
      }),
    run() {
      if (!isUp) throw new Unreachable('no server listens');
      return store.find.run(workflowId).run_id;
    },
    isActive: (id) =>
      (db.raw('select is_active from compute_node where id = ?').get(id) as { is_active: number }).is_active === 1,
    reportLost: (key, nodeId, body) =>
      write(
        () =>
          store.replies.once(key, 'lost', () =>
            handlers.reportLostRunner({
              params: { id: workflowId, compute_node_id: nodeId },
              query: {},
              body,
            } as never),
          ) as LostRunnerReply,
      ),
    killAt(moment, onDown) {
      death = { moment, onDown };
    },
    spare() {
      death = undefined;
    },
    get isUp() {
      return isUp;
    },
    onChange: (listener) => void listeners.push(listener),
    get store() {
      return store;
    },
  };
}

function asService(refusal: Refusal): ServiceError {
  const { status, body } = errorBody(refusal);
  return new ServiceError('calling the simulated server', { status, text: JSON.stringify(body) });
}
