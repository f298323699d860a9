/** Writes what a program has loaded to the file PRINTED_MODULES when it ends: `NODE_OPTIONS=--import=…/print-modules.ts`. */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

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
  writeFileSync(process.env['PRINTED_MODULES'] ?? '', JSON.stringify({ files, ofRuntime }));
});
