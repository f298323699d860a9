import type { FileFate } from '../check/fates.ts';
import type { FileName } from '../../job/fields.ts';
import type { GlobMatch } from '../glob/look.ts';
import type { Graph } from '../graph/graph.ts';
import type { Lists } from '../../lists/int-list.ts';
import type { PathKey } from '../link/path-key.ts';
import type { Sequence } from '../../lists/sequence.ts';
import type {
  ActionSpec,
  ExecutionConfigSpec,
  FailureHandlerSpec,
  JobSpec,
  ResourceRequirementsSpec,
  SlurmSchedulerSpec,
  StdioSpec,
  WorkflowSpec,
} from '../shape/workflow.ts';
import type { Json } from '../text/value.ts';

/**
 * An expanded and linked workflow, before it has any id.
 *
 * Jobs, files and user data are sequences: each instance is generated on demand, in any order, and not stored. They
 * refer to each other by number; the code that creates them maps numbers to ids.
 */
export interface Plan {
  readonly workflow: PlannedWorkflow;
  readonly jobs: Sequence<PlannedJob>;
  readonly files: Sequence<PlannedFile>;
  readonly userData: Sequence<PlannedUserData>;
  readonly resourceRequirements: readonly ResourceRequirementsSpec[];
  /** One without a name is not created. */
  readonly slurmSchedulers: readonly SlurmSchedulerSpec[];
  readonly failureHandlers: readonly FailureHandlerSpec[];
  readonly actions: readonly PlannedAction[];
  /** The patterns of paths in the file, with what they matched. */
  readonly globs: readonly GlobMatch[];
  /** The number of records in the file, before expansion. */
  readonly before: { readonly jobs: number; readonly files: number; readonly userData: number };
  /** Per level of the explicit graph the numbers of its jobs: each needs jobs of earlier levels only. */
  readonly levels: Lists;
  /** The dependencies of each job, through names, patterns, files and user data. */
  readonly graph: Graph;
  /** The name of a job, without generating the job. */
  readonly jobName: (job: number) => string;
  /** The number of the entry of `jobs` in the file that a job comes from. */
  readonly entryOf: (job: number) => number;
  /** The execution settings with the output settings of single jobs; undefined if the file sets none. */
  readonly executionConfig: () => ExecutionConfigSpec | undefined;
  /** By which paths are compared. */
  readonly keyOf: PathKey;
  /** Numbers of the files that some job reads: their modification times are read from disk. */
  readonly consumedFiles: () => Int32Array;
  /** Numbers of the files, and of the records of user data, that some job writes. */
  readonly producedFiles: () => Int32Array;
  readonly producedUserData: () => Int32Array;
}

/** The workflow itself, without its records. Fields are named as in the API. */
export type PlannedWorkflow = Pick<
  WorkflowSpec,
  | 'name'
  | 'description'
  | 'project'
  | 'env'
  | 'resource_monitor'
  | 'use_pending_failed'
  | 'enable_ro_crate'
  | 'access_groups'
  | 'dynamic_jobs'
  | 'limits'
  | 'compute_node_ignore_workflow_completion'
  | 'compute_node_wait_for_healthy_database_minutes'
> & {
  readonly metadata?: { readonly [key: string]: Json };
  readonly slurm_defaults?: { readonly [key: string]: Json };
  /** 90 by default; only `workflows new` keeps the server's 0. */
  readonly compute_node_wait_for_new_jobs_seconds: number;
};

/** What the file gives of a job beside its command, with the names of the API. Its own variables replace the workflow's. */
export type PlannedSettings = Pick<JobSpec, SettingName>;
export type SettingName = Exclude<FileName, 'name' | 'command' | 'invocation_script'>;

export interface PlannedJob {
  readonly name: string;
  readonly command: string;
  readonly invocationScript: string | undefined;
  readonly settings: PlannedSettings;
  readonly stdio: StdioSpec | undefined;
  /** Numbers in the plan's lists. */
  readonly resourceRequirements: number | undefined;
  readonly scheduler: number | undefined;
  readonly failureHandler: number | undefined;
  /** Numbers of jobs, files and records of user data. */
  readonly dependsOn: Int32Array;
  readonly inputFiles: Int32Array;
  readonly outputFiles: Int32Array;
  readonly inputUserData: Int32Array;
  readonly outputUserData: Int32Array;
}

export interface PlannedFile {
  readonly name: string;
  readonly path: string;
  readonly identifier: string | undefined;
  readonly stMtime: number | undefined;
  readonly fate: FileFate;
}

export interface PlannedUserData {
  /** A record without a name is not created. */
  readonly name: string | undefined;
  readonly data: Json | undefined;
  readonly isEphemeral: boolean;
}

export interface PlannedAction {
  readonly spec: ActionSpec;
  /** Numbers of the jobs that its trigger concerns. */
  readonly jobs: Int32Array;
}
