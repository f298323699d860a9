import { batchNames } from '../../core/allocation/batch-words.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { leftToCommands, notifyKind, shownReceivers } from './notify-kind.ts';
import { customProfiles, profileOverrides } from './profile-kind.ts';
import {
  booleanKind,
  choiceKind,
  httpUrlKind,
  integerKind,
  type Kind,
  level,
  limitsKind,
  mask,
  namesKind,
  notNegative,
  port,
  positiveKind,
  textKind,
} from './kinds.ts';

/** One key of the configuration: its type, its default, and its other sources. */
export interface Key<out T> {
  readonly kind: Kind<NonNullable<T>>;
  readonly says: string;
  readonly default: T;
  /** The variable that sets it directly, in addition to the one built from section and name. */
  readonly variable?: string;
  /** Other programs use that variable too, with other values: unknown values are ignored. */
  readonly isShared?: boolean;
  /**
   * It may come from the `torc.toml` of any folder of this user, as that of a cloned project, without being trusted. Never a key
   * with an address, a command, a path or access rights.
   */
  readonly isFolders?: boolean;
  /** An alternative name. */
  readonly alias?: string;
  /** The value as it is shown, where it has secrets. */
  shown?(value: NonNullable<T>): unknown;
  /** What its user should know of a valid value; said by `config validate`, and by a server when it starts. */
  note?(value: NonNullable<T>): string | undefined;
  /** Why a valid value should not be in a file; reported by `config validate`. */
  objection?(value: NonNullable<T>): string | undefined;
}

type More<T> = Omit<Partial<Key<T>>, 'kind' | 'says' | 'default'>;

/** A key that always has a value. */
const key = <T>(kind: Kind<T>, initial: NoInfer<T>, says: string, more: More<T> = {}): Key<T> =>
  ({ kind, says, default: initial, ...more }) as Key<T>;

/** A key without a default. */
const unset = <T>(kind: Kind<T>, says: string, more: More<T | undefined> = {}): Key<T | undefined> =>
  ({ kind, says, default: undefined, ...more }) as Key<T | undefined>;

/** Of a key that may come from any folder: see `isFolders`. */
const folders = { isFolders: true } as const;

const notZero = (value: number) => (value === 0 ? 'port 0 is a different port at each start' : undefined);

