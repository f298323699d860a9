import { hostname } from 'node:os';
import { openBatch } from '../../cluster/open-batch.ts';
import { batchNames, batchWords } from '../../core/allocation/batch-words.ts';
import { canServe, choosePartition } from '../../hpc/choose-partition.ts';
import { type HpcPartition, type HpcProfile, mustBeNamed } from '../../hpc/profile.ts';
import { profileToml } from '../../hpc/profile-toml.ts';
import { parseMemoryMb } from '../../core/quantity/slurm-memory.ts';
import { formatWalltime, parseWalltime } from '../../core/quantity/slurm-time.ts';
import { detectedProfile, knownProfiles, liveName, namedProfile } from '../../operations/submit/profiles.ts';
import { type Command, command } from '../command/command.ts';
import type { Context } from '../command/context.ts';
import { Failure, UsageError } from '../command/failure.ts';
import { hpcSettings } from '../slurm/hpc-profile.ts';
import { integerOption, option } from '../command/option.ts';
import type { Column } from '../output/table.ts';

const list = command('hpc list', {
  says: 'List the known HPC systems: those of torc and those of the configuration.',
  offline: true,
  async run(context) {
    const profiles = knownProfiles(hpcSettings(context));
    const columns: readonly Column<HpcProfile>[] = [
      { title: 'Name', value: ({ name }) => name, importance: 9 },
      { title: 'Display Name', value: (profile) => profile.display_name },
      { title: 'Partitions', value: ({ partitions }) => partitions.length, align: 'right' },
      { title: 'Detected By', value: detectionText },
    ];
    const things = 'profiles';
    context.output.list({ items: profiles, columns, things, empty: 'No HPC profiles', json: profiles });
  },
});

const detectionText = ({ detection }: HpcProfile): string =>
  detection
    .map((rule) =>
      rule.type === 'env_var'
        ? `${rule.name}=${rule.value}`
        : rule.type === 'hostname_pattern'
          ? `host name ${rule.pattern}`
          : `file ${rule.path}`,
    )
    .join(' or ');

const detect = command('hpc detect', {
  says: 'Show the HPC system of this machine.',
  offline: true,
  async run(context) {
    const { output, environment } = context;
    output.recordOnly('HPC profile');
    const found = await detectedProfile(hpcSettings(context), environment);
    output.record(
      'HPC profile',
      found?.profile ?? null,
      found === undefined
        ? 'No known HPC system detected.'
        : `Detected HPC system: ${found.profile.display_name} (${found.isLive ? found.system.toLowerCase() : found.profile.name})`,
    );
  },
});

const show = command('hpc show <name>', {
  says: `Show one HPC profile; the name of its batch system, ${batchNames.join(' or ')}, asks the cluster of this machine.`,
  offline: true,
  async run(context, [given]) {
    const { output, environment } = context;
    output.recordOnly('HPC profile');
    const profile = await namedProfile(given, hpcSettings(context), environment);
    if (profile === undefined)
      throw new Failure(
        `Unknown HPC profile: ${given}; torc hpc list shows the known ones, and ${liveName(environment)} is the cluster here`,
      );
    const { metadata } = profile;
    output.record(
      'HPC profile',
      profile,
      [
        `${profile.display_name} (${profile.name})`,
        ...(profile.description === '' ? [] : [`  ${profile.description}`]),
        `  Detected by:     ${detectionText(profile) || '-'}`,
        `  Default account: ${profile.default_account ?? '-'}`,
        `  Charge factors:  CPU ${profile.charge_factor_cpu}, GPU ${profile.charge_factor_gpu}`,
        `  ${`${batchWords(profile.system).placeTitle}s:`.padEnd(16)} ${profile.partitions.map(({ name }) => name).join(', ')}`,
        ...Object.entries(metadata).map(([key, value]) => `  ${key}: ${value}`),
      ].join('\n'),
    );
  },
});

/** What its allocations wait in. */
const placesOf = ({ system }: HpcProfile): string => `${batchWords(system).place}s`;

const memoryText = ({ memory_mb: mb }: HpcPartition) => `${(mb / 1024).toFixed(1)} GB`;
const gpuText = ({ gpus_per_node: count, gpu_type: type }: HpcPartition, withType: boolean) =>
  count === null || count === 0 ? '-' : `${count}x${withType ? ` ${type ?? 'unknown'}` : ''}`;

const columnsOf = (
  items: readonly HpcPartition[],
  best: HpcPartition | undefined,
  withType: boolean,
): readonly Column<HpcPartition>[] => [
  { title: 'Name', value: (each) => (each === best ? `${each.name} (BEST)` : each.name), importance: 9 },
  { title: 'CPUs', value: (each) => each.cpus_per_node, align: 'right' },
  { title: 'Memory', value: memoryText, align: 'right' },
  { title: 'Max Walltime', value: (each) => formatWalltime(each.max_walltime_secs), align: 'right' },
  { title: 'GPUs', value: (each) => gpuText(each, withType) },
  { title: 'Shared', value: (each) => (each.shared ? 'yes' : 'no') },
  { title: 'Explicit', value: (each) => (each.requires_explicit_request ? 'yes' : 'no') },
  ...(items.some((each) => noteOf(each) !== '') ? [{ title: 'Note', value: noteOf, cut: 'end' as const }] : []),
];

