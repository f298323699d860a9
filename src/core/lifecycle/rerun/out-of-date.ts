import { isOneOf, KEEPS_ITS_END } from '../../job/statuses.ts';
import type { FileRemoval } from '../../contract/artifact.ts';
import type { JobStatus } from '../../job/job-statuses.ts';

/** A file of a workflow: as the server knows it, and as it is on the disk of one machine. */
export interface FileOnDisk {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  /** Its time when jobs last read or wrote it, in Unix seconds; null if it was not there. */
  readonly st_mtime: number | null;
  /** Its time on this machine; undefined if it does not exist. */
  readonly mtime: number | undefined;
  /** Bytes on this machine; undefined if it does not exist. */
  readonly size?: number | undefined;
  /** It is deleted when its readers have completed, so that it is missing says nothing. */
  readonly temporary?: boolean | null | undefined;
  /** What became of it, where it was to be removed. */
  readonly removal?: FileRemoval | null | undefined;
  /** SHA-256 of its content on this machine, where that decides. */
  readonly hash?: string | undefined;
  /** A folder on this machine: its time changes with each entry that comes or goes. */
  readonly isFolder?: boolean;
}

/** An input as the last attempt of a job found it. */
export interface ReadInput {
  readonly file_id: number;
  readonly st_mtime: number;
  readonly st_size: number;
  /** SHA-256 in hexadecimal, where contents are compared. */
  readonly hash?: string | undefined;
}

/** A job, as far as what runs depends on it. */
export interface JobWithFiles {
  readonly id: number;
  readonly name: string;
  readonly status: JobStatus;
  readonly command?: string;
  readonly cancel_on_blocking_job_failure?: boolean | null | undefined;
  readonly depends_on_job_ids: readonly number[] | null;
  readonly input_file_ids: readonly number[] | null;
  readonly output_file_ids: readonly number[] | null;
  readonly input_user_data_ids?: readonly number[] | null | undefined;
  readonly output_user_data_ids?: readonly number[] | null | undefined;
  /** Its present result; later results have larger ids. Torc's own server does not say it. */
  readonly result_id?: number | null | undefined;
}

/** What decides whether a workflow can be initialized. */
export interface ReadyFacts {
  readonly jobs: readonly JobWithFiles[];
  readonly files: readonly FileOnDisk[];
  /** Ids of user data without a value that jobs read and no job produces. */
  readonly missingUserData: readonly number[];
}

/** What is known of the jobs of a workflow and of what they read and write, here and on the server. */
export interface PlanFacts extends ReadyFacts {
  /** By the id of a job, its inputs as its last attempt found them. Of others only the times of their files are known. */
  readonly reads?: ReadonlyMap<number, readonly ReadInput[]> | undefined;
  /** Names of jobs that read user data which changed. */
  readonly changedUserData: readonly string[];
}

/** What prevents an initialization, and which files it would overwrite. */
export interface Readiness {
  /** Nothing prevents it. */
  readonly isSafe: boolean;
  /** Paths of files that must exist and do not. */
  readonly missingInputs: readonly string[];
  readonly missingUserData: readonly number[];
  readonly existingOutputs: readonly string[];
}

export function readinessOf({ jobs, files, missingUserData }: ReadyFacts): Readiness {
  const read = new Set(jobs.flatMap(({ input_file_ids: ids }) => ids ?? []));
  const written = new Set(jobs.flatMap(({ output_file_ids: ids }) => ids ?? []));
  const pathsOf = (isMeant: (file: FileOnDisk) => boolean) => files.filter(isMeant).map(({ path }) => path);
  const missingInputs = pathsOf(({ id, mtime }) => mtime === undefined && read.has(id) && !written.has(id));
  return {
    isSafe: missingInputs.length === 0 && missingUserData.length === 0,
    missingInputs,
    missingUserData,
    existingOutputs: pathsOf(({ id, mtime }) => mtime !== undefined && written.has(id)),
  };
}

/** How a file differs from what is stored about it. */
export type FileChange = 'newer' | 'older' | 'resized' | 'new' | 'missing' | 'deleted' | 'cleaned';

/** A smaller change of a file's time, in seconds, is ignored: file systems round. */
const SAME_TIME_SECONDS = 0.01;

/** How a file has changed since jobs last read or wrote it; undefined if it has not, or was missing before. */
export function changeOf({ st_mtime: known, mtime }: FileOnDisk): FileChange | undefined {
  if (mtime === undefined) return known === null ? undefined : 'missing';
  if (known === null) return 'new';
  if (Math.abs(known - mtime) <= SAME_TIME_SECONDS) return undefined;
  return mtime > known ? 'newer' : 'older';
}

