/**
 * Writes what a program has loaded into the folder PRINTED_SCRIPTS when it ends: of how many scripts V8 took the code, of which it
 * refused it, and the files that the loader of Node has loaded. `NODE_OPTIONS=--import=…/print-scripts.ts`.
 */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, join } from 'node:path';
import vm from 'node:vm';

let taken = 0;
const refused: string[] = [];
const files: string[] = [];

vm.Script = class extends vm.Script {
  constructor(source: string, options: vm.ScriptOptions) {
    super(source, options);
    if (this.cachedDataRejected === false) taken += 1;
    else refused.push(basename(options.filename ?? ''));
  }
};
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) files.push(url);
    return next(url, context);
  },
});

process.on('exit', () => {
  const text = JSON.stringify({ argument: process.argv[2], taken, refused, files });
  writeFileSync(join(process.env['PRINTED_SCRIPTS'] ?? '', String(process.pid)), text);
});
