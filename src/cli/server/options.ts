import { fileMask, integerOption, numberOption, optionsOf, type ValuesOf } from '../option.ts';

/** Options of `torc-server run`, which `service install` takes too. */
export const runOptions = optionsOf([
  { flags: '-H, --host <host>', says: 'address to listen on; 0.0.0.0 for all', setting: 'server.host' },
  { flags: '-u, --url <host>', says: 'the same as --host', isHidden: true },
  {
    flags: '-p, --port <port>',
    says: 'port; 0 selects any free one',
    setting: 'server.port',
    read: integerOption('--port', 0),
  },
  {
    flags: '-d, --database <path>',
    says: 'database file, or :memory: (DATABASE_URL; default torc.db)',
    setting: 'server.database',
  },
  {
    flags: '-l, --log-level <level>',
    says: 'debug, info, warn or error (RUST_LOG; default info)',
    setting: 'server.log_level',
  },
  {
    flags: '--log-dir <folder>',
    says: 'folder for log files, instead of standard error (TORC_LOG_DIR)',
    setting: 'server.logging.log_dir',
  },
  { flags: '--json-logs', says: 'log one JSON object a line', setting: 'server.logging.json_logs' },
  {
    flags: '--umask <mask>',
    says: 'umask of the database, its copies and logs; 027 lets the group read (TORC_UMASK; default 077)',
    setting: 'server.umask',
    read: fileMask,
  },
  {
    flags: '--trust-owner',
    says: 'use a database that another user owns or may write (TORC_TRUST_OWNER)',
    setting: 'server.trust_owner',
  },
  { flags: '--https', says: 'use TLS, with --tls-cert and --tls-key', setting: 'server.https' },
  {
    flags: '--tls-cert <pem>',
    says: 'certificate with its chain, a PEM file (TORC_TLS_CERT)',
    setting: 'server.tls_cert',
  },
  { flags: '--tls-key <pem>', says: 'key of the certificate, a PEM file (TORC_TLS_KEY)', setting: 'server.tls_key' },
  {
    flags: '--auth-file <path>',
    says: 'users who may log in: a file of torc-htpasswd (TORC_AUTH_FILE)',
    setting: 'server.auth_file',
  },
  { flags: '--require-auth', says: 'refuse requests without a login', setting: 'server.require_auth' },
  {
    flags: '--enforce-access-control',
    says: 'let only owners, their groups and administrators see a workflow',
    setting: 'server.enforce_access_control',
  },
  {
    flags: '--credential-cache-ttl-secs <s>',
    says: 'seconds for which a checked login is cached; 0 checks each (TORC_CREDENTIAL_CACHE_TTL_SECS)',
    setting: 'server.credential_cache_ttl_secs',
    read: integerOption('--credential-cache-ttl-secs', 0),
  },
  {
    flags: '--admin-user <user>',
    says: 'a member of the group of administrators; may be repeated (TORC_ADMIN_USERS)',
    setting: 'server.admin_users',
    many: true,
  },
  {
    flags: '--allowed-host <name>',
    says: 'a name in Host that a server on a loopback address accepts, in addition to localhost, 127.0.0.1 and [::1]; may be repeated (TORC_ALLOWED_HOSTS)',
    setting: 'server.allowed_hosts',
    many: true,
  },
  {
    flags: '--allowed-origin <origin>',
    says: 'an origin whose web pages may use the server, such as https://portal.example.org; may be repeated (TORC_ALLOWED_ORIGINS)',
    setting: 'server.allowed_origins',
    many: true,
  },
  {
    flags: '--frame-origin <origin>',
    says: 'an origin whose web pages may show the page in a frame, such as https://portal.example.org; may be repeated (TORC_FRAME_ORIGINS)',
    setting: 'server.frame_origins',
    many: true,
  },
  {
    flags: '--sonar-store <file>',
    says: 'receive telemetry into this store (a file, or postgres://USER@HOST/DATABASE), and answer questions about it',
    setting: 'server.sonar_store',
  },
  {
    flags: '--sonar-hot-days <n>',
    says: 'close days of telemetry that are older: their samples move into compressed files (default 14)',
    read: integerOption('--sonar-hot-days', 1),
  },
  {
    flags: '--sonar-kept-days <n>',
    says: 'delete telemetry that is older, but for the hours of closed days; 0 keeps everything (default 365)',
    read: integerOption('--sonar-kept-days', 0),
  },
  {
    flags: '--mcp <tools>',
    says: 'serve agents at /mcp in the Model Context Protocol: all tools, or read-only for those that change nothing',
    setting: 'server.mcp',
    choices: ['all', 'read-only'],
  },
  { flags: '--no-page', says: 'serve no page for browsers' },
  { flags: '--disable-admin-sql', says: 'disable SQL of administrators', setting: 'server.disable_admin_sql' },
  {
    flags: '--disable-admin-sql-writes',
    says: 'let administrators only read with SQL',
    setting: 'server.disable_admin_sql_writes',
  },
  {
    flags: '-t, --threads <n>',
    says: 'accepted for compatibility with scripts; one thread serves all requests',
    setting: 'server.threads',
    read: integerOption('--threads', 1),
  },
  {
    flags: '-c, --completion-check-interval-secs <s>',
    says: 'accepted for compatibility with scripts; dependents are released at once',
    setting: 'server.completion_check_interval_secs',
    read: numberOption('--completion-check-interval-secs', 0),
  },
]);

/** The values of these options. */
export type ServerValues = ValuesOf<typeof runOptions>;
