import { defineOperator, type Operator } from "homeostat";
import { type Clock, type Random, systemRandom, releaseVersion } from "@homeostat/core";
import { dashboardCompanion, type InstallationDefaults } from "@homeostat/operator";
import { ChronikCluster } from "./api/chronik-cluster.ts";
import { ChronikNodeGroup } from "./api/chronik-node-group.ts";
import { ClusterMemory } from "./build/cluster-memory.ts";
import { templateFingerprint } from "./build/fingerprint.ts";
import { ComponentClient, type ResolvePod, type SendToPod } from "./component/client.ts";
import { extras } from "./install/extras.ts";
import { ChronikMetrics } from "./metrics/chronik-metrics.ts";
import { ComponentCalls } from "./observe/component-calls.ts";
import { NodeReader } from "./observe/nodes.ts";
import { SecretReader } from "./observe/secrets.ts";
import { ZoneCounter } from "./observe/zones.ts";
import type { Dependencies } from "./reconcile/cluster-context.ts";
import { chronikController } from "./reconcile/controller.ts";
import { chartVariables } from "./settings/chart.ts";
import type { ProcessSettings } from "./settings/process-settings.ts";
import { chronikFlags, type ChronikSettings, flagAliases, nodeVerbs } from "./settings/settings.ts";

const operatorName = "chronik-operator";

const installation: InstallationDefaults = {
  namespace: "chronik-operator-system",
  terminationGraceSeconds: 30,
  resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "500m", memory: "512Mi" } },
};

export interface ChronikOperatorOptions {
  /** The operator's namespace. Default: the namespace that the program runs in. */
  readonly operatorNamespace?: string | undefined;
  readonly random?: Random | undefined;
  /** Limits of requests to the API server. */
  readonly rateLimit?: ProcessSettings["rateLimit"] | undefined;
  /** Maps the address of a pod to the address to connect to. Default: the pod itself. Embedded clusters use a port of this machine. */
  readonly resolvePod?: ResolvePod | undefined;
  /** Sends requests to pods. Default: over a socket. Simulations in virtual time call components in this process. */
  readonly sendToPod?: SendToPod | undefined;
  /** Clock of the time limits of component calls. Default: that of the manager. */
  readonly callClock?: Pick<Clock, "timeout"> | undefined;
  /** Version that clusters record, together with the fingerprint of the pod templates. The limit on rollouts compares both. */
  readonly version?: string | undefined;
}

/** Defines the operator of Chronik Stream clusters: its kinds, controller, permissions and additional objects to install. */
export function chronikOperator(options: ChronikOperatorOptions = {}): Operator {
  const { random = systemRandom, rateLimit, resolvePod, sendToPod, version: release = releaseVersion } = options;
  const metrics = new ChronikMetrics();
  const secrets = new SecretReader();
  const zones = new ZoneCounter();
  const nodes = new NodeReader();
  const problems: Dependencies["problems"] = new ClusterMemory();
  const hashes: Dependencies["hashes"] = new ClusterMemory();
  const warnings: Dependencies["warnings"] = new ClusterMemory();
  return defineOperator({
    name: operatorName,
    version: releaseVersion,
    description:
      "Runs Chronik Stream clusters: controllers that vote, ingest nodes and search nodes, with gated restarts, safe scaling and storage growth.",
    resources: [ChronikCluster, ChronikNodeGroup],
    companions: [dashboardCompanion(operatorName)],
    flags: chronikFlags,
    flagAliases,
    installation,
    chartVariables,
    extras,
    ...(rateLimit !== undefined && { manager: { client: { rateLimit } } }),
    setup({ namespace, clock, tracing }, values) {
      const { operatorNamespace = namespace } = options;
      const settings: ChronikSettings = { ...values, operatorNamespace };
      const client = new ComponentClient({
        clock: options.callClock ?? clock,
        resolve: resolvePod,
        send: sendToPod,
        tracing,
      });
      const operatorVersion = `${release}+${templateFingerprint(settings)}`;
      return { settings, calls: new ComponentCalls(client, clock), operatorVersion };
    },
    controllers: ({ maxConcurrentReconciles: concurrency, clusterSelector, featureGates }, provided) => [
      chronikController({
        settings: () => provided().settings,
        calls: () => provided().calls,
        metrics,
        secrets,
        zones,
        nodes,
        problems,
        hashes,
        warnings,
        operatorVersion: () => provided().operatorVersion,
        concurrency,
        clusterSelector,
        nodeVerbs: nodeVerbs({ featureGates }),
        random,
      }),
    ],
  });
}
