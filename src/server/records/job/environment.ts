import { Refusal } from '../../../core/contract/refusals.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Refuses invalid variable names, and values that cannot be passed to a process. */
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

/** The kernel would silently cut a command or a variable at a NUL. */
export function refuseNul(text: string | null | undefined, field: string): void {
  if (text?.includes('\0') !== true) return;
  throw new Refusal('BODY_REFUSED', `${field} contains a NUL character, which cannot be passed to a process`, {
    field,
  });
}
