// The walls between rooms that TypeScript's project references are too coarse for. Each is a sentence;
// tests/walls.test.ts plants an offence against each and expects the refusal.
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    forbid(
      'no-circles',
      'two files that need each other are one file, or three',
      { path: '^src/' },
      { circular: true },
    ),
    forbid(
      'everything-resolves',
      'an import that does not resolve would pass every other wall',
      { path: '^src/' },
      { couldNotResolve: true },
    ),
    forbid(
      'slices-stand-apart',
      'a module of the server knows the store and the records, and never its neighbour',
      { path: '^src/server/([^/]+)/', pathNot: '^src/server/(http|store|records|exchange)/|\\.test\\.ts$' },
      { path: '^src/server/[^/]+/', pathNot: '^src/server/($1|store|records)/' },
    ),
    forbid(
      'records-know-no-module',
      'records are created, read, listed, changed and deleted without the modules that claim, run and recover jobs',
      { path: '^src/server/records/', pathNot: '\\.test\\.ts$' },
      { path: '^src/server/[^/]+/', pathNot: '^src/server/(records|store)/' },
    ),
    forbid(
      'the-store-knows-no-record',
      'the store is the database: connection, transactions, slices, change log; jobs and workflows stand in records',
      { path: '^src/server/store/', pathNot: '\\.test\\.ts$' },
      { path: '^src/server/', pathNot: '^src/server/store/' },
    ),
    forbid(
      'sql-stands-in-queries',
      'only the store and queries.ts hold a database',
      {
        path: '^src/server/',
        pathNot: '^src/server/(store/|records/read-only\\.ts$|serve\\.ts$)|/queries\\.ts$|\\.test\\.ts$',
      },
      { path: '^src/server/store/database\\.ts$', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'telemetry-has-a-store-of-its-own',
      'telemetry reads and writes its own files: it knows neither workflows nor the database of the server',
      { path: '^src/telemetry/', pathNot: '\\.test\\.ts$' },
      { path: '^src/(server|runner|operations)/' },
    ),
    forbid(
      'sql-of-telemetry-stands-in-its-store',
      'only the store of telemetry holds its database',
      { path: '^src/telemetry/', pathNot: '^src/telemetry/store/sqlite/|\\.test\\.ts$' },
      { path: '^(node:)?sqlite$' },
    ),
    forbid(
      'one-room-knows-postgresql',
      'telemetry/store/postgres holds connections to PostgreSQL; others know a store by its interface',
      { path: '^src/', pathNot: '^src/telemetry/store/postgres/library\\.ts$|\\.test\\.ts$' },
      { path: '^pg$|node_modules/pg/' },
    ),
    forbid(
      'a-store-asks-no-question',
      'questions of telemetry are answered from rows of a store, which knows neither who asks nor how samples arrive',
      { path: '^src/telemetry/store/', pathNot: '\\.test\\.ts$' },
      { path: '^src/telemetry/(questions|receive|produce|send|serve)/' },
    ),
    forbid(
      'no-server-code-on-a-compute-node',
      'a runner and a use case know routes, never the server',
      { path: '^src/(runner|operations|client|cluster|telemetry|page|tui|agents|dash)/', pathNot: '\\.test\\.ts$' },
      { path: '^src/server/', reachable: true },
    ),
    forbid(
      'a-page-can-use-the-client',
      'sockets, TLS and files of Node.js stand in client/node; the rest of the client runs in a page too',
      { path: '^src/client/', pathNot: '^src/client/node/|\\.test\\.ts$' },
      { path: '^src/client/node/' },
    ),
    forbid(
      'the-page-stands-on-core-and-client',
      'the page runs in a browser: it shows what routes answer, and knows nothing of this machine',
      { path: '^src/page/', pathNot: '\\.test\\.ts$' },
      { path: '^src/(?!page/|core/|client/)|^src/client/node/|^(node:)' },
    ),
    forbid(
      'operations-know-no-command-line',
      'a use case takes a client and gives values; the command line, which reads words and prints, stands above it',
      { path: '^src/(operations|runner|client|cluster|telemetry|agents|tui|dash)/', pathNot: '\\.test\\.ts$' },
      { path: '^src/(cli|library)/' },
    ),
    forbid(
      'agents-are-served-by-one-program',
      'torc-mcp-server and the thread of a server with --mcp load the tools for agents, and the library of their protocol',
      {
        path: '^src/',
        pathNot: '^src/agents/|^src/cli/(commands/mcp-server|program/agents-worker)\\.ts$|\\.test\\.ts$',
      },
      { path: '^src/agents/|node_modules/@modelcontextprotocol/' },
    ),
    forbid(
      'one-command-loads-the-terminal-view',
      'torc tui alone loads what draws on a whole terminal',
      { path: '^src/', pathNot: '^src/tui/|^src/cli/commands/tui\\.ts$|\\.test\\.ts$' },
      { path: '^src/tui/' },
    ),
    forbid(
      'a-command-knows-no-other',
      'what two commands need stands in a folder of its own beside them, named after what it does',
      { path: '^src/cli/commands/([^/.]+)' },
      { path: '^src/cli/commands/', pathNot: '^src/cli/commands/$1(/|\\.)' },
    ),
    forbid(
      'only-the-program-knows-the-commands',
      'a table loads each command when it is meant; what commands share stands below them',
      { path: '^src/cli/', pathNot: '^src/cli/(commands|program)/|\\.test\\.ts$' },
      { path: '^src/cli/(commands|program)/' },
    ),
    forbid(
      'few-commands-load-the-server',
      'those that are a server or start one beside a database',
      {
        path: '^src/cli/',
        pathNot:
          '^src/cli/(standalone/|create-context\\.ts|program/completion/records\\.ts|commands/(server/|dash\\.ts))|\\.test\\.ts$',
      },
      { path: '^src/server/', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'few-commands-load-the-runner',
      'those that run jobs here, measure this machine, or look after a runner of another process',
      {
        path: '^src/cli/',
        pathNot:
          '^src/cli/(run/|program/main\\.ts|commands/(remote/|watch/|(slurm-runner|monitor-node|plot-resources)\\.ts))|\\.test\\.ts$',
      },
      { path: '^src/runner/', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'few-commands-load-telemetry',
      'torc sonar, and the profile of a job',
      { path: '^src/cli/', pathNot: '^src/cli/commands/(sonar/|jobs/profile\\.ts)|\\.test\\.ts$' },
      { path: '^src/telemetry/', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'nothing-below-operations-uses-them',
      'use cases stand on the client and the runner, and not the other way round',
      { path: '^src/(runner|client|cluster|telemetry|server|core|convert|hpc)/', pathNot: '\\.test\\.ts$' },
      { path: '^src/operations/' },
    ),
    forbid(
      'batch-systems-open-at-one-door',
      'what submits, asks about and ends allocations gets its batch system from cluster/open-batch.ts, whichever it is',
      { path: '^src/', pathNot: '^src/cluster/(open-batch\\.ts$|slurm/|pbs/)|\\.test\\.ts$' },
      { path: '^src/cluster/(slurm/(slurm|submission-script|sbatch)\\.ts$|pbs/)' },
    ),
    forbid(
      'processes-start-at-three-doors',
      'cluster/exec.ts starts helper programs, runner/launch jobs, and the server what reads for administrators',
      {
        path: '^src/',
        pathNot: '^src/(cluster/exec|runner/launch/[a-z-]+|server/admin/sql-apart)\\.ts$|\\.test\\.ts$',
      },
      { path: '^(node:)?child_process$' },
    ),
    forbid(
      'a-step-is-known-by-its-id',
      'only runner/step knows whether a step is a process of this machine',
      { path: '^src/runner/', pathNot: '^src/runner/(step|launch)/|\\.test\\.ts$' },
      {
        path: '^src/runner/launch/(choose|posix|child)\\.ts$|^src/cluster/host/(families|proc|process-tree|step-groups)\\.ts$',
      },
    ),
    forbid(
      'product-knows-no-test',
      'what we ship does not need what we test with',
      { path: '^src/', pathNot: '\\.test\\.ts$' },
      { path: '^tests/|\\.test\\.ts$' },
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.gen\\.ts$' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
