// Decides about requests to preview hosts: host, life, authentication, path; then the routes of the Service with the key of the host.

import type { Clock } from "@homeostat/core";
import type { IncomingRequest, RespondPlan, RoutePlan, Router } from "@homeostat/proxy";
import {
  comparablePath,
  noPreviewSettings,
  previewCookie,
  previewParameter,
  type PreviewSettings,
  withoutParameters,
} from "@homeostat/routing";
import { PreviewVerifier } from "@homeostat/x509";
import { type ForwardAuth, withVerdict } from "./forward-auth.ts";
import type { GatewayHost, GatewayHosts } from "./gateway-hosts.ts";
import { hostNameOf } from "./host-name.ts";
import { pages } from "./pages.ts";
import { refusalTexts, TokenChecker } from "./token-check.ts";

export interface GatewayRouterOptions {
  readonly hosts: GatewayHosts;
  readonly forward: Pick<ForwardAuth, "check">;
  readonly clock: Pick<Clock, "now">;
  /** Called when a token opens a host by a link or a header, with the id of the token. */
  readonly onUse?: ((id: string) => void) | undefined;
}

/** Routes the requests of a gateway. */
export class GatewayRouter implements Router {
  readonly #options: GatewayRouterOptions;
  #settings = noPreviewSettings;
  #checker = new TokenChecker(new PreviewVerifier([]));

  constructor(options: GatewayRouterOptions) {
    this.#options = options;
  }

  /** Replaces the settings of all hosts. */
  configure(settings: PreviewSettings): void {
    if (settings === this.#settings) return;
    this.#settings = settings;
    this.#checker = new TokenChecker(new PreviewVerifier(settings.keys));
  }

  /** Returns the protocols that clients of a host may choose by ALPN. HTTP/2 requests reach only Services that speak it. */
  protocolsOf(serverName: string): readonly string[] {
    const found = this.#options.hosts.find(hostNameOf(serverName) ?? "");
    const isHttp2 = typeof found === "object" && found.preview.protocol === "http2";
    return isHttp2 ? ["h2", "http/1.1"] : ["http/1.1"];
  }

  route(request: IncomingRequest): RoutePlan {
    const name = hostNameOf(request.authority);
    const host = name === undefined ? undefined : this.#options.hosts.find(name);
    if (host === undefined) return pages.unknownHost();
    if (host === "expired") return pages.expired();
    switch (host.preview.auth) {
      case "None":
        return admit(request, host);
      case "Token":
        return this.#withToken(request, host);
      case "Forward":
        return this.#withForward(request, host);
    }
  }

  #withToken(request: IncomingRequest, host: GatewayHost): RoutePlan {
    const { clock, onUse } = this.#options;
    const now = clock.now();
    const verdict = this.#checker.check(request, host, now);
    if ("refused" in verdict) {
      const respond = verdict.refused === "missing" ? pages.unauthenticated : pages.forbidden;
      return respond(refusalTexts[verdict.refused], host.port.baseline);
    }
    const { claims, token, place } = verdict;
    const recordUse = (): void => {
      if (place !== "cookie") onUse?.(claims.jti);
    };
    const isPage = (request.method === "GET" || request.method === "HEAD") && !request.isUpgrade;
    if (place === "query" && isPage) {
      recordUse();
      // The user of a bound token is checked at the next request: the authentication service may redirect to a login, and must not get the token.
      return this.#setCookie(request, host, { token, secondsLeft: Math.max(1, Math.floor(claims.exp - now / 1_000)) });
    }
    if (claims.for !== undefined) return this.#withForward(request, host, { forUser: claims.for, recordUse });
    recordUse();
    return admit(request, host);
  }

