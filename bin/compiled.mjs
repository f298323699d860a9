// Any Node since 14 can read this file, and a new one alone calls it.

/**
 * Loads the programs of a package with the code that V8 compiled when the package was made (docs/adr/0024): what returns is a
 * function that gives the exports of a file in this folder. Undefined where the package has no code for this V8.
 *
 * The module loader of Node takes 0.8 ms of CPU time for each file, which it resolves, compiles and links; a runner has a hundred.
 */
export function compiledPrograms(folder) {
  // With this variable Node, too, does without compiled code.
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  const { fstatSync, openSync, readFileSync, readSync } = process.getBuiltinModule('fs');
  const { constants, Script } = process.getBuiltinModule('vm');
  // bin/torc-server gives it to V8, which has read it by now. V8 refuses code that was made under another value.
  if (process.execArgv.some((each) => each.startsWith(OLD_GENERATION)))
    process.getBuiltinModule('v8').setFlagsFromString(`${OLD_GENERATION}0`);
  let file;
  try {
    file = openSync(`${folder}/${codeName()}`);
  } catch {
    return undefined;
  }
  const read = (position, length) => {
    const bytes = new Uint8Array(length);
    readSync(file, bytes, 0, length, position);
    return bytes;
  };
  const [length, headLength] = new Uint32Array(read(0, LENGTHS).buffer);
  // A copy that was cut off would end the process inside of V8.
  if (fstatSync(file).size !== length) return undefined;
  const places = JSON.parse(new TextDecoder().decode(read(LENGTHS, headLength)));

  const codeOf = ([at, length]) => read(LENGTHS + headLength + at, length);
  const scriptOf = (name) => {
    const filename = `${folder}/${name}`;
    return new Script(wrapped(readFileSync(filename, 'utf8')), {
      filename,
      cachedData: codeOf(places[name]),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
  };
  // V8 refuses code that was made under other flags. All of it was made under the same ones.
  if (scriptOf('main.cjs').cachedDataRejected) return undefined;

  hideWarning();
  const modules = new Map();
  const load = (name) => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    modules.set(name, module);
    scriptOf(name).runInThisContext()(module.exports, require, module, `${folder}/${name}`, folder);
    return module.exports;
  };
  const require = (id) => (id.startsWith('./') ? load(id.slice(2)) : process.getBuiltinModule(id));
  return load;
}

/**
 * Such scripts import with a loader that Node calls experimental, in a warning before the first question that a command asks:
 * users need not read that. All other warnings are printed.
 */
function hideWarning() {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...more) => {
    if (!String(warning).startsWith('vm.USE_MAIN_CONTEXT_DEFAULT_LOADER ')) emitWarning.call(process, warning, ...more);
  };
}

/**
 * The file with the code for this V8, beside the programs: the lengths of the file and of its head as numbers of 32 bits, the head,
 * and the code. The head is JSON: of each program, where its code begins behind the head, and its length.
 */
export const codeName = () => `code-${process.versions.v8}-${process.platform}-${process.arch}`;

const OLD_GENERATION = '--initial-old-space-size=';

/** Bytes of the two lengths. */
export const LENGTHS = 8;

/** As a function, which gets what Node gives to a module of this kind. */
export const wrapped = (source) => `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
