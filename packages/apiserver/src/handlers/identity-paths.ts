import type { TokenKey } from "../auth/jwt.ts";
import type { HandlerResponse } from "../http/handler.ts";

/**
 * Serves service account issuer discovery, with which other systems verify service account tokens: `/.well-known/openid-configuration`
 * and `/openid/v1/jwks`. Returns undefined for other paths.
 */
export function identityResponse(
  path: string,
  {
    issuer,
    address,
    keys,
  }: {
    readonly issuer: string;
    /** URL of the server, which may differ from the issuer: `https://127.0.0.1:6443`. */
    readonly address: string;
    readonly keys: readonly TokenKey[];
  },
): HandlerResponse | undefined {
  const cached = { "Cache-Control": "public, max-age=3600" };
  if (path === "/.well-known/openid-configuration") {
    const algorithms = [...new Set(keys.map((key) => key.toJwk()["alg"]))];
    const body = JSON.stringify({
      issuer,
      jwks_uri: `${address}/openid/v1/jwks`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: algorithms,
    });
    return { status: 200, headers: { "Content-Type": "application/json", ...cached }, body };
  }
  if (path !== "/openid/v1/jwks") return undefined;
  const body = JSON.stringify({ keys: keys.map((key) => key.toJwk()) });
  return { status: 200, headers: { "Content-Type": "application/jwk-set+json", ...cached }, body };
}
