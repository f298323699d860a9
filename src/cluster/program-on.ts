import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * The path of a program that can be started, in the first folder of a `PATH` that has it; undefined if none has.
 *
 * Empty and relative entries mean the current folder, where another user may have put a program: they are passed over.
 */
export const programOn = (path: string | undefined, name: string): string | undefined =>
  placesOn(path, name).find(isProgram);

/** The bash of a `PATH`, or that of the system. */
export const bashOn = (path: string | undefined): string | undefined =>
  programOn([path ?? '', '/bin', '/usr/bin'].join(delimiter), 'bash');

/** As `programOn`, or else a file of this name that cannot be started: the system says why. */
export function fileOn(path: string | undefined, name: string): string | undefined {
  const places = placesOn(path, name);
  return places.find(isProgram) ?? places.find((place) => existsSync(place));
}

const placesOn = (path: string | undefined, name: string): string[] =>
  (path ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name));

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
