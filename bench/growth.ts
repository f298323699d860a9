/**
 * How many jobs, runners and clients does one server serve, and what grows with them?
 *
 * `node bench/growth.ts [factor] [storm|size|streams...]`: a storm of 1,000, 3,000 and 10,000 runners of one workflow that arrive
 * as fast as they can; databases of 1, 3 and 10 million jobs; 100 and 1,000 open event streams while 100 jobs end each second. All
 * runners are simulated by this process, on loopback. With a factor of 0.1 everything is a tenth as large. The whole takes half an
 * hour and 8 GB of disk (`TORC_BENCH_DIR`).
 */
import { measureSize } from './growth/size.ts';
import { measureStorm } from './growth/storm.ts';
import { measureStreams } from './growth/streams.ts';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { layOutPackage } from './support/package.ts';
import { machine } from './support/processes.ts';

const parts = { storm: measureStorm, size: measureSize, streams: measureStreams };

const { factor, words } = argumentsOf({ factor: 1 }, 'words');
const unknown = words.filter((word) => !Object.hasOwn(parts, word));
if (unknown.length > 0) {
  console.error(`unknown part ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`);
  process.exit(2);
}
const { note, print } = createFigures();
console.log(machine());
const folder = layOutPackage();
for (const [name, measure] of Object.entries(parts))
  if (words.length === 0 || words.includes(name)) await measure({ folder, factor, note });
print();
