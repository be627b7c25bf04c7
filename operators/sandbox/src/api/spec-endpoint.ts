// Endpoints: preview addresses of Services of the cluster.

import { s } from "homeostat";
import { namePattern } from "./names.ts";
import { urlPath } from "./spec-http.ts";

export const endpointNameLengthMax = 30;

const label = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";

/** The pattern of endpoint targets: a URL of a Service, without a path. */
export const endpointTargetPattern = String.raw`^(http|https|grpc)://${label}\.${label}\.svc(:[0-9]{1,5})?$`;

export const endpointTargetProblem =
  "must be the URL of a Service, such as http://frontend.shop.svc:8080, with the scheme http, https or grpc and without a path";

/** The pattern of host names. */
export const hostPattern = String.raw`^${label}(\.${label})+$`;

/** Maximum length of the CA bundle of an endpoint, in characters. */
export const caBundleLengthMax = 8_192;

const caBundle = s.string().min(1).max(caBundleLengthMax);

/** TLS from gateways to the Service of an endpoint, as it is published. */
export const publishedTls = s.object({
  caBundle: caBundle.describe("CA certificates that gateways trust, as PEM."),
  serverName: s.string().max(253).describe("Name that the certificate must have."),
});

/** One preview address. */
export const endpoint = s
  .object({
    name: s
      .string()
      .min(1)
      .max(endpointNameLengthMax)
      .pattern(namePattern)
      .describe("Name of the endpoint. It starts the generated host name."),
    target: s
      .string()
      .min(1)
      .max(256)
      .rule({
        rule: `self.matches(r'${endpointTargetPattern}')`,
        message: endpointTargetProblem,
        reason: "FieldValueInvalid",
      })
      .describe(
        "Service that the address routes to, as http, https or grpc URL: http://<service>.<namespace>.svc[:port]. Another namespace needs a SandboxPolicy there that allows it.",
      ),
    host: s
      .string()
      .max(253)
      .pattern(hostPattern)
      .optional()
      .describe(
        "Host name under the preview domain, unique in the cluster. Default: <name>--<routingKey> under the preview domain.",
      ),
    auth: s
      .enum("Token", "Forward", "None")
      .default("Token")
      .describe(
        "Authentication of callers: Token requires a signed token, Forward asks the configured URL, None accepts all callers and needs a SandboxPolicy that allows it.",
      ),
    path: urlPath.default("/").describe("Prefix of the paths that the address serves."),
    tls: s
      .object({
        caBundle: caBundle.describe(
          "CA certificates that the certificate of the Service is verified with, as PEM. No other CA is trusted.",
        ),
        serverName: s
          .string()
          .max(253)
          .pattern(hostPattern)
          .optional()
          .describe("Name that the certificate must have. Default: <service>.<namespace>.svc of the target."),
      })
      .optional()
      .describe("How gateways verify the Service of an https target, which is not served without it."),
  })
  .rule({
    rule: "!has(self.tls) || self.target.startsWith('https://')",
    message: "must be absent unless the target has the scheme https",
    reason: "FieldValueForbidden",
    fieldPath: ".tls",
  });

/** The Service that an endpoint routes to. */
export interface EndpointTarget {
  readonly scheme: string;
  readonly service: string;
  readonly namespace: string;
  /** Absent if the target has none; it is then the only port of the Service, or the one for the scheme. */
  readonly port: number | undefined;
}

const targetParts = /^(http|https|grpc):\/\/([^./:]+)\.([^./:]+)\.svc(?::([0-9]{1,5}))?$/;

/** Parses the target of an endpoint. Returns undefined if it is not the URL of a Service. */
export function parseEndpointTarget(target: string): EndpointTarget | undefined {
  const [, scheme, service, namespace, port] = targetParts.exec(target) ?? [];
  if (scheme === undefined || service === undefined || namespace === undefined) return undefined;
  return { scheme, service, namespace, port: port === undefined ? undefined : Number(port) };
}
