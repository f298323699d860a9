import { type Addition, ADDITIONS } from '../../cluster/additions/additions.ts';
import { additionsFolder } from '../../cluster/additions/folder.ts';
import { counted } from '../../core/quantity/count-text.ts';
import { command } from '../command/command.ts';
import { Failure } from '../command/failure.ts';
import { option } from '../command/option.ts';

/** Where npm has its packages, unless the environment of npm names a mirror. */
const REGISTRY = 'https://registry.npmjs.org';

export const add = command('add <what>', {
  says: 'Install libraries that torc does not bring: postgres, kafka, duckdb or mail.',
  example: 'postgres',
  more: 'Needs no npm and no administrator. They go to ~/.local/share/torc/additions, where every torc of this user finds them. TORC_ADDITIONS names another folder: torc installs them there, and loads them from there. Each archive must have the hash of the one that torc is tested with.',
  offline: true,
  options: [
    option(
      '--from <place>',
      'URL of a registry of npm (npm_config_registry), or folder with archives that npm pack has written',
    ),
  ],
  async run({ output, environment }, [what], options) {
    if (!Object.hasOwn(ADDITIONS, what)) throw new Failure(`"${what}" is none of ${Object.keys(ADDITIONS).join(', ')}`);
    output.recordOnly('what was added');
    const { addLibraries } = await import('../../operations/self/add.ts');
    const from = (options.from ?? environment['npm_config_registry'] ?? REGISTRY).replace(/\/$/, '');
    const added = await addLibraries(what as Addition, { folder: additionsFolder(environment), from });
    output.record(
      'addition',
      { what, folder: added.folder, packages: added.packages, was_there: added.wasThere },
      added.wasThere
        ? `${what} is there already: ${added.folder}`
        : `Added ${what}: ${counted(added.packages, 'package')} in ${added.folder}`,
    );
  },
});
