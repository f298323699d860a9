import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, createClient, queryOf } from '../client/client.ts';
import { followEvents, isLostForGood } from '../client/event-stream.ts';
import type { StreamEvent, StreamEventType } from '../core/contract/event.ts';
import { BASE_PATH } from '../core/contract/base-path.ts';
import { connect, type Connection } from '../client/node/connect.ts';
import type { RunSummary } from '../runner/facts/options.ts';
import type { CreateOptions } from './create.ts';

export interface TorcClientOptions {
  /** URL with the base path; by default `TORC_API_URL`, or a server on this machine. */
  readonly url?: string | undefined;
  /** Default: `TORC_USERNAME`. */
  readonly username?: string | undefined;
  /** Default: `TORC_PASSWORD`; without a password no login is sent. */
  readonly password?: string | undefined;
  /** Sent unchanged, for proxies that require a cookie. */
  readonly cookie?: string | undefined;
  /** Trusted certificates in addition to the system's, as PEM. */
  readonly certificates?: string | undefined;
  /** Accept any certificate. */
  readonly insecure?: boolean | undefined;
}

export interface EventsOptions {
  /** Minimum severity; the default is info. */
  readonly level?: 'debug' | 'info' | 'warning' | 'error' | undefined;
  /** Only these types, regardless of their severity. */
  readonly types?: readonly StreamEventType[] | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
}

/** An event of the stream; its type is one of the names on the page of events. */
export type WorkflowEvent = StreamEvent & { readonly event_type: StreamEventType };

export interface RunOptions {
  /** The folder for job output and logs; default `torc_output`. */
  readonly outputDir?: string | undefined;
  /** Runs this many jobs at once and ignores their requirements. */
  readonly maxParallelJobs?: number | undefined;
  /** What it offers to jobs; by default all of this machine. */
  readonly cpus?: number | undefined;
  readonly memoryGb?: number | undefined;
  readonly gpus?: number | undefined;
  /** Jobs of an earlier run that are made ready again first: none by default. */
  readonly again?: 'none' | 'interrupted' | 'failed' | undefined;
  /** In a workflow that has ended, jobs run again whose inputs or values have changed or whose outputs are missing; default false. */
  readonly update?: boolean | undefined;
  /** Asks the jobs to end; a runner that ended them resolves with the ending `stopped`. */
  readonly signal?: AbortSignal | undefined;
}

/** How a run on this machine ended, with the jobs that ended in it. */
export interface RunEnd {
  readonly ending: RunSummary['ending'];
  readonly completed: number;
  readonly failed: number;
  readonly terminated: number;
}

export interface OutputOptions {
  /** Default: `stdout`. */
  readonly stream?: 'stdout' | 'stderr' | undefined;
  /** By default the newest run and attempt. */
  readonly run?: number | undefined;
  readonly attempt?: number | undefined;
  /** Where the output folder is looked for beside the one that the runner registered; default `torc_output`. */
  readonly outputDir?: string | undefined;
}

export interface RecoverOptions {
  /** Factor by which memory and CPUs are raised for jobs that had too little; default 1.5. */
  readonly memoryMultiplier?: number | undefined;
  /** The same for runtime. */
  readonly runtimeMultiplier?: number | undefined;
  /** Also runs jobs again that failed for a reason which may come back. */
  readonly retryUnknown?: boolean | undefined;
  /** The output folder of the runners; default `torc_output`. */
  readonly outputDir?: string | undefined;
}

/** What a recovery did. */
export interface RecoverEnd {
  /** Jobs that are ready again. */
  readonly reset: number;
  /** Allocations that were submitted. */
  readonly submitted: number;
  /** Jobs that failed and were left as they are. */
  readonly left: number;
}

/** The routes with a single reply, as a type that a class can implement. */
type Calls = Omit<Client, 'streamEvents' | 'streamApiEvents'>;
const WithCalls = class {
  constructor(connection: Connection) {
    Object.assign(this, createClient(connection.send));
  }
} as new (connection: Connection) => Calls;

/**
 * A Torc server as an object: each route is a method, named as in the reference of routes, that takes `{ params, query,
 * body }` and returns the reply. A refusal is thrown as `ServiceError`, a missing reply as `Unreachable`.
 */
export class TorcClient extends WithCalls {
  readonly #connection: Connection;
  readonly #client: Client;
  readonly #options: TorcClientOptions & { readonly url: string };
  readonly #user: string;

  constructor(options: TorcClientOptions = {}) {
    const environment = process.env;
    const given = {
      ...options,
      url: (options.url ?? environment['TORC_API_URL'] ?? `http://localhost:8080${BASE_PATH}`).replace(/\/+$/, ''),
      username: options.username ?? environment['TORC_USERNAME'],
      password: options.password ?? environment['TORC_PASSWORD'],
    };
    const connection = connect(given);
    super(connection);
    this.#connection = connection;
    this.#client = createClient(connection.send);
    this.#options = given;
    this.#user = given.username ?? environment['USER'] ?? userInfo().username;
  }

