import { BASE_PATH } from '../../core/contract/base-path.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { type Route, routes } from '../../core/contract/routes.ts';

const patterns = (Object.values(routes) as Route[]).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${BASE_PATH}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Why the request has no route: the path does not exist, or not with this method. */
export function notServed(method: string, path: string): Refusal {
  const methods = patterns.filter(({ pattern }) => pattern.test(path)).map((each) => each.method);
  if (methods.length > 0) {
    return new Refusal('METHOD_REFUSED', `${method} ${path}: expected ${methods.join(' or ')}`, { methods });
  }
  const where = path.startsWith(BASE_PATH) ? '' : `; all paths begin with ${BASE_PATH}`;
  return new Refusal('ROUTE_UNKNOWN', `there is no ${method} ${path}${where}`, { path });
}
