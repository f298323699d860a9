import type { Handlers } from '../../handlers.ts';
import { listedOf, read, removeRecord, removeAll } from '../records.ts';
import type { Store } from '../store.ts';
import { createEntity, updateEntity } from './entity.ts';
import { entityQueries } from './queries.ts';

export const entityHandlers = (store: Store) => {
  const { db, find } = store;
  const queries = entityQueries(db);
  const addEntity = createEntity(store, queries);
  const changeEntity = updateEntity(queries);

  return {
    createRoCrateEntity: ({ body }) => addEntity(body),
    getRoCrateEntity: ({ params }) => read(queries.entities, params.id),
    updateRoCrateEntity: ({ params, body }) => changeEntity(params.id, body),
    deleteRoCrateEntity({ params: { id } }) {
      removeRecord(queries.entities, id);
      return { message: 'RO-Crate entity deleted successfully' };
    },
    listRoCrateEntities: listedOf(find, queries.entities.list),
    deleteRoCrateEntities({ params: { id } }) {
      const count = removeAll(find, queries.entities, id);
      return { message: `Deleted ${count} RO-Crate entities`, deleted_count: count };
    },
  } satisfies Partial<Handlers>;
};
