import { readFileSync } from 'node:fs';
import { isReference, type MessageReceiver } from '../../core/notify/receiver.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const FIELDS = ['address', 'secret', 'token', 'smtp', 'password'] as const;

/**
 * A receiver with what its references name: `env:NAME` is a variable, `file:PATH` the first line of a file. Read for each message,
 * so that a secret that was changed counts at once. Throws an Error that names the reference, and never what it has.
 */
export function withSecrets(receiver: MessageReceiver, environment: Environment): MessageReceiver {
  const read = FIELDS.flatMap((field) => {
    const given = receiver[field];
    return given === undefined || !isReference(given) ? [] : [[field, valueOf(given, environment)] as const];
  });
  return { ...receiver, ...Object.fromEntries(read) };
}

function valueOf(reference: string, environment: Environment): string {
  const name = reference.slice(reference.indexOf(':') + 1);
  if (reference.startsWith('env:')) {
    const value = environment[name] ?? '';
    if (value === '') throw new Error(`the variable ${name} is not set`);
    return value;
  }
  try {
    const [line = ''] = readFileSync(name, 'utf8').split('\n');
    if (line.trim() === '') throw new Error('its first line is empty');
    return line.trim();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new Error(`the file ${name} cannot be read: ${code ?? message}`, { cause });
  }
}
