import type { PreviewSettings } from "@homeostat/routing";
import type { OperatorConfig } from "@homeostat/sandbox-operator";

/** Returns the settings that gateways receive: the public keys, and the authentication service if one is configured. */
export function previewSettings(
  { scheme, forward }: Pick<OperatorConfig["preview"], "scheme" | "forward">,
  keys: PreviewSettings["keys"],
): PreviewSettings {
  const { url, headers, userHeader, timeoutSeconds } = forward;
  const user = userHeader === "" ? {} : { userHeader };
  return {
    keys,
    isSecure: scheme === "https",
    ...(url !== "" && { forward: { url, headers, ...user, timeoutMs: timeoutSeconds * 1_000 } }),
  };
}
