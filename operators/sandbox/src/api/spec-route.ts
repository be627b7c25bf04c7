// Explicit routes of RouteGroups.

import { s } from "homeostat";
import { dnsLabel, ownedRoutingKey, stickyModes } from "./spec-common.ts";
import {
  celList,
  celHeaderNamePattern,
  headerMatches,
  headerName,
  headerNameProblem,
  headerValue,
  hopByHopHeaders,
  httpMethods,
  meaningfulHeaders,
  ownHeaderPrefix,
  ownHeaders,
  pathMatches,
} from "./spec-http.ts";

/** Headers that a route cannot set. */
export const unsettableHeaders: readonly string[] = [...hopByHopHeaders, ...ownHeaders];

export const additionalHeaderProblem = `must not set a hop-by-hop header (${hopByHopHeaders.join(", ")}) or a header that the proxy writes (${ownHeaders.join(", ")}, ${ownHeaderPrefix}*)`;

const isUnsettable = `key.lowerAscii() in ${celList(unsettableHeaders)} || key.lowerAscii().startsWith('${ownHeaderPrefix}')`;

const additionalHeaders = s
  .map(headerValue)
  .max(16)
  .rule({
    rule: `self.all(key, key.matches('${celHeaderNamePattern}'))`,
    messageExpression: `'header ' + self.filter(key, !key.matches('${celHeaderNamePattern}'))[0] + ' is not a valid name; use letters, digits and dashes'`,
    message: headerNameProblem,
    reason: "FieldValueInvalid",
  })
  .rule({
    rule: `!self.exists(key, ${isUnsettable})`,
    messageExpression: `'header ' + self.filter(key, ${isUnsettable})[0] + ' cannot be set by a route; remove it'`,
    message: additionalHeaderProblem,
    reason: "FieldValueForbidden",
  });

/** Headers that cannot carry a routing key. */
export const forbiddenKeyHeaders: readonly string[] = [...hopByHopHeaders, ...meaningfulHeaders];

export const keyHeaderProblem = `must not be a hop-by-hop header (${hopByHopHeaders.join(", ")}), nor ${meaningfulHeaders.join(", ")} or ${ownHeaderPrefix}*`;

/** The name of a header that routing keys are read from. */
export const routingKeyHeader = headerName.rule({
  rule: `!(self.lowerAscii() in ${celList(forbiddenKeyHeaders)}) && !self.lowerAscii().startsWith('${ownHeaderPrefix}')`,
  messageExpression: `'header ' + self + ' cannot carry a routing key; use a custom header, such as X-Routing-Key'`,
  message: keyHeaderProblem,
  reason: "FieldValueForbidden",
});

/** Maximum number of explicit routes of a group. */
export const routesMax = 64;

/** One explicit route. */
export const route = s.object({
  routingKey: ownedRoutingKey.optional().describe("Key of the requests. Default: the key of the group."),
  targetSandbox: dnsLabel.describe("Sandbox in the same namespace that serves the requests."),
  services: s
    .list(dnsLabel)
    .set()
    .max(20)
    .optional()
    .describe("Entries of the sandbox that serve requests. Default: all."),
  paths: pathMatches.optional().describe("Paths of the requests; one must match. Default: all."),
  methods: httpMethods.optional().describe("HTTP methods of the requests. Default: all."),
  headers: headerMatches.optional().describe("Headers that requests must have. Default: none."),
  percent: s
    .int()
    .min(0)
    .max(100)
    .default(100)
    .describe("Share of the matching requests that the sandbox serves. The baseline serves the others."),
  stickyBy: s
    .enum(...stickyModes)
    .default("TraceId")
    .describe(
      "Part of the request whose hash decides on which side of the percentage it falls. None decides at random for each request.",
    ),
  stickyHeader: headerName.optional().describe("Header that is hashed if stickyBy is Header. Default: x-sticky-key."),
  additionalHeaders: additionalHeaders.default({}).describe("Headers that the proxy sets on forwarded requests."),
});
