import { Refusal, type RefusalCode } from '../../core/contract/refusals.ts';
import {
  questionOf,
  type TelemetryQuestion,
  type TelemetryRoute,
  telemetryRoutes,
} from '../../core/contract/routes/telemetry.ts';
import type { Input } from '../../core/contract/routes.ts';
import type { Caller, Permissions } from '../caller.ts';
import type { Handlers } from '../handlers.ts';
import { LongText } from '../written.ts';

/** With a user, only what concerns this user besides the totals of nodes. */
interface TelemetryRequest {
  readonly question: TelemetryQuestion;
  readonly parameters: Readonly<Record<string, string>>;
  readonly onlyUser: string | undefined;
}

/** Asks the store of telemetry, in its thread: the reply is JSON, of a refusal too. */
export type AskTelemetry = (asked: TelemetryRequest) => Promise<{ readonly status: number; readonly text: string }>;

/** A page asks which clusters there are to know whether telemetry is kept: that is no fault. */
const none: AskTelemetry = ({ question }) =>
  question === questionOf('listTelemetryClusters')
    ? Promise.resolve({ status: 200, text: '{"items":[],"is_kept":false}' })
    : Promise.reject(new Refusal('TELEMETRY_NOT_KEPT', 'this server keeps no telemetry'));

export function telemetryHandlers(permissions: Permissions, ask = none): Pick<Handlers, TelemetryRoute> {
  const handlerOf =
    (name: TelemetryRoute) =>
    async ({ query }: Input<TelemetryRoute>, caller: Caller): Promise<LongText> => {
      const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
      const parameters = Object.fromEntries(given.map(([parameter, value]) => [parameter, String(value)]));
      const asked = { question: questionOf(name), parameters, onlyUser: permissions.listedFor(caller) };
      const { status, text } = await ask(asked);
      if (status === 200) return new LongText(text);
      const { code, message } = (JSON.parse(text) as { error: { code: RefusalCode; message: string } }).error;
      throw new Refusal(code, message);
    };
  // They write what the route promises.
  const names = Object.keys(telemetryRoutes) as TelemetryRoute[];
  return Object.fromEntries(names.map((name) => [name, handlerOf(name)])) as unknown as Pick<Handlers, TelemetryRoute>;
}
