import type { Clock, JsonRecord, Random } from "@homeostat/core";
import type { AdmissionStep } from "../admission/admission.ts";
import type { LocalVersions } from "../aggregation/local-version.ts";
import type { ServiceResolver } from "../admission/webhooks/webhook-client.ts";
import type { AuditSink } from "../audit/audit-log.ts";
import type { Authenticator } from "../auth/authenticate.ts";
import type { SigningKey } from "../auth/jwt.ts";
import type { RbacPolicy } from "../auth/rbac/policy.ts";
import type { StaticTokens } from "../auth/static-tokens.ts";
import type { ServerParts } from "../handlers/context.ts";
import type { SpecialEndpoint } from "../handlers/special-endpoints.ts";
import type { HttpObserver } from "../http/observer.ts";
import type { ServerCertificates } from "../http/server-certificates.ts";
import type { HistoryLimits } from "../storage/history.ts";
import type { Store, StoreSnapshot } from "../storage/store.ts";
import type { WatchHub } from "../watch/hub.ts";

/** Parts of a server for its extensions, before it serves requests. */
export interface ServerTools extends ServerParts {
  readonly store: Store<JsonRecord>;
  readonly hub: WatchHub<JsonRecord>;
  readonly random: Random;
  readonly policy: RbacPolicy;
  readonly authenticator: Authenticator;
  /** Key that signs service account tokens. */
  readonly signingKey: SigningKey;
  readonly issuer: string;
  readonly apiAudiences: readonly string[];
  /** CIDR of Service addresses: `10.96.0.0/12`. */
  readonly serviceNetwork: string;
}

/** Creates a component that lives as long as the server. The result is disposed when the server stops. */
export type ServerExtension = (tools: ServerTools) => Disposable | undefined;

/** Options of an `ApiServer`, all optional. */
export interface ApiServerOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  /** @internal Store to serve. It stays open when the server stops. Default: a new one in memory. */
  readonly store?: Store<JsonRecord>;
  /** Initial state, from `ApiServer.snapshot`. */
  readonly from?: StoreSnapshot<JsonRecord>;
  readonly history?: HistoryLimits;
  /** Interval of bookmarks in milliseconds, for watchers that requested them. Default one minute. */
  readonly bookmarkEveryMs?: number;
  /** `rbac` evaluates roles and bindings; `always` authorizes every request. Default `rbac`. */
  readonly authorization?: "rbac" | "always";
  /** Paths that need no credentials. Default: health and version. */
  readonly anonymous?: "everywhere" | readonly string[];
  readonly staticTokens?: StaticTokens;
  /** Issuer (`iss`) of service account tokens. Default `https://kubernetes.default.svc.cluster.local`. */
  readonly issuer?: string;
  /** Audiences of tokens for this server. Default: the issuer. */
  readonly apiAudiences?: readonly string[];
  readonly signingKey?: SigningKey;
  readonly serviceNetwork?: string;
  readonly certificates?: ServerCertificates;
  /** Resolves Services of webhooks and aggregated servers to an address. Default: endpoints are used directly. */
  readonly resolveService?: ServiceResolver;
  /** @internal API versions that code in this process serves, in place of aggregated servers. Default: none. */
  readonly localVersions?: LocalVersions;
  /** Host names and addresses in addition to those of this machine for which requests are accepted. */
  readonly hosts?: readonly string[];
  readonly observer?: HttpObserver;
  /** Takes an audit event of each request, for example the `write` of {@link openAuditLog}. Default: none. */
  readonly audit?: AuditSink;
  /** Lifetime of events in milliseconds. Default one hour. */
  readonly eventTtlMs?: number;
  /** @internal Admission plugins in order. Default: none. */
  readonly admission?: (tools: ServerTools) => readonly AdmissionStep[];
  /** @internal Endpoints that are more than stored objects. Default: none. */
  readonly special?: (tools: ServerTools) => readonly SpecialEndpoint[];
  /** @internal Components that live as long as the server. */
  readonly extensions?: readonly ServerExtension[];
  /** True to store the bootstrap objects in an empty cluster. Default true. */
  readonly isBootstrapped?: boolean;
}

/** Address to listen on. */
export interface ApiListenOptions {
  readonly port?: number;
  /** Default 127.0.0.1. Any address that other machines can reach requires `isOpenToNetwork`. */
  readonly host?: string;
  readonly isOpenToNetwork?: boolean;
}

/** Address of a server that listens. */
export interface ApiAddress {
  readonly host: string;
  readonly port: number;
  /** URL: `https://127.0.0.1:6443`. */
  readonly url: string;
}
