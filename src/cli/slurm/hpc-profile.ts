import type { HpcPartition, HpcProfile } from '../../hpc/profile.ts';
import {
  detectedProfile,
  type HpcSettings,
  liveName,
  liveWords,
  namedProfile,
} from '../../operations/submit/profiles.ts';
import type { Context } from '../command/context.ts';
import { Failure } from '../command/failure.ts';

type Entries = HpcSettings['customProfiles'];

export const hpcSettings = ({ configuration }: Pick<Context, 'configuration'>): HpcSettings => ({
  customProfiles: configuration['client.hpc.custom_profiles'] as Entries,
  overrides: configuration['client.hpc.profile_overrides'] as Entries,
  defaultAccount: configuration['client.hpc.default_account'],
});

/** The partitions of the site, if one is known. */
export const partitionsHere = async (
  context: Pick<Context, 'configuration' | 'environment'>,
): Promise<readonly HpcPartition[] | undefined> =>
  (await detectedProfile(hpcSettings(context), context.environment))?.profile.partitions;

/** The profile that an option names, or that of this machine. */
export async function profileFor(context: Context, name: string | undefined): Promise<HpcProfile> {
  const settings = hpcSettings(context);
  if (name !== undefined) {
    const profile = await namedProfile(name, settings, context.environment);
    if (profile !== undefined) return profile;
    throw new Failure(
      `Unknown HPC profile: ${name}; torc hpc list shows the known ones, and ${liveName(context.environment)} is the cluster here`,
    );
  }
  const found = await detectedProfile(settings, context.environment);
  if (found === undefined)
    throw new Failure(
      'No HPC profile specified and no system detected.\nName one with --profile; torc hpc list shows the known ones.',
    );
  if (found.isLive) context.output.notice(liveWords(found));
  return found.profile;
}