const noteOf = ({ is_default: isDefault, refusal, max_queued_per_user: queued }: HpcPartition): string =>
  [
    ...(refusal === undefined ? [] : [refusal]),
    ...(queued === undefined ? [] : [`${queued} allocations of a user at a time`]),
    ...(isDefault === true && refusal !== undefined ? ['the default one'] : []),
  ].join('; ');

async function profileOf(context: Context, name: string | undefined): Promise<HpcProfile> {
  const settings = hpcSettings(context);
  const { environment } = context;
  const profile =
    name === undefined
      ? (await detectedProfile(settings, environment))?.profile
      : await namedProfile(name, settings, environment);
  if (profile === undefined)
    throw new Failure(
      `HPC profile not found or detected. torc hpc list shows the known ones; ${liveName(environment)} is the cluster here.`,
    );
  return profile;
}

const partitions = command('hpc partitions [name]', {
  says: 'List the partitions of an HPC system.',
  options: [option('--gpu', 'only with GPUs'), option('--shared', 'only those whose nodes jobs share')],
  offline: true,
  async run(context, [name], options) {
    const profile = await profileOf(context, name);
    const items = profile.partitions.filter(
      (each) => (options.gpu !== true || (each.gpus_per_node ?? 0) > 0) && (options.shared !== true || each.shared),
    );
    context.output.list({
      items,
      columns: columnsOf(items, undefined, true),
      things: placesOf(profile),
      title: `${batchWords(profile.system).placeTitle}s of ${profile.display_name}:`,
      empty: `No such ${placesOf(profile)} on ${profile.display_name}`,
      json: items,
    });
  },
});

/** Throws the error of wrong words with the name of the option. */
const readNumber =
  (convert: (text: string) => number) =>
  (text: string, name: string): number => {
    try {
      return convert(text);
    } catch (error) {
      throw new UsageError(`${name}: ${(error as Error).message}`);
    }
  };

const match = command('hpc match [name]', {
  says: 'Show which partitions serve a request, and the best of them.',
  example: '--cpus 36 --memory 100g --walltime 04:00:00',
  options: [
    option('--cpus <n>', 'CPUs per node', { required: true, read: integerOption(1) }),
    option('--memory <size>', 'memory per node, such as 100g; a number means MB', {
      required: true,
      read: readNumber(parseMemoryMb),
    }),
    option('--walltime <time>', 'walltime, such as 4:00:00', {
      required: true,
      read: readNumber(parseWalltime),
    }),
    option('--gpus <n>', 'GPUs per node', { read: integerOption(0) }),
  ],
  offline: true,
  async run(context, [name], options) {
    const { output } = context;
    const profile = await profileOf(context, name);
    const gpus = options.gpus ?? null;
    const requirements = {
      cpus: options.cpus,
      memory_mb: options.memory,
      walltime_secs: options.walltime,
      gpus,
    };
    const needs = {
      cpus: requirements.cpus,
      memoryMb: requirements.memory_mb,
      walltimeSeconds: requirements.walltime_secs,
      gpus: gpus ?? 0,
    };
    const items = profile.partitions.filter((each) => canServe(each, needs) && each.refusal === undefined);
    const best = choosePartition(items, needs);
    output.list({
      items,
      columns: columnsOf(items, best, false),
      things: placesOf(profile),
      title: `${batchWords(profile.system).placeTitle}s of ${profile.display_name} that serve the request:`,
      empty: `No ${batchWords(profile.system).place} of ${profile.display_name} serves the request`,
      json: { requirements, matching_partitions: items, best_partition: best ?? null },
    });
    if (best === undefined || output.format !== 'table') return;
    const { name: system, place, placeOption } = batchWords(profile.system);
    output.text(`\nRecommended: ${best.name} ${place}`);
    output.text(mustBeNamed(profile, best) ? `Use: ${placeOption}${best.name}` : `(Auto-routed by ${system})`);
  },
});

const generate = command('hpc generate', {
  says: 'Write a profile of the cluster of this machine, for the configuration file.',
  options: [
    option('-n, --name <name>', 'name of the profile (default: the name of the cluster)'),
    option('-d, --display-name <text>', 'name to display'),
    option('-o, --output <file>', 'file to write instead of standard output'),
    option('--skip-stdby', 'leave out partitions whose names end in -stdby'),
  ],
  offline: true,
  async run(context, _args, options) {
    const { output, environment } = context;
    output.recordOnly('HPC profile');
    const batch = openBatch(environment);
    const profile = await batch.profile({
      name: options.name,
      displayName: options.displayName,
      skipsStandby: options.skipStdby === true,
    });
    if (profile.partitions.length === 0)
      throw new Failure(`No partitions found. ${batch.name} lists none that this user may see.`);
    const text = profileToml(profile, {
      system: batch.name,
      hostname: hostname(),
      date: new Date().toISOString().slice(0, 10),
    });
    const file = options.output;
    if (file !== undefined) {
      const { writeTextFile } = await import('../../operations/whole-file.ts');
      await writeTextFile(file, text);
      output.notice(`Profile written to: ${file}`);
    } else output.record('HPC profile', profile, text.trimEnd());
  },
});

export const hpcCommands: readonly Command[] = [list, detect, show, partitions, match, generate];
