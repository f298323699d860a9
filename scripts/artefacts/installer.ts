import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const script = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');

/** `install.sh` of a release: its version, the public key of its signature or '', and where it is when nothing else is said. */
export const installer = (of: Readonly<Record<'VERSION' | 'KEY' | 'ADDRESS', string>>): string =>
  script('install.sh').replaceAll(/@(VERSION|KEY|ADDRESS)@/g, (_, name: keyof typeof of) => of[name]);

/** Links the programs of an installation; it stands in the archive, and updates call it, too. */
export const linker = (): string => script('link.sh');

/** The module of Lmod of a version. */
export const moduleFile = (version: string): string => script('modulefile.lua').replaceAll('@VERSION@', version);