  /**
   * Creates a workflow from the path of a file, or from an object with the keys of a workflow file, and returns its id.
   * One with errors is thrown as `InvalidWorkflow`, and nothing is created.
   */
  async create(workflow: string | object, options: CreateOptions = {}): Promise<number> {
    const { createFrom } = await import('./create.ts');
    return createFrom(this.#client, workflow, { strict: options.strict, user: options.user ?? this.#user });
  }

  /** Runs jobs of a workflow on this machine until no work is left; one that never ran is initialized first. */
  async run(workflowId: number, options: RunOptions = {}): Promise<RunEnd> {
    const { outputDir = 'torc_output', maxParallelJobs, cpus, memoryGb, gpus, again = 'none', signal } = options;
    const { update = false } = options;
    const { prepareRun } = await import('../operations/run/run.ts');
    const { runHere } = await import('../operations/run/run-here.ts');
    const outdated = { force: [], isWanted: update, decide: () => update };
    await prepareRun(this.#client, workflowId, { again, report: () => {}, outdated });
    signal?.throwIfAborted();
    const runner = await runHere(this.#connection, {
      workflowId,
      apiUrl: this.#options.url,
      outputDir,
      maxParallelJobs,
      numCpus: cpus,
      memoryGb,
      numGpus: gpus,
      variables: this.#login(),
      onNotice: () => {},
    });
    const stop = () => runner.stop({ now: false });
    signal?.addEventListener('abort', stop);
    if (signal?.aborted === true) stop();
    try {
      const { ending, tally } = await runner.done;
      return { ending, ...tally };
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /**
   * The events of a workflow until its last job has ended, or until it is canceled or deleted. A workflow that has ended
   * already has none. A program that starts to wait misses no later event, but earlier ones are not repeated.
   */
  async *wait(workflowId: number, { level, types, signal }: EventsOptions = {}): AsyncGenerator<WorkflowEvent> {
    const asked = types === undefined ? undefined : new Set(types);
    const abort = new AbortController();
    const ended = signal === undefined ? abort.signal : AbortSignal.any([signal, abort.signal]);
    const follow = { level, types: types && [...types, ...ENDS], signal: ended };
    // Asked when the stream is open: an end before that is seen here, and one after it in the stream.
    const onConnected = () =>
      void this.isComplete({ params: { id: workflowId } })
        .then(({ is_complete: isComplete }) => isComplete && abort.abort())
        .catch(() => {});
    for await (const event of this.#follow(workflowId, follow, onConnected)) {
      const { event_type: type } = event;
      if (asked === undefined || asked.has(type)) yield event;
      if (isEnd(type)) return;
    }
  }

  /** What a job printed, in its newest attempt. It is read from a file: on the host of the job, or on a shared file system. */
  async output(jobId: number, options: OutputOptions = {}): Promise<string> {
    const { stream = 'stdout', run, attempt, outputDir = 'torc_output' } = options;
    const { findOutput } = await import('../operations/output/job-output.ts');
    const { path } = await findOutput(this.#client, jobId, { wanted: { run, attempt }, stream, outputDir });
    return readFile(path, 'utf8');
  }

  /**
   * Recovers a workflow after failures: finds the cause of each, raises what was missing, makes jobs ready again that may
   * succeed now, and submits allocations where the workflow has Slurm schedulers. Others are run again by `run`.
   */
  async recover(workflowId: number, options: RecoverOptions = {}): Promise<RecoverEnd> {
    const {
      memoryMultiplier = 1.5,
      runtimeMultiplier = 1.5,
      retryUnknown = false,
      outputDir = 'torc_output',
    } = options;
    const { recoverWorkflow } = await import('../operations/recover/recover-workflow.ts');
    const { libraryTools } = await import('./recover-tools.ts');
    const { url, password, cookie, certificates, insecure = false } = this.#options;
    const service = { url, user: this.#user, password, cookie, certificates, insecure };
    const tools = libraryTools({ client: this.#client, service, environment: process.env, outputDir }, workflowId);
    const { reset, completed, regenerated, recovery } = await recoverWorkflow(tools, {
      workflowId,
      command: 'recover',
      options: {
        memoryMultiplier,
        runtimeMultiplier,
        retriesUnknown: retryUnknown,
        recoveryHook: undefined,
        agent: undefined,
      },
    });
    const submitted = completed.length + (regenerated?.submitted.length ?? 0);
    return { reset, submitted, left: recovery.plan.left.length };
  }

  /**
   * The events of a workflow, from now on and until the signal. A broken connection is opened again after the last
   * event, so no event is missed and none arrives twice.
   */
  async *events(workflowId: number, options: EventsOptions = {}): AsyncGenerator<WorkflowEvent> {
    yield* this.#follow(workflowId, options);
  }

  async *#follow(
    workflowId: number,
    { level, types, signal }: EventsOptions,
    onConnected?: () => void,
  ): AsyncGenerator<WorkflowEvent> {
    const abort = new AbortController();
    const ended = signal === undefined ? abort.signal : AbortSignal.any([signal, abort.signal]);
    const query = queryOf({ level, types: types?.join(',') });
    let wasConnected = false;
    try {
      for await (const { event } of followEvents<WorkflowEvent>({
        open: this.#connection.events(`/workflows/${workflowId}/events/stream${query}`),
        signal: ended,
        wait: (ms) => pause(ms, undefined, { signal: ended }).catch(() => {}),
        onConnected() {
          wasConnected = true;
          onConnected?.();
        },
        onLost(error) {
          if (isLostForGood(error, wasConnected)) throw error;
        },
      })) {
        yield event;
      }
    } finally {
      abort.abort();
    }
  }

  #login(): readonly (readonly [string, string])[] {
    const { password } = this.#options;
    return password === undefined
      ? []
      : [
          ['TORC_USERNAME', this.#user],
          ['TORC_PASSWORD', password],
        ];
  }

  /** Closes the connections. */
  close(): void {
    this.#connection.close();
  }

  /** The same at the end of a block: `await using torc = new TorcClient()`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}

/** Events after which no job of a workflow runs any more. */
const ENDS = [
  'workflow_completed',
  'workflow_canceled',
  'workflow_deleted',
] as const satisfies readonly StreamEventType[];
const isEnd = (type: StreamEventType): boolean => ENDS.some((each) => each === type);