  /** Moves the token of a link from the address to a cookie, so that it stays neither in the history nor in referrers. */
  #setCookie(
    { path }: IncomingRequest,
    host: GatewayHost,
    { token, secondsLeft }: { readonly token: string; readonly secondsLeft: number },
  ): RespondPlan {
    const attributes = ["Path=/", `Max-Age=${secondsLeft}`, "HttpOnly", "SameSite=Lax"];
    if (this.#settings.isSecure) attributes.push("Secure");
    const cookie = `${previewCookie}=${token}; ${attributes.join("; ")}`;
    // Two slashes, or backslashes in browsers, would lead to another host.
    const location = withoutParameters(path, [previewParameter]).replace(/^[/\\]+/, "/");
    return pages.redirect(location, [["set-cookie", cookie]], host.port.baseline);
  }

  /** Asks the authentication service about a request. With a bound token, the service must also name the user of the token. */
  #withForward(request: IncomingRequest, host: GatewayHost, bound?: BoundToken): RoutePlan {
    const { forward: settings } = this.#settings;
    const { baseline: destination, baselineWorkload: workload } = host.port;
    if (settings === undefined) {
      const body =
        "This preview address needs an authentication service, and none is configured (preview.forward.url).\n";
      return pages.unavailable(body, destination);
    }
    if (bound !== undefined && settings.userHeader === undefined)
      return pages.unavailable(boundTexts.notConfigured, destination);
    return {
      type: "hold",
      destination,
      workload,
      wait: async (signal, bytes, client) => {
        const question = { settings, host: host.preview.host, destination };
        const verdict = await this.#options.forward.check(request, question, signal);
        if ("refused" in verdict) return verdict.refused;
        if (bound !== undefined && verdict.user !== bound.forUser)
          return pages.forbidden(verdict.user === undefined ? boundTexts.noUser : boundTexts.otherUser, destination);
        bound?.recordUse();
        const plan = admit(request, host);
        const ended = plan.type === "hold" ? await plan.wait(signal, bytes, client) : plan;
        return withVerdict(ended, settings.headers, verdict.allowed);
      },
    };
  }
}

/** A token that one user may use. */
interface BoundToken {
  readonly forUser: string;
  readonly recordUse: () => void;
}

/** Texts of the responses to requests with a token of another user. They do not name the user of the token. */
const boundTexts = {
  otherUser:
    "The preview token is bound to another user. Ask its creator for a link of your own: sandboxctl preview link NAME ENDPOINT --for USER\n",
  noUser:
    "The preview token is bound to one user, and the authentication service did not name yours (preview.forward.userHeader).\n",
  notConfigured:
    "The preview token is bound to one user, and the header that names users is not configured (preview.forward.userHeader).\n",
};

/** Returns the plan of a request that may use the host. */
function admit(request: IncomingRequest, { preview, port, hasBaseline, router }: GatewayHost): RoutePlan {
  const { path, routingKey, defaultKey, protocol } = preview;
  if (!isBelow(request.path, path)) return pages.wrongPath(path, port.baseline);
  if (request.protocol === "http2" && protocol !== "http2") return pages.misdirected(port.baseline);
  const plan = router.route(withKey(request, { assignedKey: routingKey, defaultKey }));
  const isBaseline = plan.type === "forward" && plan.destination.kind === "baseline";
  return isBaseline && !hasBaseline ? pages.noReadyPods(port.baseline) : plan;
}

/** Reports whether a path is below a prefix of whole segments. A path that servers may read in several ways is not. */
function isBelow(path: string, prefix: string): boolean {
  if (prefix === "/") return true;
  const comparable = comparablePath(path);
  const base = prefix.replace(/\/+$/, "");
  return comparable !== undefined && (comparable === base || comparable.startsWith(`${base}/`));
}

/** Returns a request with the key of its host. Engines have the fields of a request in accessors, so they are read here. */
function withKey(request: IncomingRequest, keys: Pick<IncomingRequest, "assignedKey" | "defaultKey">): IncomingRequest {
  const { method, path, headers, clientAddress, isFromNode, protocol, scheme, authority, isUpgrade, isGrpc } = request;
  return { method, path, headers, clientAddress, isFromNode, protocol, scheme, authority, isUpgrade, isGrpc, ...keys };
}
