// Rules for preview addresses, of Sandboxes and of RouteGroups.

import type { DeepReadonly } from "@homeostat/core";
import { forbiddenField, invalidField, type Problem } from "@homeostat/schema";
import { caBundleProblem } from "../api/ca-bundle.ts";
import type { Endpoint } from "../api/sandbox.ts";
import { parseEndpointTarget } from "../api/spec-endpoint.ts";
import type { RuleContext } from "./rule.ts";

/** Yields problems of the endpoints of one object. */
export function* endpointProblems(
  endpoints: readonly DeepReadonly<Endpoint>[],
  { config: { preview } }: RuleContext,
): Iterable<Problem> {
  const hosts = new Set<string>();
  for (const [index, { target, host, tls }] of endpoints.entries()) {
    const path = `spec.endpoints[${index}]`;
    const { port } = parseEndpointTarget(target) ?? {};
    if (port !== undefined && (port < 1 || port > 65_535)) {
      yield invalidField(`${path}.target`, target, "must have a port from 1 to 65535");
    }
    const trustProblem = tls && caBundleProblem(tls.caBundle);
    // The value is long, and says nothing to a person.
    if (trustProblem !== undefined) yield invalidField(`${path}.tls.caBundle`, "PEM", trustProblem);
    if (host === undefined) continue;
    if (preview.domain === "") {
      yield forbiddenField(
        `${path}.host`,
        `${host}: the operator has no preview domain; remove the host, or ask an administrator to set preview.domain in its configuration`,
      );
    } else if (!host.endsWith(`.${preview.domain}`)) {
      yield invalidField(`${path}.host`, host, `must be under the preview domain, such as web.${preview.domain}`);
    }
    if (hosts.has(host))
      yield invalidField(
        `${path}.host`,
        host,
        "is already the host of another endpoint of this object; choose another host",
      );
    hosts.add(host);
  }
}
