import { metaOf } from '../rows/metas.ts';
import { compareText } from '../rows/samples.ts';
import type { SourceCount } from './nodes.ts';

/** Some of their samples have only the jobs of their producer. */
const hasJobsOnly = (source: string): boolean => /"scope".*"jobs"/.test(source);

/**
 * Where two producers send samples of one node, such as the daemon of a site and a runner, every process would count twice. One
 * of them is chosen for each node: the one that samples the whole node, then the one with more samples. Given are nodes with the
 * sources of these producers; undefined where no node has two.
 */
export function chosenSources(counts: readonly SourceCount[]): readonly string[] | undefined {
  const producerOf = ({ source }: SourceCount) => String(metaOf(source).producer);
  const nodes = Map.groupBy(counts, ({ node }) => node);
  const producers = [...nodes.values()].map((each) => [...Map.groupBy(each, producerOf)]);
  if (producers.every((each) => each.length === 1)) return undefined;
  return producers.flatMap((each) => {
    const [best] = each
      .map(([producer, own]) => ({
        producer,
        own,
        isPart: own.some(({ source }) => hasJobsOnly(source)),
        count: own.reduce((sum, { count }) => sum + count, 0),
      }))
      .toSorted(
        (one, other) =>
          Number(one.isPart) - Number(other.isPart) ||
          other.count - one.count ||
          compareText(one.producer, other.producer),
      );
    return (best?.own ?? []).map(({ node, source }) => `${node} ${source}`);
  });
}
