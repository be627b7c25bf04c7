// The controllers of the operator and what they share.

import type { Controller } from "homeostat";
import type { Client, Discovery } from "@homeostat/client";
import type { Clock, Random } from "@homeostat/core";
import type { ProxyOptions } from "./build/proxy-objects.ts";
import { limitArguments, traceEnvironment } from "./build/proxy-settings.ts";
import type { SecureBytes } from "./decide/routing-key.ts";
import { SandboxMetrics } from "./metrics/sandbox-metrics.ts";
import { BaselineTimes } from "./observe/baseline-times.ts";
import type { FollowConfig } from "./observe/config-changes.ts";
import { ConfirmedRoutes } from "./observe/confirmed-routes.ts";
import { MeshFacts } from "./observe/mesh-facts.ts";
import { PreviewKeyring } from "./observe/preview-keyring.ts";
import { RouteFeed } from "./observe/route-feed.ts";
import { SidecarFacts } from "./observe/sidecar-facts.ts";
import { TrustBundle } from "./observe/trust-bundle.ts";
import { gatewayController } from "./reconcile/gateway-controller.ts";
import { groupController } from "./reconcile/group-controller.ts";
import { groupProblem } from "./reconcile/group-problem.ts";
import { istioControllers } from "./reconcile/istio-controllers.ts";
import { probeController } from "./reconcile/probe-controller.ts";
import { localWorkloadController } from "./reconcile/local-workload-controller.ts";
import { policyController } from "./reconcile/policy-controller.ts";
import { previewLinkController } from "./reconcile/preview-link-controller.ts";
import { proxyController } from "./reconcile/proxy-controller.ts";
import { sandboxController } from "./reconcile/sandbox-controller.ts";
import { sidecarController } from "./reconcile/sidecar-controller.ts";
import { tableController } from "./reconcile/table-controller.ts";
import { tableStatusController } from "./reconcile/table-status-controller.ts";
import { takeoverController } from "./reconcile/takeover-controller.ts";
import { trustController } from "./reconcile/trust-controller.ts";
import { type ConfigReady, controllerAfterConfig } from "./settings/after-config.ts";
import type { OperatorConfig } from "./settings/config.ts";

/** Objects that the controllers of one manager share. */
export interface Shared {
  readonly config: () => OperatorConfig;
  readonly followConfig: FollowConfig;
  readonly configReady: ConfigReady;
  readonly clock: Clock;
  readonly feed: RouteFeed;
  readonly trust: TrustBundle;
  /** Authorities of the tunnel server. */
  readonly tunnelTrust: TrustBundle;
  readonly facts: MeshFacts;
  /** Keys of preview tokens. */
  readonly previewKeys: PreviewKeyring;
  readonly review: Client["reviewAccess"];
  readonly sidecars: SidecarFacts;
  /** Returns the options of the routing proxy. They follow the configuration. */
  readonly proxy: () => Omit<ProxyOptions, "namespace">;
}

/** Creates what the controllers of one manager share. */
export function createShared(options: {
  readonly config: () => OperatorConfig;
  readonly followConfig: FollowConfig;
  readonly configReady: ConfigReady;
  readonly clock: Clock;
  readonly discover: (signal: AbortSignal) => Promise<Discovery>;
  /** Namespace of the operator. */
  readonly namespace: string;
  readonly proxyImage: string;
  /** Collector of the spans of proxies; empty for none. */
  readonly proxyOtlpEndpoint: string;
  readonly review: Client["reviewAccess"];
}): Shared {
  const { config, followConfig, configReady, clock, discover, namespace, proxyImage, proxyOtlpEndpoint, review } =
    options;
  const facts = new MeshFacts(discover);
  const sidecars = new SidecarFacts();
  return {
    config,
    followConfig,
    configReady,
    clock,
    facts,
    review,
    previewKeys: new PreviewKeyring(),
    sidecars,
    feed: new RouteFeed({
      clock,
      acceptsRoutes: (each) => facts.acceptsRoutes(each),
      mayAcceptRoutes: () => facts.mayAcceptRoutes(config().mesh.provider),
      hasSidecars: (service) => sidecars.hasSidecars(service),
    }),
    trust: new TrustBundle(namespace),
    proxy: () => ({
      image: proxyImage,
      systemNamespace: namespace,
      limitArguments: limitArguments(config()),
      environment: traceEnvironment(proxyOtlpEndpoint),
    }),
    tunnelTrust: new TrustBundle(namespace),
  };
}

export interface ControllersOptions {
  readonly shared: () => Shared;
  readonly concurrency: number;
  readonly random: Random;
  readonly secureBytes: SecureBytes;
}

/** Returns all controllers. Their reconciles wait until the configuration was read. */
export function controllers({ shared, concurrency, random, secureBytes }: ControllersOptions): readonly Controller[] {
  const metrics = new SandboxMetrics();
  const confirmedRoutes = new ConfirmedRoutes();
  const feed = (): RouteFeed => shared().feed;
  const config = (): OperatorConfig => shared().config();
  const facts = (): MeshFacts => shared().facts;
  const followConfig: FollowConfig = (signal) => shared().followConfig(signal);
  const ready: ConfigReady = (signal) => shared().configReady(signal);
  const all = [
    sandboxController({
      config,
      followConfig,
      feed,
      metrics,
      random,
      secureBytes,
      concurrency,
      baselineTimes: new BaselineTimes(),
      confirmedRoutes,
    }),
    groupController({
      config,
      followConfig,
      feed,
      metrics,
      secureBytes,
      confirmedRoutes,
      problemOf: groupProblem(config),
    }),
    tableController({ feed, facts, clock: () => shared().clock, metrics }),
    tableStatusController(),
    takeoverController({ config, metrics, proxy: () => shared().proxy() }),
    proxyController(),
    sidecarController({ feed, facts: () => shared().sidecars }),
    trustController({ trust: () => shared().trust }),
    gatewayController({ config, followConfig, facts, concurrency }),
    probeController({ config, facts, feed }),
    ...istioControllers({ config, followConfig, facts, concurrency }),
    previewLinkController({
      config,
      followConfig,
      ring: () => shared().previewKeys,
      review: () => shared().review,
      secureBytes,
    }),
    localWorkloadController({ config, followConfig, feed, confirmedRoutes, tunnelTrust: () => shared().tunnelTrust }),
    policyController({ config, followConfig }),
  ];
  return all.map((controller) => controllerAfterConfig(controller, ready));
}
