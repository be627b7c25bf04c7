import { isRecord } from "@homeostat/core";
import { Refusal } from "../../../auth/refusal.ts";
import { issueToken, type TokenIssuer, type TokenRequestBody } from "../../../auth/token-request.ts";
import type { EndpointTools, KindEndpoint } from "../../../endpoints/endpoint-tools.ts";
import { readPosted, plainObjectResponse } from "../../../endpoints/posted-object.ts";
import { noSuchResourceStatus } from "../../../status/refusals.ts";
import { StatusError } from "../../../status/status.ts";

/** Builds the endpoint that issues tokens for service accounts. */
export function tokenEndpoint({
  issuer,
  signingKey: key,
  apiAudiences,
  objects,
  clock,
  random,
}: EndpointTools): KindEndpoint {
  const maker: TokenIssuer = { issuer, key, apiAudiences, objects, clock, random };
  return {
    subresource: "token",
    handle: async (authorized) => {
      const { request, parts, warn } = authorized;
      const { namespace, name } = request.info;
      const kind = parts.kinds.find("", "v1", "serviceaccounts");
      if (kind === undefined) throw new StatusError(noSuchResourceStatus());
      const sent = await readPosted(authorized, kind);
      const { metadata, spec } = sent.object;
      const body: TokenRequestBody = {
        ...(isRecord(metadata) ? { metadata } : {}),
        ...(isRecord(spec) ? { spec } : {}),
      };
      const answer = issueToken(maker, { namespace, name, body });
      if (answer instanceof Refusal) throw new StatusError(answer.status);
      const shown = isRecord(answer.object["metadata"]) ? answer.object["metadata"] : {};
      const made = { ...answer.object, metadata: { ...shown, managedFields: sent.managedFields } };
      // Validating admission must not see the token.
      await sent.validate({ ...made, status: { token: "", expirationTimestamp: null } });
      for (const text of answer.warnings) warn(text);
      return plainObjectResponse(authorized, 201, made);
    },
  };
}
