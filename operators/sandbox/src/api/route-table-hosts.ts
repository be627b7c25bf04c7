// Preview hosts of a Service, in its RouteTable.
//
// The operator decides which object has a host and publishes the result here, so the route server needs no access to Sandboxes, RouteGroups and
// PreviewLinks. Gateways confirm hosts, and report the uses of tokens, in the status of the same object.

import { s } from "homeostat";
import { count } from "./spec-common.ts";
import { publishedTls } from "./spec-endpoint.ts";

/** Maximum number of preview hosts of one Service. */
export const hostsMax = 1_000;
/** Maximum number of tokens of one host; the newest ones are kept. */
export const tokensMax = 500;
/** Maximum size of all hosts of one Service as JSON in bytes. Together with the routes, a table stays below the limit of the API server. */
export const hostBytesMax = 300 * 1024;

/** Maximum number of tokens of one Service whose uses are recorded. */
export const usedTokensMax = 1_000;
/** Maximum number of replicas of the route server that record uses of one token. */
export const tokenUsesMax = 64;

/** Kinds with preview endpoints. */
export const endpointKinds = ["Sandbox", "RouteGroup"] as const;
export type EndpointKind = (typeof endpointKinds)[number];

const host = s.object({
  host: s.string().max(253).describe("Host that gateways serve."),
  target: s.string().max(256).describe("URL of the Service."),
  auth: s.enum("Token", "Forward", "None").describe("How gateways authenticate callers."),
  path: s.string().max(1024).describe("Prefix of the paths that the host serves."),
  routingKey: s.string().max(63).optional().describe("Routing key that gateways set on all requests."),
  defaultRoutingKey: s.string().max(63).optional().describe("Routing key that gateways set on requests without one."),
  tls: publishedTls.optional().describe("How gateways verify the Service, if they connect to it with TLS."),
  expiresAt: s.time().optional().describe("Time after which gateways respond with 410."),
  tokens: s
    .list(s.string().max(64))
    .atomic()
    .max(tokensMax)
    .optional()
    .describe("IDs of the tokens that gateways accept."),
  owner: s
    .object({
      kind: s.enum(...endpointKinds).describe("Kind of the object."),
      namespace: s.string().max(63).describe("Namespace of the object."),
      name: s.string().max(63).describe("Name of the object."),
      uid: s.string().max(64).describe("UID of the object."),
    })
    .describe("Object that the endpoint belongs to."),
});

/** Field `spec.hosts`. */
export const hostsSpec = s
  .list(host)
  .atomic()
  .max(hostsMax)
  .optional()
  .describe("Preview hosts that route to the Service, sorted.");

/** Field `spec.omittedHosts`. */
export const omittedHostsSpec = s
  .int()
  .min(0)
  .optional()
  .describe(
    "Number of preview hosts omitted because of the size limit. Hosts of the newest objects are omitted first.",
  );

/** Field `hosts` of the entry of a replica in `status.replicas`. */
export const servedHostsStatus = s
  .object({
    version: s.string().max(64).describe("Hash of the preview hosts that the counts refer to."),
    gateways: count.describe("Number of gateways connected to the replica."),
    unserved: s
      .list(s.string().max(253))
      .atomic()
      .max(hostsMax)
      .optional()
      .describe("Preview hosts that not all of these gateways serve."),
  })
  .optional()
  .describe("Confirmations of preview hosts by gateways.");

/** Field `status.tokenUses`. */
export const tokenUsesStatus = s
  .map(
    s
      .map(
        s.object({
          count: count.describe("Uses that gateways have reported to the replica."),
          lastUsedAt: s.time().describe("Time of the last use."),
        }),
      )
      .max(tokenUsesMax),
  )
  .max(usedTokensMax)
  .optional()
  .describe(
    "Uses of preview tokens by ID of the token and replica of the route server. The operator copies them to PreviewLinks.",
  );
