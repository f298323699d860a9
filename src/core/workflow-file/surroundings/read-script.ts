import { shellWords } from '../../text/shell-words.ts';
import { COMMAND_FOLLOWS } from './container.ts';
import type { ContainerRuntime } from './runtime.ts';

/** What a stored invocation script says of where its job ran. Variables stand there as they were written. */
export interface ReadSurroundings {
  readonly container?: { readonly image: string; readonly runtime: ContainerRuntime };
  readonly conda?: string;
  readonly modules: readonly string[];
}

const WORD = String.raw`("(?:[^"\\]|\\.)*"|\S+)`;
const OPTIONS = String.raw`"\$\{torc_options\[@\]\}"`;
const APPTAINER = new RegExp(
  String.raw`^exec (apptainer) (?:exec|run --no-eval) ${OPTIONS} --pwd "\$PWD" ${WORD} sh -c '`,
  'm',
);
const ENGINE = new RegExp(
  String.raw`^(podman|docker) run .*? ${OPTIONS} (?:--entrypoint sh )?${WORD} (?:sh )?-c '`,
  'm',
);
const CONDA = new RegExp(String.raw`&& conda activate ${WORD} \|\| `);
const MODULES = /^module load (.+?) \|\| \{/m;

/** Reads the script of `surroundingsScript` back; a script that a user wrote says nothing. */
export function surroundingsOf(script: string | null | undefined): ReadSurroundings {
  if (script?.includes(`\n${COMMAND_FOLLOWS}\n`) !== true) return { modules: [] };
  const [, runtime, image] = APPTAINER.exec(script) ?? ENGINE.exec(script) ?? [];
  const conda = wordsOf(CONDA.exec(script)?.[1])[0];
  return {
    ...(image === undefined
      ? {}
      : { container: { image: wordsOf(image)[0] ?? '', runtime: runtime as ContainerRuntime } }),
    ...(conda === undefined ? {} : { conda }),
    modules: wordsOf(MODULES.exec(script)?.[1]),
  };
}

const wordsOf = (text: string | undefined): string[] => (text === undefined ? [] : (shellWords(text) ?? []));
