import type { PlanSettings } from '../../contract/plan-update.ts';
import { STANDARD_OUTAGE_MINUTES } from '../../contract/standard-settings.ts';
import type { Workflow } from '../../contract/workflow.ts';
import type { workflowBody } from '../plan/bodies.ts';
import type { RecordDifference } from './difference.ts';
import { isSame } from './same.ts';

/** The value of a setting that the file does not have. */
const DEFAULTS = {
  description: null,
  project: null,
  metadata: null,
  env: null,
  execution_config: null,
  slurm_defaults: null,
  dynamic_jobs: null,
  limits: null,
  use_pending_failed: false,
  enable_ro_crate: false,
  compute_node_ignore_workflow_completion: false,
  compute_node_wait_for_healthy_database_minutes: STANDARD_OUTAGE_MINUTES,
} as const;

/** The settings that change. Monitoring and access groups stay as they are if the file does not have them. */
export function settingChanges(
  stored: Workflow,
  body: ReturnType<typeof workflowBody>,
): { readonly update: PlanSettings | undefined; readonly differences: RecordDifference[] } {
  const { user: _user, submission_directory: _folder, access_groups: _groups, ...given } = body;
  const wanted = {
    ...DEFAULTS,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
  const changed = Object.entries(wanted).filter(
    ([name, value]) => !isSame(emptied(stored[name as keyof Workflow]), emptied(value)),
  );
  return {
    update: changed.length === 0 ? undefined : (Object.fromEntries(changed) as PlanSettings),
    differences: changed.map(([name]) => ({ kind: 'changed', of: 'settings', name })),
  };
}

/** An empty object is stored as none. */
const emptied = (value: unknown): unknown =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
    ? null
    : value;
