import { writeSync } from 'node:fs';

/** The terminal while this program draws on all of it. */
export interface FullScreen {
  enter(): void;
  /** With it the terminal sends clicks and turns of the wheel, and selects no text of its own. */
  useMouse(isUsed: boolean): void;
  /** Makes the terminal as it was. May be called when it is so already, and while the program ends. */
  leave(): void;
}

// Another buffer, no cursor, no wrapping at the right border.
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
const MOUSE_ON = '\u001b[?1000h\u001b[?1006h';
const MOUSE_OFF = '\u001b[?1006l\u001b[?1000l';
const LEAVE = '\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l';

/**
 * It is left in every case in which this program can still act: at its end, after an exception, and after a signal. The text
 * of an exception is printed behind that, where a person sees it.
 */
export function fullScreen(input: NodeJS.ReadStream, output: NodeJS.WriteStream & { readonly fd: number }): FullScreen {
  let isEntered = false;
  let hasMouse = false;
  const leave = () => {
    if (!isEntered) return;
    isEntered = false;
    input.setRawMode(false);
    // At once: an exiting program sends nothing later.
    writeSync(output.fd, (hasMouse ? MOUSE_OFF : '') + LEAVE);
  };
  process.on('exit', leave);
  process.on('uncaughtExceptionMonitor', leave);
  return {
    enter() {
      isEntered = true;
      input.setRawMode(true);
      writeSync(output.fd, ENTER + (hasMouse ? MOUSE_ON : ''));
    },
    useMouse(isUsed) {
      hasMouse = isUsed;
      writeSync(output.fd, isUsed ? MOUSE_ON : MOUSE_OFF);
    },
    leave,
  };
}

/** What a terminal can show, as its variables say. */
export function abilitiesOf(environment: Readonly<Record<string, string | undefined>>) {
  const { LC_ALL: all, LC_CTYPE: characters, LANG: language, TERM: term, NO_COLOR: noColour } = environment;
  const locale = [all, characters, language].find((value) => value !== undefined && value !== '') ?? '';
  return {
    hasColours: (noColour === undefined || noColour === '') && !/^(vt\d+|.*-m|.*-mono)$/.test(term ?? ''),
    hasUnicode: /utf-?8/i.test(locale),
  };
}
