import { type Clock, type JsonRecord, once, type Random, systemClock, systemRandom } from "@homeostat/core";
import { makeSigningKey } from "@homeostat/x509";
import { Aggregator } from "../aggregation/aggregator.ts";
import { UpstreamClient } from "../aggregation/upstream.ts";
import { AdmissionChain } from "../admission/chain.ts";
import { type Authorizer, forbiddenRefusal } from "../auth/attributes.ts";
import { Authenticator, publicPaths } from "../auth/authenticate.ts";
import { Impersonation } from "../auth/impersonation.ts";
import { SigningKey } from "../auth/jwt.ts";
import { aggregationChanges } from "../auth/rbac/aggregate.ts";
import { rbacGroup } from "../auth/rbac/objects.ts";
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
import { applySource } from "../registry/update-sources.ts";
import { decodeStored, findShared } from "../registry/stored-object.ts";
import { followApiServices, storeApiServices } from "../own-objects/api-services.ts";
import { FlowClassifier } from "../own-objects/flow-classifier.ts";
import { followFlowConditions } from "../own-objects/flow-conditions.ts";
import { storeFlowControl } from "../own-objects/flow-control.ts";
import { IdentityLease } from "../own-objects/identity-lease.ts";
import { followIpAddresses, recordIpAddresses } from "../own-objects/ip-addresses.ts";
import { StatusError } from "../status/status.ts";
import { StorageStoppedError } from "../storage/errors.ts";
import { nodeFiles } from "../storage/node-files.ts";
import { openStore, type OpenStoreOptions } from "../storage/open-store.ts";
import { Store, type StoreSnapshot } from "../storage/store.ts";
import { WatchHub } from "../watch/hub.ts";
import { EventExpiry } from "./event-expiry.ts";
import { renewAuthentication, storeBootstrapObjects } from "./bootstrap-objects.ts";
import { storeBootstrapPolicy, aggregationManager } from "./bootstrap-policy.ts";
import { guardRbac, RbacState } from "./rbac-state.ts";
import { restorePolicy } from "./restore-policy.ts";
import type { ApiAddress, ApiListenOptions, ApiServerOptions, ServerTools } from "./server-options.ts";
import { ownAddress, serverPages } from "./server-pages.ts";
import { systemCall, systemChoice } from "./system-call.ts";
import { tokenObjects } from "./token-objects.ts";

export type { ApiAddress, ApiListenOptions, ApiServerOptions, ServerExtension, ServerTools } from "./server-options.ts";

/** Options of `ApiServer.open`. */
export interface OpenServerOptions
  extends Omit<ApiServerOptions, "store" | "from">, Pick<OpenStoreOptions<JsonRecord>, "fsync" | "onNotice"> {}

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
  readonly tools: ServerTools;
  readonly certificates: ServerCertificates;
  /** Handles requests without a socket, for tests. Wait for {@link ApiServer.ready} first. */
  readonly handler: Handler;
  readonly special: SpecialEndpoints;
  readonly #http: HttpServer;
  readonly #aggregator: Aggregator;
  readonly #owned: Disposable[] = [];
  readonly #options: ApiServerOptions;
  readonly #ready: () => Promise<void>;
  readonly #dispose: (() => Promise<void>) | undefined;
  #address: ApiAddress | undefined;
  #isAggregating = false;

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

  get registry(): Registry {
    return this.tools.registry;
  }

  get kinds(): Kinds {
    return this.tools.kinds;
  }

  get store(): Store<JsonRecord> {
    return this.tools.store;
  }

  get hub(): WatchHub<JsonRecord> {
    return this.tools.hub;
  }

  /** Injected faults of requests. Those of watches are `hub.faults`. */
  get faults(): Faults {
    return this.#http.faults;
  }

  /** HTTP server, for tests that manipulate connections. */
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
    const rbac = new RbacState(store, () => this.#aggregateRoles(rbac));
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
    const { store } = this.tools;
    this.#aggregator.start();
    if (!isBootstrapped) return;
    if (store.size > 0) {
      renewAuthentication(store, this.#authorities());
      recordIpAddresses(this.tools);
      await restorePolicy({ registry: this.registry, kinds: this.kinds });
      this.#takeLease();
      return;
    }
    this.#isAggregating = true;
    const own = { store, nowMs: this.tools.clock.now(), random: this.tools.random };
    storeBootstrapPolicy(store, own);
    storeApiServices(own);
    storeFlowControl(own);
    const { serviceNetwork: serviceRange } = this.tools;
    const options = {
      address: ownAddress(serviceRange),
      port: this.#address?.port ?? 6443,
      ...this.#authorities(),
      serviceRange,
      serviceAddress: firstAddress(serviceRange),
    };
    storeBootstrapObjects(options, own);
    this.#takeLease();
    this.#isAggregating = false;
    await this.#bootstrapSaved();
    // kube-apiserver has no history from before its start either.
    store.compact();
  }

  #takeLease(): void {
    const lease = new IdentityLease(this.tools);
    this.#owned.push(lease);
    lease.take(`${ownAddress(this.tools.serviceNetwork)}:${this.#address?.port ?? 6443}`);
  }

  #authorities(): { clientAuthority: string; frontProxyAuthority: string } {
    const { clientAuthorities: clientAuthority, frontProxy } = this.certificates;
    return { clientAuthority, frontProxyAuthority: frontProxy.ca };
  }

  /**
   * Waits until the bootstrap objects are saved. Throws only the cause of a failure: the server does not start, so the
   * hint that writes resume later would be wrong.
   */
  async #bootstrapSaved(): Promise<void> {
    try {
      await this.tools.store.persisted();
    } catch (error) {
      throw error instanceof StorageStoppedError ? error.cause : error;
    }
  }

  /**
   * Updates the rules of aggregated ClusterRoles after a ClusterRole changed, as the clusterrole-aggregation-controller
   * does. Repeats until nothing changes, because an aggregated role may be part of another one.
   */
  #aggregateRoles(rbac: RbacState): void {
    if (this.#isAggregating) return;
    this.#isAggregating = true;
    const run = async (): Promise<void> => {
      const kind = this.kinds.find(rbacGroup, "v1", "clusterroles");
      if (kind === undefined) return;
      for (let changed = aggregationChanges(rbac.clusterRoles()); changed.length > 0;) {
        for (const role of changed) {
          const call = systemCall(kind, { name: role.metadata.name ?? "" });
          const config = {
            apiVersion: `${rbacGroup}/v1`,
            kind: "ClusterRole",
            metadata: { name: call.name },
            rules: role.rules,
          };
          const body = Buffer.from(JSON.stringify(config));
          const applied = { body, fieldValidation: "Strict", fieldManager: aggregationManager, force: true } as const;
          const source = { ...applySource(call, applied), creates: false };
          await this.registry.update(call, source, systemChoice(aggregationManager));
        }
        changed = aggregationChanges(rbac.clusterRoles());
      }
    };
    run()
      .catch((error: unknown) => {
        // The role was deleted meanwhile, or the disk is full. The next change, or the end of the disk failure, starts
        // the aggregation again.
        if (!(error instanceof StatusError || error instanceof StorageStoppedError)) throw error;
      })
      .finally(() => (this.#isAggregating = false));
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

/** Returns the first usable address of a network: `10.96.0.1` of `10.96.0.0/12`. */
function firstAddress(network: string): string {
  const [address = "10.96.0.0"] = network.split("/");
  const parts = address.split(".").map(Number);
  return [...parts.slice(0, 3), (parts[3] ?? 0) + 1].join(".");
}
