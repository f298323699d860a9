import { limitOption } from '../../command/workflow-settings.ts';
import { fileMask, integerOption, numberOption, option, optionsOf, type ValuesOf } from '../../command/option.ts';

/** Options of `torc-server run`, which `service install` takes too. */
export const runOptions = optionsOf([
  option('-H, --host <host>', 'address to listen on; 0.0.0.0 for all', { setting: 'server.host' }),
  option('-u, --url <host>', 'the same as --host', { isHidden: true }),
  option('-p, --port <port>', 'port; 0 selects any free one', {
    setting: 'server.port',
    read: integerOption(0),
  }),
  option('-d, --database <path>', 'database file, or :memory: (DATABASE_URL; default torc.db)', {
    setting: 'server.database',
  }),
  option('-l, --log-level <level>', 'debug, info, warn or error (RUST_LOG; default info)', {
    setting: 'server.log_level',
  }),
  option('--log-dir <folder>', 'folder for log files, instead of standard error (TORC_LOG_DIR)', {
    setting: 'server.logging.log_dir',
  }),
  option('--json-logs', 'log one JSON object a line', { setting: 'server.logging.json_logs' }),
  option(
    '--umask <mask>',
    'umask of the database, its copies and logs; 027 lets the group read (TORC_UMASK; default 077)',
    { setting: 'server.umask', read: fileMask },
  ),
  option('--trust-owner', 'use a database that another user owns or may write (TORC_TRUST_OWNER)', {
    setting: 'server.trust_owner',
  }),
  option('--https', 'use TLS, with --tls-cert and --tls-key', { setting: 'server.https' }),
  option('--tls-cert <pem>', 'certificate with its chain, a PEM file (TORC_TLS_CERT)', { setting: 'server.tls_cert' }),
  option('--tls-key <pem>', 'key of the certificate, a PEM file (TORC_TLS_KEY)', { setting: 'server.tls_key' }),
  option('--auth-file <path>', 'users who may log in: a file of torc-htpasswd (TORC_AUTH_FILE)', {
    setting: 'server.auth_file',
  }),
  option('--require-auth', 'refuse requests without a login', { setting: 'server.require_auth' }),
  option('--enforce-access-control', 'let only owners, their groups and administrators see a workflow', {
    setting: 'server.enforce_access_control',
  }),
  option(
    '--credential-cache-ttl-secs <s>',
    'seconds for which a checked login is cached; 0 checks each (TORC_CREDENTIAL_CACHE_TTL_SECS)',
    { setting: 'server.credential_cache_ttl_secs', read: integerOption(0) },
  ),
  option('--admin-user <user>', 'a member of the group of administrators; may be repeated (TORC_ADMIN_USERS)', {
    setting: 'server.admin_users',
    many: true,
  }),
  option(
    '--allowed-host <name>',
    'a name in Host that a server on a loopback address accepts, in addition to localhost, 127.0.0.1 and [::1]; may be repeated (TORC_ALLOWED_HOSTS)',
    { setting: 'server.allowed_hosts', many: true },
  ),
  option(
    '--allowed-origin <origin>',
    'an origin whose web pages may use the server, such as https://portal.example.org; may be repeated (TORC_ALLOWED_ORIGINS)',
    { setting: 'server.allowed_origins', many: true },
  ),
  option(
    '--frame-origin <origin>',
    'an origin whose web pages may show the page in a frame, such as https://portal.example.org; may be repeated (TORC_FRAME_ORIGINS)',
    { setting: 'server.frame_origins', many: true },
  ),
  option(
    '--sonar-store <file>',
    'receive telemetry into this store (a file, or postgres://USER@HOST/DATABASE), and answer questions about it',
    { setting: 'server.sonar_store' },
  ),
  option(
    '--sonar-hot-days <n>',
    'close days of telemetry that are older: their samples move into compressed files (default 14)',
    { read: integerOption(1) },
  ),
  option(
    '--sonar-kept-days <n>',
    'delete telemetry that is older, but for the hours of closed days; 0 keeps everything (default 365)',
    { read: integerOption(0) },
  ),
  option(
    '--mcp <tools>',
    'serve agents at /mcp in the Model Context Protocol: all tools, or read-only for those that change nothing',
    { setting: 'server.mcp', choices: ['all', 'read-only'] },
  ),
  option('--metrics <readers>', 'readers of /metrics, the figures for Prometheus', {
    setting: 'server.metrics',
    choices: ['users', 'administrators', 'anyone', 'off'],
  }),
  option(
    '--otlp-endpoint <url>',
    'send spans of workflows, jobs and attempts to this receiver of OpenTelemetry (OTEL_EXPORTER_OTLP_ENDPOINT)',
    { setting: 'server.otlp_endpoint' },
  ),
  option(
    '--limit <name=n>',
    'what jobs of all workflows may hold at a time: of jobs, cores, gpus and nodes, and of the licenses of jobs; may be repeated, in place of the configuration',
    { setting: 'server.limits', read: limitOption, many: true },
  ),
  option('--limit-each-user <name=n>', 'the same for the jobs of each user; may be repeated', {
    setting: 'server.limits_each_user',
    read: limitOption,
    many: true,
  }),
  option('--no-page', 'serve no page for browsers'),
  option('--disable-admin-sql', 'disable SQL of administrators', { setting: 'server.disable_admin_sql' }),
  option('--disable-admin-sql-writes', 'let administrators only read with SQL', {
    setting: 'server.disable_admin_sql_writes',
  }),
  option('-t, --threads <n>', 'accepted for compatibility with scripts; one thread serves all requests', {
    setting: 'server.threads',
    read: integerOption(1),
  }),
  option(
    '-c, --completion-check-interval-secs <s>',
    'accepted for compatibility with scripts; dependents are released at once',
    { setting: 'server.completion_check_interval_secs', read: numberOption(0) },
  ),
]);

/** The values of these options. */
export type ServerValues = ValuesOf<typeof runOptions>;
