import { endReasonOf } from '../../../core/attempt/cause.ts';
import { type ExitCodes, storedEndOf } from '../../../core/attempt/judge.ts';
import type { Result } from '../../../core/contract/result.ts';

/** A result as programs read it: with the reason of its end. A success without a cause stays as Torc has it. */
export function withCauses<Given extends Pick<Result, 'status' | 'return_code' | 'cause_code' | 'cause'>>(
  result: Given,
  codes: ExitCodes,
) {
  const reason = endReasonOf(storedEndOf(result, codes));
  return reason === undefined ? result : { ...result, causes: [reason] };
}
