import { type Clock, type JsonRecord, once, type Random, systemClock, systemRandom } from "@homeostat/core";
import { makeSigningKey } from "@homeostat/x509";
import { Aggregator } from "../aggregation/aggregator.ts";
import { UpstreamClient } from "../aggregation/upstream.ts";
import { AdmissionChain } from "../admission/chain.ts";
import { type Authorizer, forbiddenRefusal } from "../auth/attributes.ts";
import { Authenticator, publicPaths } from "../auth/authenticate.ts";
import { Impersonation } from "../auth/impersonation.ts";
import { SigningKey } from "../auth/jwt.ts";
import { ServiceAccountTokens } from "../auth/service-account-tokens.ts";
import { isInGroup, wellKnown } from "../auth/user.ts";
import { Discovery } from "../handlers/discovery.ts";
import { OpenApiPaths } from "../handlers/openapi.ts";
import { pipeline } from "../handlers/pipeline.ts";
import { routes } from "../handlers/routes.ts";
import { SpecialEndpoints } from "../handlers/special-endpoints.ts";
import type { Faults } from "../http/faults.ts";
import type { Handler } from "../http/handler.ts";
import { formatKubeconfig } from "../http/kubeconfig.ts";
import { HttpServer } from "../http/server.ts";
import { serverChecks } from "../http/server-checks.ts";
import { adminIdentity, type ClientIdentity, ServerCertificates } from "../http/server-certificates.ts";
import { servedBuiltIns } from "../kinds/served-built-in.ts";
import { RequestMetrics } from "../metrics/request-metrics.ts";
import { ServerMetrics } from "../metrics/server-metrics.ts";
import type { Call } from "../registry/call.ts";
import { Kinds } from "../registry/kinds.ts";
import { Registry } from "../registry/registry.ts";
import { decodeStored, findShared } from "../registry/stored-object.ts";
import { followApiServices } from "../own-objects/api-services.ts";
import { FlowClassifier } from "../own-objects/flow-classifier.ts";
import { followFlowConditions } from "../own-objects/flow-conditions.ts";
import { IdentityLease } from "../own-objects/identity-lease.ts";
import { followIpAddresses } from "../own-objects/ip-addresses.ts";
import { StatusError } from "../status/status.ts";
import { nodeFiles } from "../storage/node-files.ts";
import { openStore } from "../storage/open-store.ts";
import type { DataNotice } from "../storage/recover.ts";
import { Store, type StoreSnapshot } from "../storage/store.ts";
import type { WatchFaults } from "../watch/faults.ts";
import { WatchHub } from "../watch/hub.ts";
import { EventExpiry } from "./event-expiry.ts";
import { bootstrapStore } from "./bootstrap-store.ts";
import { guardRbac, RbacState } from "./rbac-state.ts";
import { RoleAggregation } from "./role-aggregation.ts";
import type { ApiAddress, ApiListenOptions, ApiServerOptions, ServerTools } from "./server-options.ts";
import { serverPages } from "./server-pages.ts";
import { tokenObjects } from "./token-objects.ts";

export type { ApiAddress, ApiListenOptions, ApiServerOptions, ServerExtension, ServerTools } from "./server-options.ts";

/** Options of `ApiServer.open`. */
export interface OpenServerOptions extends Omit<ApiServerOptions, "store" | "from"> {
  /**
   * True to acknowledge a write only when it is on the disk (fsync). Default true.
   *
   * With false a write survives the death of the process, but may be lost when the machine loses power.
   */
  readonly fsync?: boolean;
  /** Called with repairs made while opening the directory, and with later failures that lose no data. */
  readonly onNotice?: (notice: DataNotice) => void;
}

const allowAll: Authorizer = { authorize: () => ({ isAllowed: true, reason: "" }) };

/**
 * A Kubernetes API server in this process.
 *
 * The constructor wires the parts together; `listen` or `ready` stores the bootstrap objects. `new
 * ApiServer()` has no admission, no custom resources and no special endpoints such as `scale` and token requests; pass
 * `standardOptions()` for a server with everything that kube-apiserver has.
 *
 * @example
 * await using server = new ApiServer();
 * const { url } = await server.listen();
 * await writeFile("kubeconfig", server.kubeconfig());
 */
export class ApiServer {
  /** @internal Parts of the server, for its extensions and tests. */
  readonly tools: ServerTools;
  readonly certificates: ServerCertificates;
  /** Handles requests without a socket, for tests. Wait for {@link ApiServer.ready} first. */
  readonly handler: Handler;
  /** @internal Endpoints that are more than stored objects. */
  readonly special: SpecialEndpoints;
  readonly #http: HttpServer;
  readonly #aggregator: Aggregator;
  readonly #owned: Disposable[] = [];
  readonly #options: ApiServerOptions;
  readonly #ready: () => Promise<void>;
  readonly #dispose: (() => Promise<void>) | undefined;
  readonly #roles = new RoleAggregation(() => this.tools);
  #address: ApiAddress | undefined;

