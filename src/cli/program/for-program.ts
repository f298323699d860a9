import { CREDENTIAL_VARIABLE } from '../standalone/credential-variable.ts';
import { Failure } from '../command/failure.ts';
import type { Output } from '../output/output.ts';
import { readConfiguration, readEnvironment } from '../config/read.ts';
import type { Configuration } from '../config/schema.ts';

/** Variables by which a command, or its user, configures the server that it starts. */
const SERVER_VARIABLES = ['RUST_LOG', 'TORC_UMASK', 'TORC_TRUST_OWNER', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

/**
 * The configuration for a command of a program. Errors in the part that the program reads stop it, with each place;
 * errors elsewhere are reported.
 */
export async function configurationFor(
  program: string,
  environment: Readonly<Record<string, string | undefined>>,
  output: Output,
): Promise<Configuration> {
  // A server that was started for one command gets all of its settings, and must not require a login.
  if (program === 'torc-server' && environment[CREDENTIAL_VARIABLE] !== undefined)
    return readEnvironment(Object.fromEntries(SERVER_VARIABLES.map((name) => [name, environment[name]]))).configuration;
  const { configuration, problems, warnings, ignored } = await readConfiguration(environment, process.cwd());
  const own = program === 'torc-server' ? 'server' : 'client';
  for (const words of [...ignored, ...warnings]) output.warn(words);
  const isOwn = (section: string) => section === own || section === 'notify';
  for (const { section, text } of problems) if (section !== undefined && !isOwn(section)) output.warn(text);
  const grave = problems.filter(({ section }) => section === undefined || isOwn(section));
  if (grave.length === 0) return configuration;
  throw new Failure(
    `the configuration is invalid:\n${grave.map(({ text }) => `  ${text}`).join('\n')}\nCorrect it; \`torc config paths\` lists the files that are read, \`torc config validate\` checks them.`,
  );
}
