/**
 * `whole`: no other write to the workflow meanwhile. `releasing`: none that relies on the number of unmet dependencies.
 */
export type Hold = 'whole' | 'releasing';

/** The workflow that a write concerns, for writes that have to wait while it is locked. */
export interface About {
  readonly workflowId: () => number | undefined;
  /** Whether it may run while jobs are being released. */
  readonly isCompatible: boolean;
}

/** The workflows that work in slices has locked, and the writes that wait until it is done. */
export interface HeldWorkflows<Write extends { readonly about: About | undefined }> {
  hold(workflowId: number, kind: Hold): void;
  /** Unlocks the workflow, and gives the writes that waited for that, in their order. */
  release(workflowId: number): readonly Write[];
  /** Sets a write aside whose workflow is locked, and says whether it did. */
  park(write: Write): boolean;
}

export function createHeldWorkflows<Write extends { readonly about: About | undefined }>(): HeldWorkflows<Write> {
  const held = new Map<number, { readonly kind: Hold; readonly parked: Write[] }>();
  return {
    hold(workflowId, kind) {
      held.set(workflowId, { kind, parked: held.get(workflowId)?.parked ?? [] });
    },
    release(workflowId) {
      const parked = held.get(workflowId)?.parked ?? [];
      held.delete(workflowId);
      return parked;
    },
    park(write) {
      // Nearly always none is locked, and then the workflow is not looked up.
      if (held.size === 0 || write.about === undefined) return false;
      const hold = held.get(write.about.workflowId() ?? -1);
      if (hold === undefined || (hold.kind === 'releasing' && write.about.isCompatible)) return false;
      hold.parked.push(write);
      return true;
    },
  };
}
