import { dnsLabelProblems, dnsSubdomainProblems, withoutUndefined } from "@homeostat/core";
import { type FieldProblem, FieldReader, ProblemList } from "../checks/field-reader.ts";
import { isRoutingKey } from "../key/routing-key.ts";

/** Authentication of the callers of a preview host. */
export type PreviewAuth = "Token" | "Forward" | "None";

/** A preview host: an address of the gateway that routes to a Service, with a routing key. The route server sends it in JSON. */
export interface PreviewHost {
  /** Host name in lower case. */
  readonly host: string;
  /** Namespace of the Service. */
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  /** Protocol of the Service: `http2` for gRPC, `https` for HTTP/1.1 with TLS. */
  readonly protocol: "http1" | "http2" | "https";
  /** Trust in the certificate of the Service. Present if the protocol is `https`, and only then. */
  readonly tls?: PreviewHostTls | undefined;
  /** Hash of the content without the addresses. */
  readonly version: string;
  /** Key of all requests to the host. */
  readonly routingKey?: string | undefined;
  /** Key of requests without a key, for a host without `routingKey`. */
  readonly defaultKey?: string | undefined;
  /** Prefix of the paths that the host serves, in whole segments. */
  readonly path: string;
  readonly auth: PreviewAuth;
  /** End of the host, RFC 3339. The gateway then responds with status 410. */
  readonly expiresAt?: string | undefined;
  /** Ready addresses of the Service as `host:port`. If it is absent, they are unknown and the proxy connects to the Service. */
  readonly addresses?: readonly string[] | undefined;
  /** Ids of the tokens that the host accepts. A token that is not listed was revoked. */
  readonly tokens?: readonly string[] | undefined;
}

/** Trust in the certificate of a Service. */
export interface PreviewHostTls {
  /** Certificates of the authorities that are trusted, as PEM. */
  readonly caBundle: string;
  /** Name that the certificate must have. */
  readonly serverName: string;
}

/** A preview host read from JSON. */
export interface ParsedHost {
  /** Undefined if any field is invalid: a host without its restrictions must not be served. */
  readonly host: PreviewHost | undefined;
  readonly problems: readonly FieldProblem[];
}

const auths = ["Token", "Forward", "None"] as const;
const protocols = ["http1", "http2", "https"] as const;
const caBundleLengthMax = 65_536;
const addressesMax = 1000;
/** Largest number of tokens that a host accepts at a time. */
export const hostTokensMax = 10_000;
const tokenIdLengthMax = 128;

/** Reads a preview host from JSON and reports all problems. Unknown fields are ignored. */
export function parsePreviewHost(value: unknown): ParsedHost {
  const problems = new ProblemList();
  const reader = FieldReader.of(value, "", problems);
  if (reader === undefined) return { host: undefined, problems: problems.list() };
  const auth = reader.optionalChoice("auth", auths);
  if (!reader.has("auth")) reader.fail("auth", "is required");
  const protocol = reader.optionalChoice("protocol", protocols) ?? "http1";
  const tls = tlsOf(reader.optionalObject("tls"));
  // A Service with TLS must be verified, and a connection without TLS must not look as if it was.
  if ((protocol === "https") !== (tls !== undefined))
    reader.fail("tls", "must be set for the protocol https, and only for it");
  const host = {
    host: reader.text("host", hostProblem),
    namespace: reader.text("namespace", nameProblem),
    service: reader.text("service", nameProblem),
    port: reader.integer("port", { min: 1, max: 65_535 }),
    protocol,
    version: reader.text("version", (text) => (text.length > 64 ? "must have at most 64 characters" : undefined)),
    path: reader.text("path", (text) => (text.startsWith("/") ? undefined : "must start with /")),
    auth: auth ?? "Token",
    ...withoutUndefined({
      tls,
      routingKey: reader.optionalText("routingKey", keyProblem),
      defaultKey: reader.optionalText("defaultKey", keyProblem),
      expiresAt: reader.optionalText("expiresAt", timeProblem),
      addresses: reader.optionalTexts("addresses", addressesMax, addressProblem),
      tokens: reader.optionalTexts("tokens", hostTokensMax, tokenIdProblem),
    }),
  };
  return { host: problems.count === 0 ? host : undefined, problems: problems.list() };
}

function tlsOf(reader: FieldReader | undefined): PreviewHostTls | undefined {
  if (reader === undefined) return undefined;
  const caBundle = reader.text("caBundle", (text) =>
    text.includes("-----BEGIN CERTIFICATE-----") && text.length <= caBundleLengthMax
      ? undefined
      : `must be certificates as PEM, at most ${caBundleLengthMax} characters`,
  );
  return { caBundle, serverName: reader.text("serverName", hostProblem) };
}

function hostProblem(text: string): string | undefined {
  return dnsSubdomainProblems(text).length === 0 ? undefined : "must be a host name in lower case";
}

function nameProblem(text: string): string | undefined {
  return dnsLabelProblems(text).length === 0 ? undefined : "must be the name of an object";
}

function keyProblem(text: string): string | undefined {
  return isRoutingKey(text) ? undefined : "must be a routing key";
}

function timeProblem(text: string): string | undefined {
  return Number.isNaN(Date.parse(text)) ? "must be a time such as 2030-01-01T00:00:00Z" : undefined;
}

function addressProblem(text: string): string | undefined {
  return /^(\[[0-9a-fA-F:.%]+\]|[^\s:[\]/]+):\d{1,5}$/.test(text) ? undefined : "must be an address as host:port";
}

function tokenIdProblem(text: string): string | undefined {
  return text !== "" && text.length <= tokenIdLengthMax ? undefined : `must have 1 to ${tokenIdLengthMax} characters`;
}
