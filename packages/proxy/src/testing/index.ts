// `@homeostat/proxy/testing`: one request of each kind that every proxy must pass on, and the upstream that responds to them.
// For tests of other proxies in this repository; there is no compatibility promise.

export { type CaseOutcome, type CaseTarget, type ProtocolCase, protocolCases } from "./protocol-cases.ts";
export { ProtocolUpstream } from "./protocol-upstream.ts";
