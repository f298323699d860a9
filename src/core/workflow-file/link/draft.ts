import type { SpecFamilies } from '../expand/family.ts';
import type { Lists } from '../../lists/int-list.ts';
import type { Lost } from './lost.ts';
import type { Names, Selections } from '../pattern/selection.ts';
import type { FileSpec, JobSpec, UserDataSpec, WorkflowSpec } from '../shape/workflow.ts';

/** One kind of record with all its instances, found by name or pattern. */
export interface DraftRecords<S> extends Names {
  readonly families: SpecFamilies<S>;
  readonly selections: Selections;
  /** Records of the file that could not be read or expanded. */
  readonly lost: Lost;
}

/** A typed and expanded workflow file, as the checks see it. */
export interface Draft {
  readonly spec: WorkflowSpec;
  readonly jobs: DraftRecords<JobSpec>;
  readonly files: DraftRecords<FileSpec>;
  readonly userData: DraftRecords<UserDataSpec>;
  /** Top-level fields of which a part was lost. */
  readonly damaged: ReadonlySet<string>;
}

/**
 * The records that the jobs of a draft name: per job the numbers of records, and beyond these the numbers of
 * selections.
 */
export interface Links {
  readonly dependsOn: Lists;
  readonly inputFiles: Lists;
  readonly outputFiles: Lists;
  readonly inputUserData: Lists;
  readonly outputUserData: Lists;
}
