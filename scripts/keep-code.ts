/**
 * Writes the compiled code of the scripts that a program has loaded into the folder KEEP_CODE when it ends, with what V8 compiled
 * of them only while they ran: `NODE_OPTIONS=--import=…/keep-code.ts`.
 */
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';

const kept = new Map<string, vm.Script>();

vm.Script = class extends vm.Script {
  constructor(source: string, options: vm.ScriptOptions) {
    super(source, options);
    kept.set(basename(options.filename ?? ''), this);
  }
};
// V8 takes code only under the flags under which it was made: those at a start, and not those that a program sets later.
const { setFlagsFromString } = v8;
v8.setFlagsFromString = (flag) => {
  if (flag === '--expose-gc') setFlagsFromString(flag);
};

process.on('exit', () => {
  setFlagsFromString('--no-expose-gc');
  for (const [name, script] of kept)
    writeFileSync(join(process.env['KEEP_CODE'] ?? '', `${name}.${process.pid}`), script.createCachedData());
});
