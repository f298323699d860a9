import { join } from 'node:path';
import type { Backend } from '../../agents/tool.ts';
import { command } from '../command/command.ts';
import type { Context } from '../command/context.ts';
import { packageRoot } from '../../operations/run/package-root.ts';
import { option } from '../command/option.ts';

export const mcpServer = command('serve', {
  isDefault: true,
  makesDatabase: true,
  says: 'Serve torc to agents: tools, pages and prompts in the Model Context Protocol, on standard input and output.',
  example: '--read-only',
  more: 'A client starts it; --print-config prints what to paste into the settings of clients. It starts no runner and no job.',
  options: [
    option('--api-url <url>', 'the same as --url, as Torc 1.0.0 has it'),
    option('-o, --output-dir <folder>', 'output folder of the runs (TORC_OUTPUT_DIR; default torc_output)'),
    option('--docs-dir <folder>', 'the pages of the documentation (TORC_DOCS_DIR; default those of the package)'),
    option('--examples-dir <folder>', 'the example workflow files (TORC_EXAMPLES_DIR; default those of the package)'),
    option('--read-only', 'offer only the tools that change nothing'),
    option('--print-config', 'print the JSON for the settings of clients, with the other options of this call'),
  ],
  async run(context, _, options) {
    const { configuration, environment, output } = context;
    if (options.printConfig === true) {
      const { argumentsToPaste, clientSettings } = await import('../../agents/client-settings.ts');
      const args = argumentsToPaste(process.argv.slice(2));
      output.json(clientSettings({ command: join(packageRoot(), 'bin/torc-mcp-server'), args }));
      return;
    }
    const { serveTools } = await import('../../agents/serve.ts');
    const { replyOf } = await import('../../agents/command-reply.ts');
    const backend: Backend = {
      client: async () => (await context.service()).client,
      command: async (...argv) => replyOf(argv, await context.torc([...connecting(context), ...argv])),
      hint: context.hint,
      outputDir: options.outputDir ?? environment['TORC_OUTPUT_DIR'] ?? configuration['client.run.output_dir'],
      user: context.settings.user,
      maxJobs: context.settings.maxJobs,
      environment,
      partitions: async () => (await import('../slurm/hpc-profile.ts')).partitionsHere(context),
      docsDir: options.docsDir ?? environment['TORC_DOCS_DIR'] ?? join(packageRoot(), 'docs'),
      examplesDir: options.examplesDir ?? environment['TORC_EXAMPLES_DIR'] ?? join(packageRoot(), 'examples'),
    };
    await serveTools(backend, { isReadOnly: options.readOnly === true, warn: output.warn });
  },
});

/** The options with which a command reaches the same server, and prints JSON. */
function connecting({ settings }: Context): string[] {
  return [
    '-f',
    'json',
    '--skip-version-check',
    ...(settings.standalone ? ['-s', '--db', settings.database] : ['--url', settings.url]),
    ...(settings.password === undefined ? [] : ['--password', settings.password]),
    ...(settings.cookie === undefined ? [] : ['--cookie-header', settings.cookie]),
    ...(settings.tlsCaCert === undefined ? [] : ['--tls-ca-cert', settings.tlsCaCert]),
    ...(settings.tlsInsecure ? ['--tls-insecure'] : []),
    ...(settings.trustsOwner ? ['--trust-owner'] : []),
  ];
}
