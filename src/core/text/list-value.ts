/** The parts of a list with commas: without blanks around them, and without empty ones. */
export const listValue = (value: string): readonly string[] =>
  value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
