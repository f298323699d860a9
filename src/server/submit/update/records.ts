import type { PlanRecords, UpdatedRecordKind } from '../../../core/contract/plan-update.ts';
import { failureHandlerQueries } from '../../records/failure-handler/queries.ts';
import { fileQueries, storedFate } from '../../records/file/queries.ts';
import { storedRequirements } from '../../records/requirements/fields.ts';
import { requirementsQueries } from '../../records/requirements/queries.ts';
import { schedulerQueries, schedulerValues } from '../../records/scheduler/queries.ts';
import { createSlurmScheduler } from '../../records/scheduler/handlers.ts';
import type { Store } from '../../records/store.ts';
import { userDataQueries } from '../../records/user-data/queries.ts';
import type { Applying } from './applying.ts';
import type { UpdateQueries } from './queries.ts';
import type { RecordStep } from './steps.ts';

type Writers = {
  readonly [Kind in UpdatedRecordKind]: {
    /** Returns its id. */
    readonly add: (record: PlanRecords[Kind], applying: Applying) => number;
    readonly change: (id: number, record: PlanRecords[Kind], applying: Applying) => void;
  };
};

/** Writes the records that jobs refer to; ids of new ones are appended to those of the update. */
export const createRecordWriter = (store: Store, queries: UpdateQueries) => {
  const { db } = store;
  const [files, needs, handlers] = [fileQueries(db), requirementsQueries(db), failureHandlerQueries(db)];
  const [userData, schedulers] = [userDataQueries(db), schedulerQueries(db)];
  const addScheduler = createSlurmScheduler(store, schedulers);
  const textOf = (data: unknown) => (data === undefined || data === null ? null : JSON.stringify(data));

  const writers: Writers = {
    files: {
      add: ({ name, path, st_mtime: mtime = null, ...record }, { workflowId }) =>
        files.insertFile.insert({ workflowId, name, path, mtime, ...storedFate(record) }),
      change: (id, { name, path, st_mtime: mtime = null, ...record }) =>
        void files.updateFile.run({ id, name, path, mtime, ...storedFate(record) }),
    },
    user_data: {
      add({ name, data, is_ephemeral: isEphemeral }, { workflowId, isInitialized }) {
        const given = { name, data: textOf(data), isEphemeral: Number(isEphemeral ?? false) };
        const id = userData.insertUserData.insert({ workflowId, ...given });
        if (isInitialized) queries.settleUserData.run({ id });
        return id;
      },
      change(id, { name, data, is_ephemeral: isEphemeral }, { isInitialized }) {
        queries.changeUserData.run({ id, name, data: textOf(data), isEphemeral: Number(isEphemeral ?? false) });
        if (isInitialized) queries.settleUserData.run({ id });
      },
    },
    resource_requirements: {
      add: (record, { workflowId }) =>
        needs.insertRequirements.insert({
          workflow_id: workflowId,
          ...storedRequirements({ ...record, workflow_id: workflowId }),
        }),
      change: (id, record, { workflowId }) =>
        void needs.updateRequirements.run({ id, ...storedRequirements({ ...record, workflow_id: workflowId }) }),
    },
    slurm_schedulers: {
      add: (record, { workflowId }) => addScheduler({ ...record, workflow_id: workflowId }).id,
      change: (id, record) => void schedulers.updateScheduler.run({ id, ...schedulerValues(record) }),
    },
    failure_handlers: {
      add: ({ name, rules }, { workflowId }) => handlers.insertHandler.insert({ workflowId, name, rules }),
      change: (id, { name, rules }) => void queries.changeHandler.run({ id, name, rules }),
    },
  };

  const write = <Kind extends UpdatedRecordKind>(
    kind: Kind,
    { add, change }: Pick<Extract<RecordStep, { kind: Kind }>, 'add' | 'change'>,
    applying: Applying,
  ): void => {
    const writer = writers[kind];
    for (const record of add) applying.ids[kind].push(writer.add(record as PlanRecords[Kind], applying));
    for (const { id, record } of change) writer.change(id, record as PlanRecords[Kind], applying);
  };
  return (step: RecordStep, applying: Applying): void => write(step.kind, step, applying);
};
