import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { batchWords } from '../../core/allocation/batch-words.ts';
import { openBatch, openBatchIfClear } from '../../cluster/open-batch.ts';
import { detected, type DetectionRule, type HpcProfile, partition, registry } from '../../hpc/profile.ts';
import { builtInProfiles } from '../../hpc/sites.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Entry = Readonly<Record<string, unknown>>;

/** What the configuration says of sites: `client.hpc`. */
export interface HpcSettings {
  readonly customProfiles: Readonly<Record<string, Entry>> | undefined;
  readonly overrides: Readonly<Record<string, Entry>> | undefined;
  readonly defaultAccount: string | undefined;
}

/** The names that stand for the cluster of this machine: `slurm` on any, as in Torc 1.0.0, and that of its batch system. */
const LIVE = 'slurm';
export const liveName = (environment: Environment): string => openBatchIfClear(environment)?.name.toLowerCase() ?? LIVE;
const isLive = (name: string, environment: Environment): boolean => name === LIVE || name === liveName(environment);

export const knownProfiles = (settings: HpcSettings): HpcProfile[] =>
  registry(
    builtInProfiles,
    Object.entries(settings.customProfiles ?? {}).map(([name, entry]) => customProfile(name, entry)),
  ).map((profile) => overridden(profile, settings));

/** The profile with this name; `slurm` asks the cluster. Undefined if there is none. */
export async function namedProfile(
  name: string,
  settings: HpcSettings,
  environment: Environment,
): Promise<HpcProfile | undefined> {
  return isLive(name, environment)
    ? overridden(await openBatch(environment).profile(), settings)
    : knownProfiles(settings).find((profile) => profile.name === name);
}

/** `system` is the batch system that was asked, in words. */
type DetectedProfile =
  | { readonly profile: HpcProfile; readonly isLive: false }
  | { readonly profile: HpcProfile; readonly isLive: true; readonly system: string };

/** The profile of this machine: a known one that recognizes it, or else the cluster that the batch system describes here. */
export async function detectedProfile(
  settings: HpcSettings,
  environment: Environment,
): Promise<DetectedProfile | undefined> {
  const here = { environment, hostname: hostname(), fileExists: existsSync };
  const known = detected(knownProfiles(settings), here);
  if (known !== undefined) return { profile: known, isLive: false };
  const batch = openBatch(environment);
  const profile = await batch.profile().catch(() => undefined);
  return profile === undefined || profile.partitions.length === 0
    ? undefined
    : { profile: overridden(profile, settings), isLive: true, system: batch.name };
}

/** The notice that the cluster here was asked, as `detectedProfile` found it. */
export const liveWords = ({ profile, system }: { readonly profile: HpcProfile; readonly system: string }): string =>
  `Using the ${system} cluster that was detected here: ${profile.display_name}`;

/** A profile with what the configuration changes of it, beside the account. */
function overridden(profile: HpcProfile, { overrides }: HpcSettings): HpcProfile {
  const { resources, options } = (overrides?.[profile.name] ?? {}) as Pick<HpcProfile, 'resources' | 'options'>;
  return {
    ...profile,
    ...(resources === undefined ? {} : { resources }),
    ...(options === undefined ? {} : { options }),
  };
}

/**
 * The account for allocations on a site: that of the profile, if the configuration has one, or the general one. Empty where none is needed;
 * undefined where one is, and nothing names it.
 */
export const accountFor = (profile: HpcProfile, { overrides, defaultAccount }: HpcSettings): string | undefined =>
  (overrides?.[profile.name]?.['default_account'] as string | undefined) ??
  profile.default_account ??
  defaultAccount ??
  (batchWords(profile.system).wantsAccount ? undefined : '');

function customProfile(name: string, entry: Entry): HpcProfile {
  const rules: DetectionRule[] = [];
  const variable = entry['detect_env_var'] as string | undefined;
  const at = variable?.indexOf('=') ?? -1;
  if (variable !== undefined && at > 0)
    rules.push({ type: 'env_var', name: variable.slice(0, at), value: variable.slice(at + 1) });
  const pattern = entry['detect_hostname'] as string | undefined;
  if (pattern !== undefined) rules.push({ type: 'hostname_pattern', pattern });
  return {
    name,
    display_name: entry['display_name'] as string,
    description: (entry['description'] as string | undefined) ?? '',
    detection: rules,
    default_account: (entry['default_account'] as string | undefined) ?? null,
    partitions: ((entry['partitions'] as readonly Entry[] | undefined) ?? []).map((each) =>
      partition(each as unknown as Parameters<typeof partition>[0]),
    ),
    charge_factor_cpu: (entry['charge_factor_cpu'] as number | undefined) ?? 1,
    charge_factor_gpu: (entry['charge_factor_gpu'] as number | undefined) ?? 10,
    metadata: {},
    ...(['system', 'resources', 'options'] as const).reduce(
      (own, field) => (entry[field] === undefined ? own : { ...own, [field]: entry[field] }),
      {},
    ),
  };
}
