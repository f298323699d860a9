/**
 * All refusals: each has a code, an HTTP status, and a remedy.
 *
 * A refusal is not a bug: its message states a fact and an expectation, and the remedy is the sentence that the user
 * reads next. No user error may have a status of 500 or above: clients of Torc 1.0.0 treat those as an outage of the
 * server and retry for twenty minutes.
 */
const REMEDIES = {
  // the request is no request of the protocol
  400: {
    BODY_MALFORMED: 'Send JSON.',
    PARAMETER_REFUSED: 'Correct the parameter that the message names.',
  },
  // the caller is not logged in
  401: {
    LOGIN_REFUSED: 'Log in with a name and a password of this server, or open a new address that torc page prints.',
    START_KEY_MISSING:
      'Open the whole address that torc-dash printed, with the key at its end; a socket (--socket) needs none.',
    CREDENTIAL_MISSING: 'Send the credential of this server: inside a job, curl -u "$TORC_USERNAME:$TORC_PASSWORD".',
    TELEMETRY_DENIED:
      'Send the name of the cluster and its token as a login, or the token as Bearer. torc sonar clusters add NAME --new-token gives a cluster a token.',
  },
  // the caller has no permission
  403: {
    HOST_REFUSED:
      'Use http://localhost or http://127.0.0.1, or start the server with --allowed-host NAME (server.allowed_hosts, TORC_ALLOWED_HOSTS).',
    ORIGIN_REFUSED:
      'For a page that you trust, start the server with --allowed-origin ORIGIN (server.allowed_origins, TORC_ALLOWED_ORIGINS).',
    FORBIDDEN: 'Ask the administrator of the server.',
    JOB_LOGIN_REFUSED:
      'A job reads its own workflow, writes user data, files and events of it, and spawns jobs. For anything else its script runs torc -s with the --db of the run, which has the rights of the user.',
    SQL_DISABLED: 'Ask the administrator of the server, or use the routes that read.',
  },
  // there is no such thing
  404: {
    NOT_FOUND: 'List the existing records, and check the id.',
    ROUTE_UNKNOWN: 'See docs/reference/routes.md, or /torc-service/v1/openapi.json.',
    ATTEMPT_UNKNOWN:
      'torc results list --all-runs lists the attempts of jobs; torc jobs explain says why a job has not started.',
    OUTPUT_MISSING: 'Look on the host where the job ran, or name the output folder that its runner used.',
    TELEMETRY_NOT_KEPT: 'Start the server with --sonar-store FILE, or ask the file of a store with torc sonar show.',
    CLUSTER_UNKNOWN: 'Correct the path; /api/v2/cluster lists the clusters.',
    NODE_UNKNOWN: 'Correct the path, or ask for a node that has sent telemetry.',
    JOB_UNKNOWN: 'Correct the path, or ask for a job that Slurm has reported.',
    TOPOLOGY_UNKNOWN: 'Install lstopo on the node, or name a command with torc sonar sysinfo --topo-svg-cmd.',
    PARAMETER_UNSERVED: 'Use the parameter that the message names.',
  },
  405: {
    METHOD_REFUSED: 'Use one of the methods that the message names.',
  },
  // a side of the connection was too slow
  408: {
    BODY_TOO_SLOW: 'Send the body without long pauses, or fewer records in a request.',
    REPLY_UNREAD: 'Read the reply as it arrives, or ask for fewer records.',
  },
  // not now, or not in this state
  409: {
    CONFIG_NOT_TRUSTED:
      'Read the file first: it says whom torc asks, what it starts and where it writes. To do without it, give the option or the variable of the key. A script sets TORC_TRUST_CONFIG=1.',
    ACTION_CLAIMED: 'Another runner executes it; continue without it.',
    USERS_FILE_MISSING: 'Start the server with --auth-file, or use it without logins.',
    USERS_FILE_REFUSED: 'Correct the file at the place that the message names, and reload again.',
    TASK_ACTIVE: 'Wait until the active task ends, then repeat the request.',
    TURN_SUPERSEDED:
      'Drop this request: a later one of the same runner was executed. Number turns upwards, one at a time.',
    RECOVERY_ACTIVE: 'Let the other command end; the lease of one that was killed ends within a minute.',
    WORKFLOW_INCOMPLETE:
      'Wait until its creation has finished; if it was interrupted, delete the workflow and create it again.',
    CHANGES_LOST:
      'Put the write-ahead log or the database back from a copy, or delete the named file to go on without the changes.',
    DATABASE_IN_USE: 'Use the server that has the file open, stop it, or name another file.',
    DATABASE_HAS_NAMES: 'Keep one name of the file, or copy it and use the copy: cp FILE COPY.',
    NOT_TRUSTED:
      'Look at what is in it, and who put it there. Make it yours (chown, chmod go-w), name another place, or trust it as it is with --trust-owner.',
    DATABASE_ON_NETWORK:
      'Put the database on a local disk of this machine, for instance below /tmp, or use --in-memory.',
    DATABASE_FOREIGN: 'Name another file with --database; this one was not changed.',
    DATABASE_FROM_FUTURE: 'Use the version of torc that wrote the file, or a newer one.',
    BACKUP_REFUSED: 'Name another file.',
    ROLLBACK_REFUSED:
      'To return all the same, add --force, stop the server, and put each database back: torc-server restore FILE-before-N --database FILE. What has happened since is not in it.',
    DATABASE_NOT_COPIED:
      'Make room on the disk, and start the server again: it copies a database before it changes its tables.',
    BATCH_SYSTEM_UNCLEAR:
      'Write slurm or pbs under [client.batch] system in the configuration, or set TORC_BATCH_SYSTEM.',
    EXPORT_REFUSED: 'Name other workflows, or another file; --overwrite replaces an existing file.',
  },
  413: {
    BODY_TOO_LARGE: 'Send fewer records in a request.',
  },
  415: {
    CONTENT_TYPE_REFUSED: 'Send JSON with the header Content-Type: application/json.',
  },
  // what is asked for does not fit
  422: {
    MEMORY_MALFORMED: 'Write a whole number and one of k, m, g, t: "512m", "4g". Without a letter it means bytes.',
    DURATION_MALFORMED: 'Write an ISO 8601 duration: "PT30M", "PT2H30M", "P1DT12H".',
    WALLTIME_MALFORMED: 'Write D-HH:MM:SS, HH:MM:SS, MM:SS or whole minutes.',
    SUBMISSION_REFUSED: 'Correct the value in slurm_schedulers, pbs_schedulers, slurm_defaults or execution_config.',
    PARAMETER_MALFORMED:
      'Write a range "1:10" or "0:1:0.1", a list "[a, b]", "@file" with one value a line, or one value.',
    TABLE_MALFORMED: 'Give a .csv with a header row, a .json array of objects, or .jsonl with one object a line.',
    EXPANSION_TOO_LARGE: 'Split the sweep over several workflows.',
    PLAN_TOO_LARGE: 'Use create --dry-run, which prints the counts.',
    BODY_REFUSED: 'Correct the fields that the message names.',
    FILE_UNREADABLE: 'Name a file or folder that exists and that this user may read.',
    FILE_UNWRITABLE: 'Name a file in a folder that exists and in which this user may write.',
    FILE_DIFFERS:
      'torc run FILE --update --dry-run shows all differences. Without --dry-run it makes the workflow as the file is; then run what advises again.',
    FILE_UNEDITABLE: 'Make the change in the file by hand, as the message says it.',
    IMPORT_REFUSED:
      'Give a file that torc workflows export has written; torc create makes a workflow of a workflow file.',
    CONVERSION_REFUSED:
      'Correct the file, or write its jobs as a workflow file: docs/how-to has a guide for each format.',
    JOB_ELSEWHERE: 'Name jobs of one workflow at a time.',
    CONFIGURATION_REFUSED:
      'Correct what the message names; the how-to page "Sonar on a node" lists sections and names of the configuration.',
    DUCKDB_MISSING: 'torc add duckdb installs DuckDB.',
    KAFKA_MISSING: 'torc add kafka installs the libraries.',
    POSTGRES_MISSING: 'torc add postgres installs the library.',
    LINEAGE_CAPPED: 'Let the job stop when it converges, or raise dynamic_jobs.max_iterations.',
    DEPENDENCIES_TOO_MANY:
      'Let one job wait for all that write, and let those that read wait for it: N + M dependencies instead of N × M.',
    CIRCLE: 'Remove one of the dependencies of the circle.',
    USER_UNKNOWN: 'Check the name; the administrator of the server adds users with torc-htpasswd.',
    SHARE_REFUSED: 'Name another user, or a group of users.',
    SQL_REFUSED: 'Correct the statement.',
    SQL_TOO_SLOW: 'Select less: add a condition or a limit.',
    IN_USE: 'First delete or change the records that use it.',
    JOB_CANCELED: 'Drop this report: the job was canceled, and that is its result.',
    STATUS_REFUSED: 'Check the status of the job and of its workflow.',
    RUN_SUPERSEDED: 'The workflow was restarted. Drop this report; the new run executes the job again.',
    IDEMPOTENCY_KEY_REUSED:
      'Use a new Idempotency-Key for each request; send the same one only to repeat the same request.',
    WORKFLOW_BUSY:
      'Wait for the jobs to end or cancel the workflow; --force (force=true in a request) skips this check.',
    RECOVERY_REFUSED: 'See torc status; torc workflows sync-status corrects the records of what has ended.',
    HOOK_FAILED: 'Run the command by hand, correct it, and repeat the recovery.',
    INPUT_MISSING:
      'Create what the message names, or add a job that produces it; torc workflows init ID --force ignores missing files.',
    OUTPUTS_LOST:
      "Put the outputs back; or torc run ID --update --force '*' runs the jobs again that completed, and torc run FILE --new creates another workflow.",
    FILES_ELSEWHERE: 'Go to this folder, on a machine that has it, and repeat the command.',
    WORKFLOW_ARCHIVED: 'Unarchive the workflow first.',
    FIELD_IMMUTABLE: 'Create a new workflow for a different definition.',
    DUPLICATE: 'Use another name.',
    REFERENCE_UNKNOWN: 'First create the record that it refers to.',
    SIGNATURE_REFUSED:
      'Nothing was changed. Take the release from its publisher, or name the key that you trust with --key.',
    RELEASE_REFUSED: 'Nothing was changed. Copy the files of the release again, or name another place with --from.',
    UPDATE_ELSEWHERE: 'Update it as the message says.',
    EXECUTION_REFUSED:
      'Remove the settings that the message names from execution_config, or use the mode that has them.',
    EXECUTION_MODE_UNSUPPORTED:
      'Run it in an allocation (torc submit), or set execution_config.mode to auto or direct.',
  },
  429: {
    LOGIN_THROTTLED: 'Wait for as many seconds as Retry-After says, then send the right password.',
  },
  502: {
    SERVER_AWAY: 'Start the server again; the page goes on by itself when it answers.',
  },
  // the server cannot at the moment
  503: {
    BODIES_WAIT: 'Repeat the request, or send fewer records in a request.',
    REPLIES_WAIT: 'Repeat the request after the time in Retry-After, or ask for fewer records.',
    AGENTS_BUSY: 'Send it again later.',
    TELEMETRY_BUSY: 'Send it again later.',
    TELEMETRY_UNAVAILABLE: 'Send it again later.',
    LOGIN_BUSY: 'Wait for as many seconds as Retry-After says, then try again.',
    DATABASE_LOCKED: 'Repeat the request; if the lock stays, end the program that holds it (fuser FILE names it).',
    DATABASE_DAMAGED:
      'torc-server check says what is damaged. Move the file away with its -wal and -shm, and put the newest copy that passes the check in its place; without one, torc-server check --repair FILE saves what can be read.',
    SHUTTING_DOWN: 'Repeat the request when the server is back.',
  },
} as const satisfies Record<number, Record<string, string>>;

type Remedies = typeof REMEDIES;
export type RefusalCode = { [Status in keyof Remedies]: keyof Remedies[Status] }[keyof Remedies];

export const refusals = Object.fromEntries(
  Object.entries(REMEDIES).flatMap(([status, remedies]) =>
    Object.entries(remedies).map(([code, remedy]) => [code, { status: Number(status), remedy }]),
  ),
) as Readonly<Record<RefusalCode, { readonly status: number; readonly remedy: string }>>;

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
