/** How our own targets begin. */
export const ASKING = '.torc-asks';

/**
 * The rule of a target that prints its environment, also with `make -n`, for which there is the `+`; and a shell that can. Make
 * prints lines of its own around it, so the name and the variables stand between zero bytes.
 */
export const environmentRule = (name: string, before = ''): string[] => [
  `${name}: SHELL = /bin/sh`,
  `${name}: .SHELLFLAGS = -c`,
  `${name}: ; +@${before}printf '\\0${name}\\0'; env -0; printf '\\0'`,
];

/** The environments in what make printed, by our targets. */
export const environmentsIn = (text: string): ReadonlyMap<string, Readonly<Record<string, string>>> =>
  new Map(
    [...text.matchAll(/\0(\.torc-asks-[\w-]+)\0([^]*?)\0\0/g)].map(([, name = '', some = '']) => [
      name,
      variablesIn(some),
    ]),
  );

const variablesIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split('\0').flatMap((each) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(each) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );
