import { BASE_PATH } from '../../core/contract/base-path.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { type Route, routes } from '../../core/contract/routes.ts';

const patterns = (Object.values(routes) as Route[]).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${BASE_PATH}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Why nothing is served there: there is no such path, or it is asked in another way. */
export function notServed(method: string, path: string): Refusal {
  const methods = patterns.filter(({ pattern }) => pattern.test(path)).map((each) => each.method);
  if (methods.length > 0) {
    return new Refusal('METHOD_REFUSED', `${method} ${path}: expected ${methods.join(' or ')}`, { methods });
  }
  const where = path.startsWith(BASE_PATH) ? '' : `; everything stands under ${BASE_PATH}`;
  return new Refusal('ROUTE_UNKNOWN', `there is no ${method} ${path}${where}`, { path });
}
