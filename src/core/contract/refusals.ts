/**
 * All refusals: each has a code, an HTTP status, and a remedy.
 *
 * A refusal is not a bug: its message states a fact and an expectation, and the remedy is the sentence that the user
 * reads next. No user error may have a status of 500 or above: clients of Torc 1.0.0 treat those as an outage of the
 * server and retry for twenty minutes.
 */
export const refusals = {
  // quantities
  MEMORY_MALFORMED: {
    status: 422,
    remedy: 'Write a whole number and one of k, m, g, t: "512m", "4g". Without a letter it means bytes.',
  },
  DURATION_MALFORMED: { status: 422, remedy: 'Write an ISO 8601 duration: "PT30M", "PT2H30M", "P1DT12H".' },
  WALLTIME_MALFORMED: { status: 422, remedy: 'Write D-HH:MM:SS, HH:MM:SS, MM:SS or whole minutes.' },

  // allocations
  SUBMISSION_REFUSED: {
    status: 422,
    remedy: 'Correct the value in slurm_schedulers, slurm_defaults or execution_config.',
  },

  // workflow files
  PARAMETER_MALFORMED: {
    status: 422,
    remedy: 'Write a range "1:10" or "0:1:0.1", a list "[a, b]", "@file" with one value a line, or one value.',
  },
  TABLE_MALFORMED: {
    status: 422,
    remedy: 'Give a .csv with a header row, a .json array of objects, or .jsonl with one object a line.',
  },
  EXPANSION_TOO_LARGE: { status: 422, remedy: 'Split the sweep over several workflows.' },
  PLAN_TOO_LARGE: { status: 422, remedy: 'Use create --dry-run, which prints the counts.' },

  // resources named in a request
  NOT_FOUND: { status: 404, remedy: 'List the existing records, and check the id.' },
  ROUTE_UNKNOWN: { status: 404, remedy: 'See docs/reference/routes.md, or /torc-service/v1/openapi.json.' },
  METHOD_REFUSED: { status: 405, remedy: 'Use one of the methods that the message names.' },
  BODY_MALFORMED: { status: 400, remedy: 'Send JSON.' },
  CONTENT_TYPE_REFUSED: { status: 415, remedy: 'Send JSON with the header Content-Type: application/json.' },
  BODY_REFUSED: { status: 422, remedy: 'Correct the fields that the message names.' },
  PARAMETER_REFUSED: { status: 400, remedy: 'Correct the parameter that the message names.' },
  BODY_TOO_SLOW: { status: 408, remedy: 'Send the body without long pauses, or fewer records in a request.' },
  BODIES_WAIT: { status: 503, remedy: 'Repeat the request, or send fewer records in a request.' },
  REPLIES_WAIT: { status: 503, remedy: 'Repeat the request after the time in Retry-After, or ask for fewer records.' },
  REPLY_UNREAD: { status: 408, remedy: 'Read the reply as it arrives, or ask for fewer records.' },
  BODY_TOO_LARGE: { status: 413, remedy: 'Send fewer records in a request.' },
  LOGIN_REFUSED: {
    status: 401,
    remedy: 'Log in with a name and a password of this server, or open a new address that torc page prints.',
  },
  START_KEY_MISSING: {
    status: 401,
    remedy: 'Open the whole address that torc-dash printed, with the key at its end; a socket (--socket) needs none.',
  },
  CREDENTIAL_MISSING: {
    status: 401,
    remedy: 'Send the credential of this server: inside a job, curl -u "$TORC_USERNAME:$TORC_PASSWORD".',
  },

  JOB_LOGIN_REFUSED: {
    status: 403,
    remedy:
      'A job reads its own workflow, writes user data, files and events of it, and spawns jobs. For anything else its script runs torc -s with the --db of the run, which has the rights of the user.',
  },

  // files of this machine, read or written by a use case
  FILE_UNREADABLE: { status: 422, remedy: 'Name a file or folder that exists and that this user may read.' },
  FILE_UNWRITABLE: { status: 422, remedy: 'Name a file in a folder that exists and in which this user may write.' },
  IMPORT_REFUSED: {
    status: 422,
    remedy: 'Give a file that torc workflows export has written; torc create makes a workflow of a workflow file.',
  },
  CONFIG_NOT_TRUSTED: {
    status: 409,
    remedy:
      'Read the file first: it says whom torc asks, what it starts and where it writes. To do without it, give the option or the variable of the key. A script sets TORC_TRUST_CONFIG=1.',
  },
  CONVERSION_REFUSED: {
    status: 422,
    remedy: 'Correct the file, or write its jobs as a workflow file: docs/how-to has a guide for each format.',
  },
  JOB_ELSEWHERE: { status: 422, remedy: 'Name jobs of one workflow at a time.' },
  ATTEMPT_UNKNOWN: {
    status: 404,
    remedy:
      'torc results list --all-runs lists the attempts of jobs; torc jobs explain says why a job has not started.',
  },
  OUTPUT_MISSING: {
    status: 404,
    remedy: 'Look on the host where the job ran, or name the output folder that its runner used.',
  },

  // telemetry in the format of Sonar
  CONFIGURATION_REFUSED: {
    status: 422,
    remedy: 'Correct the line that the message names; the how-to page "Sonar on a node" lists sections and names.',
  },
  DUCKDB_MISSING: {
    status: 422,
    remedy: 'Install DuckDB beside torc: npm install --global @duckdb/node-api@1.5.5-r.5',
  },
  KAFKA_MISSING: {
    status: 422,
    remedy: 'Install the libraries beside torc: npm install --global @platformatic/kafka@2.12.1 snappy@7.4.3',
  },
  POSTGRES_MISSING: {
    status: 422,
    remedy: 'Install the library beside torc: npm install --global pg@8.23.1',
  },

  TELEMETRY_DENIED: {
    status: 401,
    remedy:
      'Send the name of the cluster and its token as a login, or the token as Bearer. torc sonar clusters add NAME --new-token gives a cluster a token.',
  },
  AGENTS_BUSY: { status: 503, remedy: 'Send it again later.' },
  TELEMETRY_NOT_KEPT: {
    status: 404,
    remedy: 'Start the server with --sonar-store FILE, or ask the file of a store with torc sonar show.',
  },
  TELEMETRY_BUSY: { status: 503, remedy: 'Send it again later.' },
  TELEMETRY_UNAVAILABLE: { status: 503, remedy: 'Send it again later.' },
  CLUSTER_UNKNOWN: { status: 404, remedy: 'Correct the path; /api/v2/cluster lists the clusters.' },
  NODE_UNKNOWN: { status: 404, remedy: 'Correct the path, or ask for a node that has sent telemetry.' },
  JOB_UNKNOWN: { status: 404, remedy: 'Correct the path, or ask for a job that Slurm has reported.' },
  TOPOLOGY_UNKNOWN: {
    status: 404,
    remedy: 'Install lstopo on the node, or name a command with torc sonar sysinfo --topo-svg-cmd.',
  },
  PARAMETER_UNSERVED: { status: 404, remedy: 'Use the parameter that the message names.' },

  // order of operations
  ACTION_CLAIMED: { status: 409, remedy: 'Another runner executes it; continue without it.' },
  LINEAGE_CAPPED: {
    status: 422,
    remedy: 'Let the job stop when it converges, or raise dynamic_jobs.max_iterations.',
  },
  DEPENDENCIES_TOO_MANY: {
    status: 422,
    remedy:
      'Let one job wait for all that write, and let those that read wait for it: N + M dependencies instead of N × M.',
  },
  CIRCLE: { status: 422, remedy: 'Remove one of the dependencies of the circle.' },
  HOST_REFUSED: {
    status: 403,
    remedy:
      'Use http://localhost or http://127.0.0.1, or start the server with --allowed-host NAME (server.allowed_hosts, TORC_ALLOWED_HOSTS).',
  },
  ORIGIN_REFUSED: {
    status: 403,
    remedy:
      'For a page that you trust, start the server with --allowed-origin ORIGIN (server.allowed_origins, TORC_ALLOWED_ORIGINS).',
  },
  LOGIN_THROTTLED: {
    status: 429,
    remedy: 'Wait for as many seconds as Retry-After says, then send the right password.',
  },
  LOGIN_BUSY: { status: 503, remedy: 'Wait for as many seconds as Retry-After says, then try again.' },
  USER_UNKNOWN: {
    status: 422,
    remedy: 'Check the name; the administrator of the server adds users with torc-htpasswd.',
  },
  SHARE_REFUSED: { status: 422, remedy: 'Name another user, or a group of users.' },
  FORBIDDEN: { status: 403, remedy: 'Ask the administrator of the server.' },
  USERS_FILE_MISSING: { status: 409, remedy: 'Start the server with --auth-file, or use it without logins.' },
  USERS_FILE_REFUSED: {
    status: 409,
    remedy: 'Correct the file at the place that the message names, and reload again.',
  },
  SQL_REFUSED: { status: 422, remedy: 'Correct the statement.' },
  SQL_DISABLED: { status: 403, remedy: 'Ask the administrator of the server, or use the routes that read.' },
  SQL_TOO_SLOW: { status: 422, remedy: 'Select less: add a condition or a limit.' },
  TASK_ACTIVE: { status: 409, remedy: 'Wait until the active task ends, then repeat the request.' },
  IN_USE: { status: 422, remedy: 'First delete or change the records that use it.' },
  JOB_CANCELED: { status: 422, remedy: 'Drop this report: the job was canceled, and that is its result.' },
  STATUS_REFUSED: { status: 422, remedy: 'Check the status of the job and of its workflow.' },
  RUN_SUPERSEDED: {
    status: 422,
    remedy: 'The workflow was restarted. Drop this report; the new run executes the job again.',
  },
  TURN_SUPERSEDED: {
    status: 409,
    remedy: 'Drop this request: a later one of the same runner was executed. Number turns upwards, one at a time.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    remedy: 'Use a new Idempotency-Key for each request; send the same one only to repeat the same request.',
  },
  WORKFLOW_BUSY: {
    status: 422,
    remedy: 'Wait for the jobs to end or cancel the workflow; --force (force=true in a request) skips this check.',
  },
  RECOVERY_REFUSED: {
    status: 422,
    remedy: 'See torc status; torc workflows sync-status corrects the records of what has ended.',
  },
  HOOK_FAILED: { status: 422, remedy: 'Run the command by hand, correct it, and repeat the recovery.' },
  RECOVERY_ACTIVE: {
    status: 409,
    remedy: 'Let the other command end; the lease of one that was killed ends within a minute.',
  },
  INPUT_MISSING: {
    status: 422,
    remedy:
      'Create what the message names, or add a job that produces it; torc workflows init ID --force ignores missing files.',
  },
  WORKFLOW_ARCHIVED: { status: 422, remedy: 'Unarchive the workflow first.' },
  FIELD_IMMUTABLE: { status: 422, remedy: 'Create a new workflow for a different definition.' },
  DUPLICATE: { status: 422, remedy: 'Use another name.' },
  REFERENCE_UNKNOWN: { status: 422, remedy: 'First create the record that it refers to.' },

  EXECUTION_REFUSED: {
    status: 422,
    remedy: 'Remove the settings that the message names from execution_config, or use the mode that has them.',
  },
  EXECUTION_MODE_UNSUPPORTED: {
    status: 422,
    remedy: 'Run it in an allocation (torc submit), or set execution_config.mode to auto or direct.',
  },

  WORKFLOW_INCOMPLETE: {
    status: 409,
    remedy: 'Wait until its creation has finished; if it was interrupted, delete the workflow and create it again.',
  },

  // the server's own state
  CHANGES_LOST: {
    status: 409,
    remedy:
      'Put the write-ahead log or the database back from a copy, or delete the named file to go on without the changes.',
  },
  DATABASE_IN_USE: { status: 409, remedy: 'Use the server that has the file open, stop it, or name another file.' },
  DATABASE_LOCKED: {
    status: 503,
    remedy: 'Repeat the request; if the lock stays, end the program that holds it (fuser FILE names it).',
  },
  DATABASE_HAS_NAMES: {
    status: 409,
    remedy: 'Keep one name of the file, or copy it and use the copy: cp FILE COPY.',
  },
  NOT_TRUSTED: {
    status: 409,
    remedy:
      'Look at what is in it, and who put it there. Make it yours (chown, chmod go-w), name another place, or trust it as it is with --trust-owner.',
  },
  DATABASE_ON_NETWORK: {
    status: 409,
    remedy: 'Put the database on a local disk of this machine, for instance below /tmp, or use --in-memory.',
  },
  DATABASE_DAMAGED: {
    status: 503,
    remedy:
      'torc-server check says what is damaged. Move the file away with its -wal and -shm, and put the newest copy that passes the check in its place; without one, sqlite3 FILE .recover saves what can be read.',
  },
  DATABASE_FOREIGN: { status: 409, remedy: 'Name another file with --database; this one was not changed.' },
  DATABASE_FROM_FUTURE: { status: 409, remedy: 'Use the version of torc that wrote the file, or a newer one.' },
  EXPORT_REFUSED: {
    status: 409,
    remedy: 'Name other workflows, or another file; --overwrite replaces an existing file.',
  },
  SERVER_AWAY: {
    status: 502,
    remedy: 'Start the server again; the page goes on by itself when it answers.',
  },
  SHUTTING_DOWN: { status: 503, remedy: 'Repeat the request when the server is back.' },
} as const satisfies Record<string, { status: number; remedy: string }>;

export type RefusalCode = keyof typeof refusals;

/**
 * The service, or a use case, refuses a request.
 *
 * `message` states the fact and the expectation in one sentence; `facts` are the same as data. Status and remedy come
 * from the catalogue.
 */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(
    code: RefusalCode,
    message: string,
    facts: Readonly<Record<string, unknown>> = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'Refusal';
    this.code = code;
    this.facts = facts;
  }

  get status(): number {
    return refusals[this.code].status;
  }

  get remedy(): string {
    return refusals[this.code].remedy;
  }
}