/** Whether only the content can say if an input is the one that an attempt read: its size is, and its time is not. */
export const needsHash = ({ st_mtime: known, st_size: size, hash }: ReadInput, file: FileOnDisk): boolean =>
  hash !== undefined && file.size === size && changeOf({ ...file, st_mtime: known }) !== undefined;

/** How an input has changed since an attempt looked at it: another size is a change, too, and the same content is none. */
function changeSince(read: ReadInput, file: FileOnDisk): FileChange | undefined {
  const { st_mtime: known, st_size: size } = read;
  if (needsHash(read, file) && file.hash === read.hash) return undefined;
  const change = changeOf({ ...file, st_mtime: known });
  return change === undefined && file.size !== size ? 'resized' : change;
}

/** A missing file, as a reason. */
export function missingAs({ temporary, removal }: FileOnDisk): FileChange {
  if (removal === 'cleaned') return 'cleaned';
  return temporary === true ? 'deleted' : 'missing';
}

/** A job that has to run again because of one of its files. */
export interface FileCause {
  readonly kind: 'input' | 'output';
  readonly file: string;
  readonly change: FileChange;
}

/** For each job whose end its files contradict, by its id, the files: inputs that have changed, outputs that are not there. */
export function changedJobs({
  jobs,
  files,
  reads,
}: Pick<PlanFacts, 'jobs' | 'files' | 'reads'>): Map<number, FileCause[]> {
  const isOurs = foldersOfJobs(jobs, files);
  const changes = new Map(files.map((file) => [file.id, { file, change: changeOf(file) }]));
  const found = new Map<number, FileCause[]>();
  for (const { id, status, input_file_ids: inputs, output_file_ids: outputs } of jobs) {
    if (!isOneOf(KEEPS_ITS_END, status)) continue;
    const causes: FileCause[] = [];
    const own = reads?.get(id);
    const readBy = own && new Map(own.map((read) => [read.file_id, read]));
    for (const each of new Set(inputs)) {
      const { file, change: changeOfFile } = changes.get(each) ?? {};
      const read = readBy?.get(each);
      const change = file === undefined || read === undefined ? changeOfFile : changeSince(read, file);
      if (file === undefined || change === undefined) continue;
      if (change === 'missing' ? file.temporary !== true : !isOurs.has(each))
        causes.push({ kind: 'input', file: file.path, change });
    }
    // Missing or not before: a job that completed must have written it.
    for (const each of status === 'completed' ? new Set(outputs) : []) {
      const { file } = changes.get(each) ?? {};
      if (file !== undefined && file.mtime === undefined && file.temporary !== true)
        causes.push({ kind: 'output', file: file.path, change: missingAs(file) });
    }
    if (causes.length > 0) found.set(id, causes);
  }
  return found;
}

/**
 * For each job that completed before a job that it waits for ran again, that job. Where a file or a value stands between the two, that
 * decides.
 */
export function outrunJobs(jobs: readonly JobWithFiles[]): Map<number, JobWithFiles> {
  const ends = new Map(jobs.flatMap((job) => (job.status === 'completed' && job.result_id ? [[job.id, job]] : [])));
  const found = new Map<number, JobWithFiles>();
  for (const job of ends.values())
    for (const before of job.depends_on_job_ids ?? []) {
      const other = ends.get(before);
      if (other === undefined || (other.result_id ?? 0) < (job.result_id ?? 0) || isBetween(other, job)) continue;
      found.set(job.id, other);
    }
  return found;
}

const isBetween = (before: JobWithFiles, after: JobWithFiles): boolean =>
  before.output_file_ids?.some((id) => after.input_file_ids?.includes(id)) === true ||
  before.output_user_data_ids?.some((id) => after.input_user_data_ids?.includes(id)) === true;

/**
 * The ids of folders that jobs make or write files into: their times say nothing to those who read them, or a workflow that writes into
 * its own folder would never be up to date.
 */
function foldersOfJobs(jobs: readonly JobWithFiles[], files: readonly FileOnDisk[]): ReadonlySet<number> {
  const folders = files.filter(({ isFolder = false }) => isFolder);
  if (folders.length === 0) return new Set();
  const written = new Set(jobs.flatMap(({ output_file_ids: ids }) => ids ?? []));
  const holding = new Set<string>();
  for (const { id, path } of files) {
    if (!written.has(id)) continue;
    // Up to a folder that another output has shown.
    for (
      let end = path.lastIndexOf('/');
      end > 0 && !holding.has(path.slice(0, end));
      end = path.lastIndexOf('/', end - 1)
    )
      holding.add(path.slice(0, end));
  }
  return new Set(
    folders.filter(({ id, path }) => written.has(id) || holding.has(path.replace(/\/+$/u, ''))).map(({ id }) => id),
  );
}
