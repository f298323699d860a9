import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { temporaryFolder } from './programs.ts';

/** An nvidia-smi that knows two cards of 80 GiB, and whatever processes `use` puts on them. */
export function madeUpCards(mode: 'Disabled' | 'Enabled' = 'Disabled') {
  const folder = temporaryFolder();
  writeFileSync(
    `${folder}/nvidia-smi`,
    `#!/bin/bash
echo "$1" >> ${folder}/asked
case "$1" in
  --query-gpu*)
    fields=\${1#*=}
    for index in 0 1; do
      line=
      for field in \${fields//,/ }; do
        case $field in
          index) value=$index ;;
          uuid) value=GPU-$index ;;
          memory.total) value=81920 ;;
          mig.mode.current) value=${mode} ;;
          *) value=0 ;;
        esac
        line="$line, $value"
      done
      echo "\${line#, }"
    done ;;
  --query-compute-apps*) cat ${folder}/apps ;;
esac
`,
  );
  chmodSync(`${folder}/nvidia-smi`, 0o755);
  return {
    folder,
    environment: { PATH: `${folder}:/usr/bin:/bin` },
    /** Which processes have how much memory of which card. A job writes such lines into the file `apps` of the folder itself. */
    use: (...uses: readonly (readonly [card: number, pid: number, mebibytes: number])[]) =>
      writeFileSync(`${folder}/apps`, uses.map(([card, pid, size]) => `GPU-${card}, ${pid}, ${size}\n`).join('')),
    readings: () => readFileSync(`${folder}/asked`, 'utf8').match(/--query-gpu/g)?.length ?? 0,
  };
}