/** Every key of the configuration by its path. Help, the reference page and `config init` are generated from it. */
const schema = {
  'client.api_url': key(textKind, `http://localhost:8080${BASE_PATH}`, 'URL of the service', {
    variable: 'TORC_API_URL',
  }),
  'client.format': key(choiceKind('table', 'json', 'csv'), 'table', 'output format: table, json or csv', {
    ...folders,
    objection: (value) =>
      value === 'csv' ? 'csv is only supported by lists, so other commands would fail' : undefined,
  }),
  'client.log_level': unset(level, 'debug, info, warn or error (default info)', {
    ...folders,
    variable: 'RUST_LOG',
    isShared: true,
  }),

  'client.trust_owner': key(booleanKind, false, 'use databases and output folders that other users own or may write', {
    variable: 'TORC_TRUST_OWNER',
  }),

  'client.run.poll_interval': key(positiveKind, 5, 'polling interval in seconds when no event arrives', folders),
  'client.run.claim_backoff_max_secs': key(notNegative, 300, 'maximum polling interval while jobs run', folders),
  'client.run.output_dir': key(textKind, 'torc_output', 'folder for job output and logs'),
  'client.run.max_parallel_jobs': unset(
    integerKind(1),
    'run this many jobs at once and ignore their requirements',
    folders,
  ),
  'client.run.num_cpus': unset(integerKind(1), 'CPUs to offer (default: all of the machine)', folders),
  'client.run.memory_gb': unset(positiveKind, 'memory to offer in GiB (default: all of the machine)', folders),
  'client.run.num_gpus': unset(integerKind(0), 'GPUs to offer (default: all of the machine)', folders),
  'client.run.failed_exit': key(
    booleanKind,
    false,
    'run exits with 1 when jobs failed or did not finish, as with --fail (Torc exits with 0)',
    folders,
  ),
  'client.run.update': key(
    booleanKind,
    false,
    'run does not ask, as with --yes: it updates the workflow of the file, or creates it, and runs what is out of date',
    { variable: 'TORC_RUN_UPDATE' },
  ),

  'client.run.keep_temporary': key(
    booleanKind,
    false,
    'temporary files stay, as with --keep-temporary: runners delete none',
    { isFolders: true, variable: 'TORC_KEEP_TEMPORARY' },
  ),
  'client.run.umask': key(
    mask,
    '077',
    "umask of output folders, job output, logs and ledgers: 027 lets the group read (files created by jobs use the user's umask)",
    { variable: 'TORC_UMASK' },
  ),

  'client.offline.enabled': key(booleanKind, true, 'continue claimed jobs while the server is away', folders),
  'client.offline.drain_ping_interval_secs': key(
    positiveKind,
    120,
    'interval in seconds at which a drained runner checks whether the server is back',
    folders,
  ),

  'client.slurm.poll_interval': key(positiveKind, 30, 'polling interval in seconds inside an allocation', folders),
  'client.slurm.keep_submission_scripts': key(
    booleanKind,
    false,
    'keep the scripts that were given to sbatch',
    folders,
  ),
  'client.slurm.job_arrays': key(booleanKind, true, 'submit equal allocations as one job array', folders),
  'client.slurm.max_queued': unset(
    integerKind(1),
    'most allocations of a workflow that wait in the queue of Slurm',
    folders,
  ),
  'client.slurm.submit_rate': unset(positiveKind, 'most calls of sbatch in a minute', folders),
  'client.slurm.strict_scheduler_match': key(
    booleanKind,
    false,
    'claim only jobs of the scheduler that created the allocation',
    folders,
  ),

  'client.batch.system': unset(
    choiceKind(...batchNames),
    `the batch system where several are installed: ${batchNames.join(' or ')}`,
    { variable: 'TORC_BATCH_SYSTEM' },
  ),

  'client.watch.poll_interval': key(positiveKind, 30, 'accepted and not used, as in Torc 1.0.0', folders),
  'client.watch.max_retries': key(integerKind(0), 3, 'accepted and not used', folders),
  'client.watch.retry_cooldown': key(notNegative, 60, 'accepted and not used', folders),
  'client.watch.model': unset(textKind, 'accepted and not used'),
  'client.watch.rate_limit_per_minute': key(integerKind(0), 10, 'accepted and not used', folders),
  'client.watch.cache_path': unset(textKind, 'accepted and not used'),
  'client.watch.audit_log_path': unset(textKind, 'accepted and not used'),
  'client.watch.api_key': unset(textKind, 'accepted and not used'),

  'client.tls.ca_cert': unset(textKind, 'trusted certificates, a PEM file', { variable: 'TORC_TLS_CA_CERT' }),
  'client.tls.insecure': key(booleanKind, false, 'accept any certificate', { variable: 'TORC_TLS_INSECURE' }),

  'client.hpc.default_account': unset(textKind, 'account for the allocations', folders),
  'client.hpc.profile_overrides': unset(
    profileOverrides,
    'by profile: `default_account`, `resources`, `options`; in files only',
    folders,
  ),
  'client.hpc.custom_profiles': unset(
    customProfiles,
    'by name: `display_name`, `description`, `detect_env_var`, `detect_hostname`, `default_account`, `charge_factor_cpu`, `charge_factor_gpu`, `partitions`, `system`, `resources`, `options`; in files only',
    folders,
  ),

  'client.sonar.store': key(textKind, 'sonar.db', 'telemetry store: a file, or postgres://USER@HOST/DATABASE'),

  'server.host': key(textKind, 'localhost', 'address to listen on; 0.0.0.0 for all', { alias: 'url' }),
  'server.port': key(port, 8080, 'port; 0 selects any free one', { objection: notZero }),
  'server.threads': key(integerKind(1), 1, 'accepted for compatibility with scripts; one thread serves all requests'),
  'server.database': unset(textKind, 'database file, or :memory: (default torc.db)', { variable: 'DATABASE_URL' }),
  'server.log_level': unset(level, 'debug, info, warn or error (default info)', {
    variable: 'RUST_LOG',
    isShared: true,
  }),
  'server.https': key(booleanKind, false, 'use TLS'),
  'server.tls_cert': unset(textKind, 'certificate with its chain, a PEM file', { variable: 'TORC_TLS_CERT' }),
  'server.tls_key': unset(textKind, 'key of the certificate, a PEM file', { variable: 'TORC_TLS_KEY' }),
  'server.auth_file': unset(textKind, 'users who may log in: a file of torc-htpasswd', { variable: 'TORC_AUTH_FILE' }),
  'server.require_auth': key(booleanKind, false, 'refuse requests without a login'),
  'server.credential_cache_ttl_secs': key(integerKind(0), 60, 'seconds for which a checked login is cached', {
    variable: 'TORC_CREDENTIAL_CACHE_TTL_SECS',
  }),
  'server.enforce_access_control': key(
    booleanKind,
    false,
    'let only owners, their groups and administrators see a workflow',
  ),
  'server.admin_users': key(namesKind, [], 'members of the group of administrators', { variable: 'TORC_ADMIN_USERS' }),
  'server.allowed_hosts': key(
    namesKind,
    [],
    'names in `Host` that a server on a loopback address accepts, in addition to localhost, 127.0.0.1 and [::1]',
    { variable: 'TORC_ALLOWED_HOSTS' },
  ),
  'server.allowed_origins': key(
    namesKind,
    [],
    'origins whose web pages may use the server: https://portal.example.org',
    {
      variable: 'TORC_ALLOWED_ORIGINS',
    },
  ),
  'server.frame_origins': key(namesKind, [], 'origins whose web pages may show the page in a frame', {
    variable: 'TORC_FRAME_ORIGINS',
  }),
  'server.mcp': unset(
    choiceKind('all', 'read-only'),
    'serve agents at /mcp in the Model Context Protocol: all tools, or those that change nothing',
  ),
  'server.metrics': key(
    choiceKind('users', 'administrators', 'anyone', 'off'),
    'users',
    'readers of /metrics: users of the service, its administrators, anyone, or off',
  ),
  'server.otlp_endpoint': unset(httpUrlKind, 'URL of a receiver of spans: OTLP by HTTP and JSON', {
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    isShared: true,
  }),
  'server.completion_check_interval_secs': key(
    positiveKind,
    30,
    'accepted for compatibility with scripts; dependents are released at once',
    { variable: 'TORC_COMPLETION_CHECK_INTERVAL_SECS' },
  ),
  'server.sonar_store': unset(textKind, 'telemetry store that receives: a file, or postgres://USER@HOST/DATABASE'),
  'server.disable_admin_sql': key(booleanKind, false, 'disable SQL of administrators'),
  'server.disable_admin_sql_writes': key(booleanKind, false, 'let administrators only read with SQL'),
  'server.umask': key(mask, '077', 'umask of the database, its copies and logs: 027 lets the group read', {
    variable: 'TORC_UMASK',
  }),
  'server.trust_owner': key(booleanKind, false, 'use a database that another user owns or may write', {
    variable: 'TORC_TRUST_OWNER',
  }),
  'server.limits': unset(
    limitsKind,
    'what the jobs of all workflows may hold at a time: of `jobs`, `cores`, `gpus` and `nodes`, and of the `licenses` of jobs, by name',
  ),
  'server.limits_each_user': unset(limitsKind, 'the same for the jobs of each user'),
  'server.logging.log_dir': unset(textKind, 'folder for log files, instead of standard error', {
    variable: 'TORC_LOG_DIR',
  }),
  'server.logging.json_logs': key(booleanKind, false, 'log one JSON object a line'),

  notify: unset(notifyKind, 'who gets messages about workflows, by name', {
    shown: shownReceivers,
    note: leftToCommands,
  }),

  'dash.host': key(textKind, '127.0.0.1', 'address of the dashboard'),
  'dash.port': key(port, 8090, 'its port', { objection: notZero }),
  'dash.api_url': unset(textKind, 'URL of the service that it shows', { variable: 'TORC_API_URL' }),
  'dash.torc_bin': unset(textKind, 'accepted for compatibility: no command is started', { variable: 'TORC_BIN' }),
  'dash.torc_server_bin': unset(textKind, 'the program torc-server', { variable: 'TORC_SERVER_BIN' }),
  'dash.standalone': key(booleanKind, false, 'start a server for the dashboard'),
  'dash.server_port': key(port, 0, 'accepted for compatibility: any free port'),
  'dash.server_host': key(textKind, 'localhost', 'accepted for compatibility: this machine'),
  'dash.database': unset(textKind, 'database of that server', { variable: 'DATABASE_URL' }),
  'dash.socket': unset(textKind, 'Unix socket to listen on instead'),
  'dash.completion_check_interval_secs': key(notNegative, 5, 'accepted for compatibility with scripts'),
} as const;

/** `client.run.poll_interval` and similar paths. */
export type Path = keyof typeof schema;
export const paths = Object.keys(schema) as readonly Path[];

/** The effective configuration: a value for each key. */
export type Configuration = { readonly [P in Path]: (typeof schema)[P] extends Key<infer T> ? T : never };

/** The key at a path, of any type. */
export const keyAt = (path: Path): Key<unknown> => schema[path] as Key<unknown>;

/** The sections and names of a path. */
export const partsOf = (path: string): string[] => path.split('.');

export const builtIn = Object.fromEntries(paths.map((path) => [path, keyAt(path).default])) as Configuration;
