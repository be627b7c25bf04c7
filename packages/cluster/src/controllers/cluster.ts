import type { Client } from "@homeostat/client";
import type { Clock, Random } from "@homeostat/core";
import { type Cache, type Logger, silentLogger } from "@homeostat/runtime";
import { CoreEvents } from "../events/core-events.ts";
import { KindCatalogue } from "./common/kind-catalogue.ts";
import { type ControlLoop, type ControlParts, fieldManager } from "./common/parts.ts";
import { sharedSignals } from "./common/shared-signal.ts";
import { disruptionController } from "./disruption/disruption.ts";
import { endpointSliceController } from "./endpointslice/endpointslice.ts";
import { garbageCollector } from "./garbage-collector/garbage-collector.ts";
import { horizontalPodAutoscalers } from "./horizontal-pod-autoscaler/controller.ts";
import { namespaceController } from "./namespace/namespace.ts";
import { nodeLifecycleController } from "./node-lifecycle/node-lifecycle.ts";
import { volumeBinder } from "./persistent-volume/binder.ts";
import { ephemeralVolumes } from "./persistent-volume/ephemeral.ts";
import { claimProtection, volumeProtection } from "./persistent-volume/protection.ts";
import { simulatedProvisionerName } from "./persistent-volume/simulated-class.ts";
import { simulatedProvisioner } from "./persistent-volume/provisioner.ts";
import { rootCaController, serviceAccountController } from "./service-account/service-account.ts";

/** Dependencies and settings of {@link clusterControllers}. */
export interface ClusterControllerParts {
  readonly client: Client;
  /** The caller must run the cache for as long as the controllers run. */
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  /** Default: a logger that discards everything. */
  readonly log?: Logger;
  /**
   * PEM of the API server's certificate authority, published in the ConfigMap `kube-root-ca.crt` of every namespace.
   */
  readonly ca: string;
  /** Name of the provisioner whose storage classes get simulated volumes. Default: `simulated.homeostat.dev`. */
  readonly provisioner?: string;
}

/**
 * Builds the controllers that every cluster needs, whatever runs in it: garbage collector, namespaces, service
 * accounts, root CA ConfigMaps, EndpointSlices, disruption budgets, autoscalers, node lifecycle, volume binding and
 * protection, ephemeral volumes, provisioner.
 *
 * Each loop runs until its signal aborts. The first one, `kinds`, reads discovery for the others: they wait for it,
 * so run all of them.
 *
 * @example
 * await Promise.all(clusterControllers({ client, cache, clock, random, ca }).map((loop) => loop.run(signal)));
 */
export function clusterControllers({
  log = silentLogger,
  ca,
  provisioner = simulatedProvisionerName,
  ...given
}: ClusterControllerParts): readonly ControlLoop[] {
  const { client, cache, clock } = given;
  const kinds = new KindCatalogue({ client, cache, clock, log });
  const events = new CoreEvents({ client, clock, log, fieldManager });
  const parts: ControlParts = { ...given, log, kinds, events };
  const shared = sharedSignals();
  const loops: readonly ControlLoop[] = [
    { name: "kinds", when: "leading", run: (signal) => kinds.run(signal) },
    garbageCollector(parts),
    namespaceController(parts),
    serviceAccountController(parts),
    rootCaController(parts, ca),
    endpointSliceController(parts),
    disruptionController(parts),
    horizontalPodAutoscalers(parts),
    nodeLifecycleController(parts),
    volumeBinder(parts),
    ephemeralVolumes(parts),
    claimProtection(parts),
    volumeProtection(parts),
    simulatedProvisioner(parts, provisioner),
  ];
  return loops.map((loop) => ({ ...loop, run: (signal) => loop.run(shared(signal)) }));
}
