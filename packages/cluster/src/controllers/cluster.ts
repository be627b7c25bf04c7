import type { Client } from "@homeostat/client";
import type { Clock, Random } from "@homeostat/core";
import { type Cache, type Logger, silentLogger } from "@homeostat/runtime";
import { ComponentEvents } from "./common/component-events.ts";
import { KindCatalogue } from "./common/kind-catalogue.ts";
import type { ControlLoop, ControlParts } from "./common/parts.ts";
import { sharedSignals } from "./common/shared-signal.ts";
import { disruptionController } from "./disruption/disruption.ts";
import { endpointSliceController } from "./endpointslice/endpointslice.ts";
import { garbageCollector } from "./garbage-collector/garbage-collector.ts";
import { namespaceController } from "./namespace/namespace.ts";
import { nodeLifecycleController } from "./node-lifecycle/node-lifecycle.ts";
import { volumeBinder } from "./persistent-volume/binder.ts";
import { claimProtection, volumeProtection } from "./persistent-volume/protection.ts";
import { simulatedProvisionerName } from "./persistent-volume/simulated-class.ts";
import { simulatedProvisioner } from "./persistent-volume/provisioner.ts";
import { rootCaController, serviceAccountController } from "./service-account/service-account.ts";

/** What the cluster's own controllers need. */
export interface ClusterControllerParts {
  readonly client: Client;
  /** Must run for as long as the controllers do. */
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  /** Default: says nothing. */
  readonly log?: Logger;
  /** The certificate authority of the API server, as PEM, for the map `kube-root-ca.crt` of every namespace. */
  readonly ca: string;
  /** The provisioner whose storage classes get simulated volumes. Default: `simulated.homeostat.dev`. */
  readonly provisioner?: string;
}

/**
 * The controllers that a cluster needs whatever runs in it: garbage collector, namespaces, service accounts, endpoints,
 * volumes, disruption budgets, quotas.
 *
 * Each runs until its signal aborts. The first of the list, `kinds`, tells others which kinds there are, so run all.
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
  const events = new ComponentEvents({ client, clock, log });
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
    nodeLifecycleController(parts),
    volumeBinder(parts),
    claimProtection(parts),
    volumeProtection(parts),
    simulatedProvisioner(parts, provisioner),
  ];
  return loops.map((loop) => ({ ...loop, run: (signal) => loop.run(shared(signal)) }));
}
