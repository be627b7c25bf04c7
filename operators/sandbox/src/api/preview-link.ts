import {
  type ConditionReasonOf,
  type ConditionTypeOf,
  type DeepReadonly,
  defineResource,
  type InputOf,
  type ObjectOf,
  s,
} from "homeostat";
import { ageColumn } from "@homeostat/schema";
import { initialConditions, pendingReason } from "./conditions.ts";
import { atLeastRule } from "./duration.ts";
import { category, group, version } from "./identity.ts";
import { publicKeyPattern } from "./local-workload.ts";
import { count, dnsLabel, duration, metadataName, nameRule } from "./spec-common.ts";
import { endpointNameLengthMax } from "./spec-endpoint.ts";
import { namePattern } from "./names.ts";

/** The condition types of a PreviewLink, and the reasons of each. */
export const previewLinkReasons = {
  Ready: [
    pendingReason,
    "Issued",
    "WaitingForKeys",
    "TargetMissing",
    "EndpointMissing",
    "EndpointNotServed",
    "AccessDenied",
    "CreatorUnknown",
    "IdentityUnavailable",
    "InvalidSpec",
    "Expired",
  ],
} as const;

/** Maximum number of replicas of the route server whose counts are kept. */
export const usesMax = 64;

const fixed = (field: string): string => `${field} cannot be changed; create another PreviewLink`;

const initialStatus = { observedGeneration: 0, conditions: initialConditions(previewLinkReasons) };

const status = s
  .object({
    observedGeneration: s.int64().optional().describe("Generation that the status was derived from."),
    createdBy: s.string().max(1024).optional().describe("User who created the link."),
    tokenId: s
      .string()
      .max(64)
      .optional()
      .describe(
        "ID of the token. Gateways accept the token while this field has its ID; deleting the link revokes it.",
      ),
    host: s.string().max(253).optional().describe("Host that the token is valid for."),
    url: s.string().max(1300).optional().describe("Address of the endpoint, without the token."),
    expiresAt: s.time().optional().describe("Time at which the token expires."),
    token: s.string().max(4096).optional().describe("The token, encrypted with spec.publicKey."),
    uses: s
      .list(
        s.object({
          name: s.string().min(1).max(253).describe("Name of the replica of the route server."),
          count: count.describe("Uses that gateways have reported to the replica."),
          lastUsedAt: s.time().optional().describe("Time of the last use."),
        }),
      )
      .mapBy("name")
      .max(usesMax)
      .optional()
      .describe("Number of times that the token was used to open the address."),
  })
  .default(initialStatus);

export const PreviewLink = defineResource({
  group,
  version,
  kind: "PreviewLink",
  shortNames: ["pl"],
  categories: [category],
  description:
    "PreviewLink requests a token for a preview address. The operator writes the encrypted token to the status, for the user who created the link. Deleting the link revokes the token.",
  name: metadataName,
  rules: [nameRule],
  spec: s
    .object({
      targetRef: s
        .object({
          kind: s
            .enum("Sandbox", "RouteGroup")
            .default("Sandbox")
            .immutable(fixed("targetRef.kind"))
            .describe("Kind of the object."),
          name: dnsLabel.immutable(fixed("targetRef.name")).describe("Name of the object."),
        })
        .describe("The Sandbox or RouteGroup of the endpoint, in the same namespace. Immutable."),
      endpoint: s
        .string()
        .min(1)
        .max(endpointNameLengthMax)
        .pattern(namePattern)
        .immutable(fixed("endpoint"))
        .describe("Name of the endpoint. Immutable."),
      mode: s
        .enum("Personal", "Share")
        .default("Share")
        .immutable(fixed("mode"))
        .describe(
          "Personal: a token for the host of the endpoint. Share: a separate host, to share with others. Immutable.",
        ),
      forUser: s
        .string()
        .min(1)
        .max(256)
        .pattern("^[!-~]+$")
        .optional()
        .immutable(fixed("forUser"))
        .describe(
          "The only user who may use the link, as the authentication service of preview.forward names them. Upper and lower case differ. Default: everyone who has the link. Immutable.",
        ),
      expires: duration
        .rule(atLeastRule({ seconds: 60, zero: false }))
        .default("8h")
        .immutable(fixed("expires"))
        .describe(
          "Lifetime: seconds, or a number with the unit s, m, h, d or w. From 60s to 28d; preview.tokenTTL limits the lifetime of a personal token. Immutable.",
        ),
      publicKey: s
        .string()
        .min(43)
        .max(43)
        .pattern(publicKeyPattern)
        .immutable(fixed("publicKey"))
        .describe("X25519 public key that the token is encrypted with, as 43 characters of base64url. Immutable."),
      description: s.string().max(1024).default("").describe("Purpose of the link."),
    })
    .rule({
      rule: "!has(self.forUser) || self.mode == 'Share'",
      message: "must be absent with the mode Personal: a personal token belongs to the user who creates it",
      reason: "FieldValueForbidden",
      fieldPath: ".forUser",
    }),
  status,
  conditions: previewLinkReasons,
  columns: [
    { name: "Kind", jsonPath: ".spec.targetRef.kind", priority: 1 },
    { name: "Target", jsonPath: ".spec.targetRef.name", description: "Sandbox or RouteGroup" },
    { name: "Endpoint", jsonPath: ".spec.endpoint" },
    { name: "Mode", jsonPath: ".spec.mode" },
    { name: "User", jsonPath: ".status.createdBy" },
    { name: "For", jsonPath: ".spec.forUser", priority: 1, description: "The only user who may use the link" },
    { name: "Expires", jsonPath: ".status.expiresAt", type: "string" },
    { name: "Ready", condition: "Ready" },
    ageColumn,
    { name: "Host", jsonPath: ".status.host", priority: 1 },
  ],
});

/** A PreviewLink with the defaults of the schema, as the API server returns it. */
export type PreviewLink = ObjectOf<typeof PreviewLink>;
/** A PreviewLink as a client may write it, without defaults. */
export type PreviewLinkInput = InputOf<typeof PreviewLink>;
/** A PreviewLink read from the cache. */
export type CachedPreviewLink = DeepReadonly<PreviewLink>;
export type PreviewLinkReason<C extends ConditionTypeOf<PreviewLink> = ConditionTypeOf<PreviewLink>> =
  ConditionReasonOf<PreviewLink, C>;
