import { counted } from '../core/quantity/count-text.ts';
import { statusWords } from './words.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What an event says, as a sentence: its own message, or one of what it has. */
export function eventWords(data: unknown): string {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return JSON.stringify(data) ?? '';
  const fields = data as Fields;
  const { category, event_type: type, message } = fields;
  if (typeof message === 'string' && message !== '') return sentence(message);
  const kind = textOf(type) || textOf(category);
  return (
    WORDS[kind]?.(fields) ?? sentence([statusWords(kind), factsOf(fields)].filter((part) => part !== '').join(': '))
  );
}

/** The events of this program that have no message. */
const WORDS: Readonly<Record<string, (fields: Fields) => string>> = {
  user_action({ action, user, ...facts }) {
    const words = factsOf(facts);
    return sentence(`${statusWords(textOf(action))}, by ${textOf(user)}${words === '' ? '' : ` (${words})`}`);
  },
  runner_left({ hostname, reason, ready_jobs: ready, unclaimable_jobs: unclaimable }) {
    const left = Number(unclaimable) > 0 ? `; no runner can take ${Number(unclaimable)} of them` : '';
    return sentence(
      `The runner on ${textOf(hostname)} left: ${textOf(reason)}; ${counted(Number(ready), 'job')} ready${left}`,
    );
  },
  output_cut: ({ hostname, count, lacking, folder, jobs }) =>
    sentence(
      `The output of ${counted(Number(count), 'job')} on ${textOf(hostname)} may be cut, as ${textOf(folder)} had no ${textOf(lacking)} left: ${textOf(jobs)}`,
    ),
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What has a column or a place in the sentence of its own. */
const SAID = new Set(['category', 'event_type', 'level', 'message']);

/** `failed only: yes, updated count: 3`, without what is not so. */
const factsOf = (facts: Fields): string =>
  Object.entries(facts)
    .filter(([name, value]) => !SAID.has(name) && value !== null && value !== undefined && value !== false)
    .map(([name, value]) => `${statusWords(name)}: ${factOf(value)}`)
    .join(', ');

function factOf(value: unknown): string {
  if (value === true) return 'yes';
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((each) => typeof each !== 'object')
    ? value.join(' ')
    : JSON.stringify(value);
}

const sentence = (text: string): string =>
  text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
