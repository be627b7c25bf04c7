// Evaluates VirtualServices as Istio documents it in `networking/v1alpha3/virtual_service.proto` of istio.io/api: the first route with a match
// is taken; conditions of one match must all hold. It shares no code with the renderer.

import type { IstioMatch, IstioRoute, StringMatch, VirtualService } from "../render/istio-types.ts";
import { matchesRegex, type MeshRequest } from "./mesh-request.ts";

/** Returns the route for a request to a port; undefined if no route matches. */
export function evaluateVirtualService(
  { spec }: VirtualService,
  request: MeshRequest,
  port: number,
): IstioRoute | undefined {
  return spec.http?.find(
    ({ match }) => match === undefined || match.length === 0 || match.some((each) => isMatch(each, request, port)),
  );
}

function isMatch(
  { uri, method, headers, withoutHeaders, port: own }: IstioMatch,
  request: MeshRequest,
  port: number,
): boolean {
  return (
    (own ?? port) === port &&
    isMet(uri, request.path) &&
    isMet(method, request.method) &&
    Object.entries(headers ?? {}).every(([name, condition]) => isHeaderMet(condition, request.headers.get(name))) &&
    !Object.entries(withoutHeaders ?? {}).some(([name, condition]) => isHeaderMet(condition, request.headers.get(name)))
  );
}

function isHeaderMet(condition: StringMatch, value: string | undefined): boolean {
  return value !== undefined && isMet(condition, value);
}

function isMet(condition: StringMatch | undefined, value: string): boolean {
  const { exact, prefix, regex } = condition ?? {};
  if (exact !== undefined) return value === exact;
  if (prefix !== undefined) return value.startsWith(prefix);
  return regex === undefined || matchesRegex(regex, value);
}
