import type { HpcPartition, HpcProfile } from './profile.ts';

/** A profile as a part of the configuration file. */
export function profileToml(
  profile: HpcProfile,
  { system, hostname, date }: { readonly system: string; readonly hostname: string; readonly date: string },
): string {
  const section = `client.hpc.custom_profiles.${quoted(profile.name)}`;
  const domain = hostname.split('.').slice(1).join('.');
  const pattern = String.raw`.*\.` + domain.replaceAll('.', String.raw`\.`);
  return [
    `# Profile of the ${system} cluster ${profile.name}, discovered on ${date}.`,
    '# Append it to your configuration file: torc config paths shows where that is.',
    '',
    `[${section}]`,
    `display_name = ${quoted(profile.display_name)}`,
    ...(profile.system === undefined ? [] : [`system = ${quoted(profile.system)}`]),
    ...(domain === '' ? [] : [`detect_hostname = ${quoted(pattern)}`]),
    ...profile.partitions
      .filter(({ refusal }) => refusal === undefined)
      .flatMap((partition) => ['', `[[${section}.partitions]]`, ...linesOf(partition)]),
    '',
  ].join('\n');
}

const linesOf = (partition: HpcPartition): string[] => [
  `name = ${quoted(partition.name)}`,
  '# description = ""',
  `cpus_per_node = ${partition.cpus_per_node}`,
  `memory_mb = ${partition.memory_mb}`,
  `max_walltime_secs = ${partition.max_walltime_secs}`,
  ...((partition.gpus_per_node ?? 0) > 0
    ? [
        `gpus_per_node = ${partition.gpus_per_node}`,
        ...(partition.gpu_type === null ? [] : [`gpu_type = ${quoted(partition.gpu_type)}`]),
        partition.gpu_memory_gb === null ? '# gpu_memory_gb = 80' : `gpu_memory_gb = ${partition.gpu_memory_gb}`,
      ]
    : []),
  `shared = ${partition.shared}`,
  `requires_explicit_request = ${partition.requires_explicit_request}`,
];

/** A basic string of TOML has the escapes of JSON. */
const quoted = (text: string): string => JSON.stringify(text);
