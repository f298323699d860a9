import { mayLoseDigits, readSonarJson } from '../../../core/contract/sonar/read-json.ts';

/** JSON that the store wrote, with all digits of its numbers. */
export const storedJson = (text: string): unknown => (mayLoseDigits(text) ? readSonarJson(text) : JSON.parse(text));
