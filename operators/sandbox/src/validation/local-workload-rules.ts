// Rules for LocalWorkloads.

import { isIP } from "node:net";
import { dnsSubdomainProblems } from "@homeostat/core";
import { invalidField } from "@homeostat/schema";
import { apiVersion } from "../api/identity.ts";
import { type CachedLocalWorkload, LocalWorkload } from "../api/local-workload.ts";
import { parseServicePattern } from "../api/service-pattern.ts";
import type { ObjectProblem } from "./problem.ts";
import { type Rule, rule, type RuleContext, validateObject } from "./rule.ts";

/** All rules for LocalWorkloads beyond the schema, in the order in which problems are reported. */
export const localWorkloadRules: readonly Rule<CachedLocalWorkload>[] = [
  rule("PublicKeyInvalid", function* ({ spec: { connection } }) {
    for (const [index, key] of connection.publicKeys.entries()) {
      if (isPublicKey(key)) continue;
      const detail =
        "must be the 32 bytes of an Ed25519 public key in base64url without padding, as sandboxctl prints it";
      yield invalidField(`spec.connection.publicKeys[${index}]`, key, detail);
    }
  }),
  rule("LocalHostInvalid", function* ({ spec: { service } }) {
    for (const [index, { localHost }] of service.ports.entries()) {
      if (isIP(localHost) !== 0 || dnsSubdomainProblems(localHost.toLowerCase()).length === 0) continue;
      yield invalidField(
        `spec.service.ports[${index}].localHost`,
        localHost,
        "must be a host name or an IP address, such as 127.0.0.1",
      );
    }
  }),
  rule("OutboundInvalid", function* ({ spec: { outbound } }) {
    for (const [index, text] of (outbound.allow ?? []).entries()) {
      const pattern = parseServicePattern(text);
      if ("problem" in pattern) yield invalidField(`spec.outbound.allow[${index}]`, text, pattern.problem);
    }
  }),
];

/**
 * Reports whether a text is 32 bytes in base64url. 43 characters encode two more bits; setting these bits gives a different spelling of the same key,
 * with which a revoked key could be listed again.
 */
function isPublicKey(text: string): boolean {
  const bytes = Buffer.from(text, "base64url");
  return bytes.length === 32 && bytes.toString("base64url") === text;
}

const validation = {
  resource: LocalWorkload,
  rules: localWorkloadRules,
  complete: ({ metadata, spec }: CachedLocalWorkload): CachedLocalWorkload =>
    LocalWorkload.default({ apiVersion, kind: "LocalWorkload", metadata: { name: metadata.name ?? "" }, spec }),
};

/** Returns all problems of a LocalWorkload that follow from the object itself. */
export function localWorkloadProblems(workload: CachedLocalWorkload, context: RuleContext): readonly ObjectProblem[] {
  return validateObject(workload, validation, context);
}
