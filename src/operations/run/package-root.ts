import { fileURLToPath } from 'node:url';

/** The folder of this installation: the one that holds `src` or `dist`, whichever this file is read from. */
export function packageRoot(): string {
  const path = fileURLToPath(import.meta.url);
  return path.slice(0, Math.max(path.lastIndexOf('/src/operations/'), path.lastIndexOf('/dist/')));
}
