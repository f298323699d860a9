import { batchNames } from '../../core/allocation/batch-words.ts';
import {
  booleanKind,
  choiceKind,
  integerKind,
  listKind,
  listOfText,
  notNegative,
  tableKind,
  textKind,
} from './kinds.ts';

/** A partition as a site describes it; source: docs/reference/configuration.md. */
const partitions = listKind({
  name: { kind: textKind, isNeeded: true },
  cpus_per_node: { kind: integerKind(1), isNeeded: true },
  memory_mb: { kind: integerKind(1), isNeeded: true },
  max_walltime_secs: { kind: integerKind(1), isNeeded: true },
  description: { kind: textKind },
  gpus_per_node: { kind: integerKind(0) },
  gpu_type: { kind: textKind },
  gpu_memory_gb: { kind: integerKind(0) },
  shared: { kind: booleanKind },
  requires_explicit_request: { kind: booleanKind },
});

/** How allocations of a site ask for nodes, and what else they have to say. */
const requests = { resources: { kind: listOfText }, options: { kind: textKind } };

/** Profiles of sites, by name. */
export const customProfiles = tableKind({
  display_name: { kind: textKind, isNeeded: true },
  description: { kind: textKind },
  detect_env_var: { kind: textKind },
  detect_hostname: { kind: textKind },
  default_account: { kind: textKind },
  charge_factor_cpu: { kind: notNegative },
  charge_factor_gpu: { kind: notNegative },
  partitions: { kind: partitions },
  system: { kind: choiceKind(...batchNames) },
  ...requests,
});

/** What a user changes of profiles that torc knows, by their names. */
export const profileOverrides = tableKind({ default_account: { kind: textKind }, ...requests });
