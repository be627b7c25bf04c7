import { isRecord } from "@homeostat/core";
import { Refusal } from "../auth/refusal.ts";
import { makeToken, type TokenMaker, type TokenRequestBody } from "../auth/token-request.ts";
import type { SpecialEndpoint } from "../handlers/special.ts";
import { noSuchResourceStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import { readSent, shownObject } from "./sent.ts";

/** The endpoint that makes tokens of service accounts. */
export function tokenEndpoint(maker: TokenMaker): SpecialEndpoint {
  return {
    group: "",
    resource: "serviceaccounts",
    subresource: "token",
    handle: async (admitted) => {
      const { request, parts, warn } = admitted;
      const { namespace, name } = request.info;
      const kind = parts.kinds.find("", "v1", "serviceaccounts");
      if (kind === undefined) throw new StatusError(noSuchResourceStatus());
      const sent = await readSent(admitted, kind);
      const { metadata, spec } = sent.object;
      const body: TokenRequestBody = {
        ...(isRecord(metadata) ? { metadata } : {}),
        ...(isRecord(spec) ? { spec } : {}),
      };
      const answer = makeToken(maker, { namespace, name, body });
      if (answer instanceof Refusal) throw new StatusError(answer.status);
      const shown = isRecord(answer.object["metadata"]) ? answer.object["metadata"] : {};
      const made = { ...answer.object, metadata: { ...shown, managedFields: sent.managedFields } };
      // Nobody who looks at requests is shown the token.
      await sent.validate({ ...made, status: { token: "", expirationTimestamp: null } });
      for (const text of answer.warnings) warn(text);
      return shownObject(admitted, 201, made);
    },
  };
}
