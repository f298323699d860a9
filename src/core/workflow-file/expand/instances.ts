import { sequence, type Sequence } from '../../lists/sequence.ts';
import type { SpecFamily } from './family.ts';

/**
 * A sentence about each instance of a family: the first as the message, the others as the lines that Torc would add.
 */
export function aboutEach<S>(
  family: SpecFamily<S>,
  sentence: (name: string) => string,
): { readonly message: string; readonly echoes?: Sequence<string> } {
  const line = (index: number): string => sentence(family.name.render(index));
  if (family.count < 2) return { message: line(0) };
  return { message: line(0), echoes: sequence(family.count - 1, (index) => line(index + 1)) };
}
