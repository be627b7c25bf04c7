import type { FlagAliases } from "@homeostat/operator";

/** Flags of the Go operator that have other names here, or no effect. */
export const flagAliases: FlagAliases = {
  "enable-webhooks": "webhooks",
  "webhook-cert-path": "webhook-cert-dir",
  "metrics-cert-path": "metrics-cert-dir",
  "webhook-self-signed": {
    ignored: "switch",
    check: (value, { webhooks, webhookCertDir }) =>
      ["0", "f", "false"].includes(value.toLowerCase()) && webhooks && webhookCertDir === undefined
        ? "is false and webhooks are enabled, so --webhook-cert-path is required"
        : undefined,
  },
  "enable-http2": { ignored: "switch", why: "metrics and webhooks are served over HTTP/1.1 only" },
};