  constructor(options: ApiServerOptions = {}, dispose?: () => Promise<void>) {
    const { clock = systemClock, random = systemRandom, observer, hosts = [] } = options;
    this.#options = options;
    this.#dispose = dispose;
    this.certificates = options.certificates ?? new ServerCertificates({ clock });
    this.tools = this.#makeTools(options, clock, random);
    const { kinds, authorizer, authenticator } = this.tools;
    this.special = new SpecialEndpoints(options.special?.(this.tools));
    const upstream = new UpstreamClient(() => this.certificates.frontProxy.client);
    this.#aggregator = new Aggregator({
      store: this.tools.store,
      reader: this.tools.registry,
      clock,
      send: (request, signal) => upstream.send(request, signal),
      resolveService: options.resolveService,
      local: options.localVersions,
    });
    this.#owned.push(upstream, this.#aggregator);
    const discovery = new Discovery({
      kinds,
      remote: this.#aggregator,
      address: () => (this.#address === undefined ? "127.0.0.1" : `${this.#address.host}:${this.#address.port}`),
    });
    const openApi = new OpenApiPaths(kinds, clock);
    const flows = new FlowClassifier(this.tools.store);
    const requests = new RequestMetrics({ kinds, clock });
    const metrics = new ServerMetrics({
      store: this.tools.store,
      kinds,
      clock,
      requests,
      dispatched: () => flows.dispatched(),
      remoteVersions: () => this.#aggregator.versions(),
    });
    this.#owned.push(flows, metrics);
    const checks = serverChecks(this.tools.store);
    const other = serverPages({
      tools: this.tools,
      options,
      metrics,
      flows,
      checks,
      address: () => this.#address,
    });
    const route = routes({
      special: this.special,
      aggregator: this.#aggregator,
      discovery,
      openApi,
      other,
      info: { checks },
    });
    this.handler = pipeline({
      parts: this.tools,
      authenticator,
      impersonation: new Impersonation(authorizer),
      authorizer,
      flowHeaders: (attributes) => flows.headersFor(attributes),
      audit: options.audit,
      route: (admitted) => requests.observe(admitted, route),
    });
    this.#http = new HttpServer({
      handler: this.handler,
      clock,
      random,
      hosts,
      ...(observer === undefined ? {} : { observer }),
    });
    this.#ready = once(() => this.#bootstrap());
  }

  /** Opens a server whose state is kept in a directory. Every acknowledged write is restored after a restart. */
  static async open(
    folder: string,
    { fsync = true, onNotice, ...options }: OpenServerOptions = {},
  ): Promise<ApiServer> {
    const { clock = systemClock, random = systemRandom, history } = options;
    const opened = await openStore<JsonRecord>({
      files: nodeFiles(folder),
      clock,
      random,
      fsync,
      decode: decodeStored,
      findShared,
      ...(history === undefined ? {} : { history }),
      ...(onNotice === undefined ? {} : { onNotice }),
    });
    return new ApiServer({ ...options, store: opened.store }, async () => opened[Symbol.asyncDispose]());
  }

  /** @internal Creates, reads, changes and deletes objects without HTTP. */
  get registry(): Registry {
    return this.tools.registry;
  }

  /** @internal Kinds that the server serves. */
  get kinds(): Kinds {
    return this.tools.kinds;
  }

  /** @internal Storage of the objects. */
  get store(): Store<JsonRecord> {
    return this.tools.store;
  }

  /** @internal Open watches. */
  get hub(): WatchHub<JsonRecord> {
    return this.tools.hub;
  }

  /** Injected faults of requests. */
  get faults(): Faults {
    return this.#http.faults;
  }

  /** Injected faults of watches. */
  get watchFaults(): WatchFaults {
    return this.tools.hub.faults;
  }

  /** @internal HTTP server, for tests that manipulate connections. */
  get http(): HttpServer {
    return this.#http;
  }

  /**
   * Waits until the bootstrap objects are stored: namespaces, default roles, priority classes, the Service
   * `kubernetes`.
   */
  ready(): Promise<void> {
    return this.#ready();
  }

  /** Starts to listen and returns the address. Rejects with the error of the system if the port is in use. */
  async listen(options: ApiListenOptions = {}): Promise<ApiAddress> {
    const { clientAuthorities, server } = this.certificates;
    const listening = await this.#http.listen({ ...options, certificate: server, clientAuthorities });
    this.#address = {
      ...listening,
      url: `https://${listening.host.includes(":") ? `[${listening.host}]` : listening.host}:${listening.port}`,
    };
    await this.ready();
    return this.#address;
  }

  /** Returns a kubeconfig for a user of this server; default: the administrator. */
  kubeconfig(identity: ClientIdentity = adminIdentity): string {
    const { ca } = this.certificates;
    return formatKubeconfig({ server: this.#address?.url ?? "", ca, client: this.certificates.client(identity) });
  }

  /**
   * Returns the complete state with its history, from which other servers can start (`from`). Copies no objects, so it
   * is fast.
   */
  snapshot(): StoreSnapshot<JsonRecord> {
    return this.store.snapshot();
  }

  /** Compacts the history: lists and watches of older resourceVersions get 410. */
  compact(revision?: number): void {
    this.store.compact(revision);
  }

  /**
   * Stops the server: ends watches, waits up to `graceMs` for running requests, and releases every socket and timer.
   */
  async stop({ graceMs = 0 }: { readonly graceMs?: number } = {}): Promise<void> {
    await this.#http.stop({ graceMs });
    for (const each of this.#owned.splice(0).reverse()) each[Symbol.dispose]();
    await this.#dispose?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #makeTools(options: ApiServerOptions, clock: Clock, random: Random): ServerTools {
    const { bookmarkEveryMs, issuer = "https://kubernetes.default.svc.cluster.local", eventTtlMs } = options;
    const { apiAudiences = [issuer], anonymous = publicPaths, staticTokens } = options;
    const store = options.store ?? newStore(options, clock);
    const hub = new WatchHub({ store, clock, ...(bookmarkEveryMs === undefined ? {} : { bookmarkEveryMs }) });
    const rbac = new RbacState(store, () => this.#roles.run(rbac));
    const { policy } = rbac;
    const authorizer: Authorizer = options.authorization === "always" ? allowAll : withMasters(policy);
    const admission = once(() => new AdmissionChain(options.admission?.(this.tools) ?? []));
    const registry = new Registry(
      {
        store,
        clock,
        random,
        admission: {
          mutate: (request) => admission().mutate(request),
          finish: (request) => admission().finish(request),
          validate: (request) => admission().validate(request),
          atWrite: (request) => admission().atWrite(request),
        },
        checkEscalation: options.authorization === "always" ? () => undefined : guardRbac(policy, authorizer),
        checkMayCreate: (call) => checkMayCreate(authorizer, call),
      },
      hub,
    );
    const signingKey = options.signingKey ?? ownSigningKey();
    const serviceAccounts = new ServiceAccountTokens({
      issuers: [issuer],
      keys: [signingKey.publicKey],
      apiAudiences,
      objects: tokenObjects(registry),
      clock,
    });
    const authenticator = new Authenticator({ staticTokens, serviceAccounts, anonymous, apiAudiences });
    const kinds = new Kinds(servedBuiltIns(clock));
    this.#owned.push(
      hub,
      rbac,
      new EventExpiry(store, clock, eventTtlMs),
      followApiServices({ store, random, clock }),
      followFlowConditions({ store, clock }),
      followIpAddresses({ store, random, clock }),
    );
    const { serviceNetwork = "10.96.0.0/12" } = options;
    const parts = { registry, kinds, authorizer, clock, random, store, hub, policy, authenticator };
    return { ...parts, signingKey, issuer, apiAudiences, serviceNetwork };
  }

  async #bootstrap(): Promise<void> {
    for (const extend of this.#options.extensions ?? []) {
      const extension = extend(this.tools);
      if (extension !== undefined) this.#owned.push(extension);
    }
    const { isBootstrapped = true } = this.#options;
    this.#aggregator.start();
    if (!isBootstrapped) return;
    const lease = new IdentityLease(this.tools);
    this.#owned.push(lease);
    const port = this.#address?.port ?? 6443;
    await bootstrapStore(this.tools, { certificates: this.certificates, port, lease, roles: this.#roles });
  }
}

function newStore({ from, history }: ApiServerOptions, clock: Clock): Store<JsonRecord> {
  return new Store<JsonRecord>({
    clock,
    decode: decodeStored,
    findShared,
    ...(from === undefined ? {} : { from }),
    ...(history === undefined ? {} : { history }),
  });
}

/** Authorizes the group system:masters for everything, without evaluating roles. */
function withMasters(policy: Authorizer): Authorizer {
  return {
    authorize: (attributes) =>
      isInGroup(attributes.user, wellKnown.masters) ? { isAllowed: true, reason: "" } : policy.authorize(attributes),
  };
}

function checkMayCreate(authorizer: Authorizer, call: Call): void {
  const { user, namespace, name, kind, subresource } = call;
  const { group, plural: resource } = kind.resource;
  const attributes = { user, verb: "create", group, resource, subresource, namespace, name };
  const { isAllowed, reason } = authorizer.authorize(attributes);
  if (!isAllowed) throw new StatusError(forbiddenRefusal(attributes, reason).status);
}

/** Returns a key of this server, generated when a token is first issued or checked. */
function ownSigningKey(): SigningKey {
  return new SigningKey(() => makeSigningKey().privateKey);
}
