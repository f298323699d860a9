import { Refusal } from '../../core/contract/refusals.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Refuses names that no shell could use, and values that could not be handed to a process. */
export function refuseBadEnvironment(env: Record<string, string> | null | undefined, owner: 'job' | 'workflow'): void {
  for (const [name, value] of Object.entries(env ?? {})) {
    if (!NAME.test(name)) {
      throw new Refusal('BODY_REFUSED', `Invalid ${owner} env key '${name}'; expected [A-Za-z_][A-Za-z0-9_]*`, {
        field: 'env',
        found: name,
      });
    }
    refuseNul(value, `env value of ${name}`);
  }
}

/** A NUL would cut a command or a variable short where it is handed to the kernel, without a word. */
export function refuseNul(text: string | null | undefined, field: string): void {
  if (text?.includes('\0') !== true) return;
  throw new Refusal('BODY_REFUSED', `${field} contains a NUL character, which no process can be given`, { field });
}
