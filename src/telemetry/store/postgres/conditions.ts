import {
  type Bind,
  type Conditions,
  conjunction,
  jobCondition,
  ofNode,
  type SampleSelection,
} from '../queries/selection.ts';

/** The texts of a list in JSON, as rows. */
export const jsonbTexts = (json: string): string => `select jsonb_array_elements_text(${json}::jsonb)`;

export function postgresConditions({ cluster, window, key, chosen }: SampleSelection, bind: Bind): Conditions {
  const { node, nodes, user } = window;
  const [id, from, until] = [bind(cluster.id), bind(window.from), bind(window.until)];
  const inWindow = (alias: string) =>
    `${alias}.cluster = ${id} and ${alias}.time >= ${from} and ${alias}.time < ${until}`;
  const ofJob = key && jobCondition('p', key, bind);
  const isChosen = () => `n.name || ' ' || s.name in (${jsonbTexts(bind(JSON.stringify(chosen)))})`;
  const ofNodes = () =>
    conjunction(
      node !== undefined && ofNode(bind(node)),
      nodes && `n.name between ${bind(nodes.first)} and ${bind(nodes.last)}`,
    );
  return {
    get samples() {
      return conjunction(
        inWindow('e'),
        `e.type = 'sample'`,
        ofJob &&
          `(e.time, e.id) in (select p.time, p.envelope from sonar.process p where ${inWindow('p')} and ${ofJob})`,
        ofNodes() || undefined,
        chosen && `exists (select from sonar.source s where s.id = e.source and ${isChosen()})`,
      );
    },
    get entries() {
      return conjunction(
        inWindow('p'),
        ofJob,
        ofNodes() || undefined,
        chosen &&
          `exists (
            select from sonar.envelope e join sonar.source s on s.id = e.source
            where e.time = p.time and e.time >= ${from} and e.time < ${until} and e.id = p.envelope and ${isChosen()}
          )`,
        user !== undefined && `p."user" = (select id from sonar."user" where name = ${bind(user)})`,
      );
    },
  };
}
