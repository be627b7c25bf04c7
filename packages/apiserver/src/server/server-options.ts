import type { Clock, JsonRecord, Random } from "@homeostat/core";
import type { AdmissionStep } from "../admission/admission.ts";
import type { ServiceResolver } from "../admission/webhooks/webhook-client.ts";
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

/** What an extension of the server works with: the parts it is made of, before it answers anybody. */
export interface ServerTools extends ServerParts {
  readonly store: Store<JsonRecord>;
  readonly hub: WatchHub<JsonRecord>;
  readonly random: Random;
  readonly policy: RbacPolicy;
  readonly authenticator: Authenticator;
  /** Signs the tokens of service accounts. */
  readonly signingKey: SigningKey;
  readonly issuer: string;
  readonly apiAudiences: readonly string[];
  /** The network that addresses of services are taken from: `10.96.0.0/12`. */
  readonly serviceNetwork: string;
}

/** Something that belongs to a server and lives as long: made with its tools, and disposed of when it stops. */
export type ServerExtension = (tools: ServerTools) => Disposable | undefined;

/** Options of an `ApiServer`; none is needed. */
export interface ApiServerOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  /** The store to serve; it stays open when the server stops. Without one the server has its own, in memory. */
  readonly store?: Store<JsonRecord>;
  /** The state to begin with, from `ApiServer.snapshot`. */
  readonly from?: StoreSnapshot<JsonRecord>;
  readonly history?: HistoryLimits;
  /** How often watchers that want bookmarks get one. Default a minute. */
  readonly bookmarkEveryMs?: number;
  /** `rbac` asks roles and bindings; `always` lets everybody do everything. */
  readonly authorization?: "rbac" | "always";
  /** Where one may come without credentials: the paths of health and version unless told otherwise. */
  readonly anonymous?: "everywhere" | readonly string[];
  readonly staticTokens?: StaticTokens;
  /** Who is named as the maker of tokens of service accounts. */
  readonly issuer?: string;
  /** Whom tokens are for that are meant for this server. Default: the issuer. */
  readonly apiAudiences?: readonly string[];
  readonly signingKey?: SigningKey;
  readonly serviceNetwork?: string;
  readonly certificates?: ServerCertificates;
  /** Finds Services that webhooks and aggregated servers are behind. Default: endpoints are used directly. */
  readonly resolveService?: ServiceResolver;
  /** Names and addresses beside those of this machine that requests may ask for. */
  readonly hosts?: readonly string[];
  readonly observer?: HttpObserver;
  /** How long events are kept, in milliseconds. Default an hour. */
  readonly eventTtlMs?: number;
  /** The steps of admission. */
  readonly admission?: (tools: ServerTools) => readonly AdmissionStep[];
  /** Endpoints that are not simply stored objects. */
  readonly special?: (tools: ServerTools) => readonly SpecialEndpoint[];
  readonly extensions?: readonly ServerExtension[];
  /** Whether a cluster that is empty gets the objects every cluster begins with. Default true. */
  readonly isBootstrapped?: boolean;
}

/** Where a server listens. */
export interface ApiListenOptions {
  readonly port?: number;
  /** Default 127.0.0.1. Anything but this machine needs `isOpenToNetwork`. */
  readonly host?: string;
  readonly isOpenToNetwork?: boolean;
}

/** How to reach a server that listens. */
export interface ApiAddress {
  readonly host: string;
  readonly port: number;
  /** `https://127.0.0.1:6443`. */
  readonly url: string;
}
