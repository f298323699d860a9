import type { NewResourceRequirements } from '../../../core/contract/resources.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import { parseMemory } from '../../../core/quantity/bytes.ts';
import { parseDuration } from '../../../core/quantity/duration.ts';
import { licensesFault } from '../../../core/job/amounts.ts';
import { storedAmounts } from '../amounts.ts';

/** Requirements as they are stored: the text as given, and the numbers that it means. */
export function storedRequirements(body: NewResourceRequirements) {
  const memory = body.memory ?? '1m';
  const runtime = body.runtime ?? 'PT1M';
  return {
    name: body.name,
    num_cpus: positive('num_cpus', body.num_cpus ?? 1),
    num_gpus: nonNegativeSize('num_gpus', body.num_gpus ?? 0),
    num_nodes: positive('num_nodes', body.num_nodes ?? 1),
    memory,
    runtime,
    memory_bytes: parsed('memory', memory, parseMemory),
    runtime_s: parsed('runtime', runtime, parseDuration),
    licenses: storedAmounts(valid(body)),
  };
}

function valid({ name, licenses }: NewResourceRequirements) {
  const fault = licensesFault(licenses);
  if (fault !== undefined)
    throw new Refusal('BODY_REFUSED', `${fault}, for resource requirements '${name}'`, { field: 'licenses' });
  return licenses;
}

function positive(field: string, found: number): number {
  if (found > 0) return found;
  throw new Refusal('BODY_REFUSED', `${field} must be > 0, got ${found}`, { field, found });
}

export function nonNegativeSize(field: string, found: number): number {
  if (found >= 0) return found;
  throw new Refusal('BODY_REFUSED', `${field} must be >= 0, got ${found}`, { field, found });
}

function parsed(field: 'memory' | 'runtime', found: string, parse: (text: string) => number): number {
  try {
    return parse(found);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    throw new Refusal(cause.code, `Invalid ${field} format '${found}': ${cause.message}`, { field, found }, { cause });
  }
}
