import {
  type Bind,
  type Conditions,
  conjunction,
  jobCondition,
  ofNode,
  type SampleSelection,
} from '../queries/selection.ts';

/** The texts of a list in JSON, as rows. */
export const jsonTexts = (json: string): string => `select value from json_each(${json})`;

export function sqliteConditions({ cluster, window, key, chosen }: SampleSelection, bind: Bind): Conditions {
  const { node, nodes, user } = window;
  const [id, from, until] = [bind(cluster.id), bind(window.from), bind(window.until)];
  const ofJob = key && jobCondition('j', key, bind);
  // Of one job, only its own samples are read: a window may have millions of others. The plus keeps from the index by time.
  const e = ofJob === undefined ? 'e' : '+e';
  const samples = () =>
    conjunction(
      ofJob && `e.id in (select j.envelope from sample_job j where ${ofJob})`,
      `${e}.cluster = ${id} and ${e}.type = 'sample' and ${e}.time >= ${from} and ${e}.time < ${until}`,
      node !== undefined && ofNode(bind(node)),
      nodes && `n.name between ${bind(nodes.first)} and ${bind(nodes.last)}`,
      chosen &&
        `n.name || ' ' || (select s.name from source s where s.id = e.source) in (${jsonTexts(bind(JSON.stringify(chosen)))})`,
    );
  return {
    get samples() {
      return samples();
    },
    get entries() {
      return conjunction(samples(), ofJob, user !== undefined && `u.name = ${bind(user)}`);
    },
  };
}
