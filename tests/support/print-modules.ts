/**
 * Writes what a program has loaded when it ends, to a file of its name in the folder PRINTED_MODULES:
 * `NODE_OPTIONS=--import=…/print-modules.ts` (`loaded-modules.ts`).
 */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, join } from 'node:path';

const files: string[] = [];
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) files.push(url);
    return next(url, context);
  },
});

process.on('exit', () => {
  const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };
  const ofRuntime = moduleLoadList.flatMap((each) => /^NativeModule (.*)$/.exec(each)?.[1] ?? []);
  const name = `${basename(process.argv[1] ?? '')}.json`;
  writeFileSync(join(process.env['PRINTED_MODULES'] ?? '', name), JSON.stringify({ files, ofRuntime }));
});
