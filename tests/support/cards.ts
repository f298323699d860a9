import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { temporaryFolder } from './programs.ts';

/** Readings without a pause, by a process that sees the ids of the machine. */
export const AT_ONCE = { leastGapMs: 0, namespace: () => 'pid:[4026531836]' };

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
          power.draw) value=$(cat ${folder}/watts 2> /dev/null || echo 0) ;;
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
    /** Rows as they are: card, process, MiB. A job writes such lines into the file `apps` of the folder itself. */
    write: (rows: string) => writeFileSync(`${folder}/apps`, rows),
    use: (...uses: readonly (readonly [card: number, pid: number, mebibytes: number])[]) =>
      writeFileSync(`${folder}/apps`, uses.map(([card, pid, size]) => `GPU-${card}, ${pid}, ${size}\n`).join('')),
    /** What each card draws from now on. */
    draw: (watts: number) => writeFileSync(`${folder}/watts`, String(watts)),
    readings: () =>
      (existsSync(`${folder}/asked`) ? readFileSync(`${folder}/asked`, 'utf8') : '').match(/--query-gpu/g)?.length ?? 0,
  };
}
