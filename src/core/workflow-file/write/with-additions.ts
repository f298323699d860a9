import { CAUSE_FIELDS } from '../../lifecycle/retry/cause-rules.ts';

type Fields = Record<string, unknown>;

/** Fields that Torc 1.0.0 refuses, by where they stand; '' is the workflow itself. */
const UNKNOWN_TO_TORC: Readonly<Record<string, readonly string[]>> = {
  '': ['limits'],
  jobs: ['timeout', 'licenses'],
  files: ['temporary', 'protected'],
  resource_requirements: ['licenses'],
  failure_handlers: CAUSE_FIELDS,
  execution_config: [
    'limit_cpus',
    'hide_gpus',
    'step_batching',
    'timeout',
    'timeout_by',
    'stale_outputs',
    'rerun',
    'pipefail',
  ],
};

/**
 * A file with the fields that Torc 1.0.0 does not know in `metadata.additions`, where it accepts them and this program reads them.
 * Schedulers for PBS stay where they are: Torc cannot start them anyway.
 */
export function withAdditionsOf(spec: Fields): Fields {
  const additions: Fields = {};
  const result: Fields = { ...spec };
  for (const [place, unknown] of Object.entries(UNKNOWN_TO_TORC)) {
    const value = place === '' ? result : spec[place];
    if (Array.isArray(value)) {
      const moved: Fields = {};
      result[place] = (value as readonly Fields[]).map((entry) =>
        split(entry, unknown, (found) => (moved[entry['name'] as string] = found)),
      );
      if (Object.keys(moved).length > 0) additions[place] = moved;
    } else if (value !== undefined) {
      const kept = split(value as Fields, unknown, (found) => {
        if (place === '') Object.assign(additions, found);
        else additions[place] = found;
      });
      if (place !== '') result[place] = kept;
      else for (const field of unknown) delete result[field];
    }
  }
  if (Object.keys(additions).length === 0) return spec;
  return { ...result, metadata: { ...(spec['metadata'] as Fields | undefined), additions } };
}

/** The entry without these fields; `take` gets those that it had. */
function split(entry: Fields, unknown: readonly string[], take: (found: Fields) => void): Fields {
  const found = Object.entries(entry).filter(([field]) => unknown.includes(field));
  if (found.length === 0) return entry;
  take(Object.fromEntries(found));
  return Object.fromEntries(Object.entries(entry).filter(([field]) => !unknown.includes(field)));
}
