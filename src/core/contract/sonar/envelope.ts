import { clusterAttributes, type ClusterAttributes } from './cluster.ts';
import { jobsAttributes, type JobsAttributes } from './jobs.ts';
import { sampleAttributes, type SampleAttributes } from './sample.ts';
import type { ErrorRecord, Metadata } from './shared.ts';
import { sysinfoAttributes, type SysinfoAttributes } from './sysinfo.ts';

/**
 * The four kinds of messages. A message is one JSON object, an envelope: `meta`, and either `data` with a tag and
 * attributes, or a list of `errors` where nothing could be said. Messages follow one another in a file or a stream
 * with white space or nothing between them.
 */
export type MessageType = 'sysinfo' | 'sample' | 'job' | 'cluster';

interface AttributesOf {
  readonly sysinfo: SysinfoAttributes;
  readonly sample: SampleAttributes;
  readonly job: JobsAttributes;
  readonly cluster: ClusterAttributes;
}

export interface DataEnvelope<Type extends MessageType = MessageType> {
  readonly meta: Metadata;
  readonly data: { readonly type: Type; readonly attributes: AttributesOf[Type] };
  readonly errors?: undefined;
}

interface ErrorsEnvelope {
  readonly meta: Metadata;
  readonly data?: undefined;
  readonly errors: readonly ErrorRecord[];
}

export type SysinfoEnvelope = DataEnvelope<'sysinfo'>;
export type SampleEnvelope = DataEnvelope<'sample'>;
export type JobsEnvelope = DataEnvelope<'job'>;
export type ClusterEnvelope = DataEnvelope<'cluster'>;
export type Envelope = SysinfoEnvelope | SampleEnvelope | JobsEnvelope | ClusterEnvelope | ErrorsEnvelope;

/** When and where an envelope was made, as it says itself. */
export const aboutOf = ({ data, errors = [] }: Envelope): Partial<Pick<ErrorRecord, 'time' | 'cluster' | 'node'>> =>
  data?.attributes ?? errors[0] ?? {};

export const attributeTables = {
  sysinfo: sysinfoAttributes,
  sample: sampleAttributes,
  job: jobsAttributes,
  cluster: clusterAttributes,
} as const;

/**
 * The tags that are read. The text says `jobs`, all producers in use write `job`, and releases before 0.13 wrote
 * `slurm_jobs`.
 */
export const typeOfTag: Readonly<Record<string, MessageType>> = {
  sysinfo: 'sysinfo',
  sample: 'sample',
  job: 'job',
  jobs: 'job',
  slurm_jobs: 'job',
  cluster: 'cluster',
};
