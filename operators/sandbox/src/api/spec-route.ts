// Explicit routes of RouteGroups.

import { s } from "homeostat";
import {
  celList,
  dnsLabel,
  headerMatches,
  headerName,
  hopByHopHeaders,
  httpMethods,
  objectName,
  ownedRoutingKey,
  ownHeaderPrefix,
  ownHeaders,
  pathMatches,
  sensitiveHeaders,
  stickyModes,
} from "./spec-common.ts";

/** Headers that a route cannot set: those of one connection, of the host, and those that carry routing keys. */
export const unsettableHeaders: readonly string[] = [...hopByHopHeaders, ...ownHeaders, "content-length", "host"];

export const additionalHeaderProblem = `must not set headers of a connection (${hopByHopHeaders.join(", ")}), content-length, host, or headers of the proxy (${ownHeaders.join(", ")}, ${ownHeaderPrefix}*)`;

const isUnsettable = `key.lowerAscii() in ${celList(unsettableHeaders)} || key.lowerAscii().startsWith('${ownHeaderPrefix}')`;

const additionalHeaders = s
  .map(s.string().max(1024))
  .max(16)
  .rule({
    rule: `!self.exists(key, ${isUnsettable})`,
    messageExpression: `'header ' + self.filter(key, ${isUnsettable})[0] + ' cannot be set by a route; remove it'`,
    message: additionalHeaderProblem,
    reason: "FieldValueForbidden",
  });

export const forbiddenKeyHeaders: readonly string[] = [...hopByHopHeaders, ...sensitiveHeaders];

export const keyHeaderProblem = `must not be a header of a connection (${hopByHopHeaders.join(", ")}) nor ${sensitiveHeaders.join(", ")}`;

/** The name of a header that routing keys are read from. */
export const routingKeyHeader = headerName.rule({
  rule: `!(self.lowerAscii() in ${celList(forbiddenKeyHeaders)})`,
  messageExpression: `'header ' + self + ' cannot carry a routing key; use a header of your own, such as X-Routing-Key'`,
  message: keyHeaderProblem,
  reason: "FieldValueForbidden",
});

/** The most explicit routes of a group. */
export const routesMax = 64;

/** One explicit route. */
export const route = s.object({
  routingKey: ownedRoutingKey.optional().describe("Key of the requests. Default: the key of the group."),
  targetSandbox: dnsLabel.describe("Sandbox in the same namespace that serves the requests."),
  services: s
    .list(objectName)
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
    .describe("Value that keeps one caller on one side of the percentage. None decides for each request."),
  stickyHeader: headerName
    .optional()
    .describe("Header whose value decides if stickyBy is Header. Default: x-sticky-key."),
  additionalHeaders: additionalHeaders.default({}).describe("Headers that the proxy sets on forwarded requests."),
});
