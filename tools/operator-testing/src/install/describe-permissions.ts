import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import { compareAccess, type Operator, operatorAccess, operatorManifests } from "@homeostat/operator";
import type { AccessRule } from "@homeostat/runtime";
import type { TestCluster } from "../cluster/test-cluster.ts";
import type { CrashRun } from "../crash/crash-run.ts";
import { playToEnd } from "../crash/crash-scenario.ts";
import type { CrashSuite } from "../crash/describe-crashes.ts";
import { applyManifests } from "@homeostat/testing";

/** Input of an operator for its permission test. */
export interface PermissionSuite<Cluster extends TestCluster, Run extends CrashRun<Outcome>, Outcome> extends Pick<
  CrashSuite<Cluster, Run, Outcome>,
  "cluster" | "scenarios" | "settling"
> {
  readonly operator: Operator;
  /** The namespace that the operator is installed in. */
  readonly namespace: string;
  /** Permissions that none of the scenarios uses, with the reason why the operator needs each: `get pods`. */
  readonly unused: Readonly<Record<string, string>>;
}

/** Kinds of the manifests that define permissions. */
const permissionKinds: ReadonlySet<string> = new Set([
  "Namespace",
  "ServiceAccount",
  "ClusterRole",
  "ClusterRoleBinding",
  "Role",
  "RoleBinding",
]);

/**
 * Reports whether the use of a permission is visible in the operator's requests. The API server checks the others while it handles
 * a request for something else: `bind` for a RoleBinding, `update` of finalizers for a blocking owner reference.
 */
function isShownByRequests({ group, subresource, verbs }: AccessRule): boolean {
  return group !== "coordination.k8s.io" && subresource !== "finalizers" && !verbs.includes("bind");
}

/**
 * Declares a test that runs all scenarios with an operator that has exactly the permissions of its manifests, and compares
 * them with the requests it sent. A scenario whose requests are denied does not finish, and each permission must be used
 * or have a reason.
 *
 * Webhooks and leader election are excluded: they need their own process, and the tests of `packages/operator` cover them.
 */
export function describePermissions<Cluster extends TestCluster, Run extends CrashRun<Outcome>, Outcome>({
  operator,
  namespace,
  cluster: start,
  scenarios,
  settling,
  unused: reasons,
}: PermissionSuite<Cluster, Run, Outcome>): void {
  const options = { namespace, webhooks: false, leaderElection: false };

  describe("the permissions of the manifests", () => {
    it("are exactly those that the operator uses", async () => {
      await using cluster = await start();
      const hasNamespace = (await cluster.client.get(Namespace, { name: namespace })) !== undefined;
      const manifests = operatorManifests(operator, options).filter(
        ({ kind }) => permissionKinds.has(kind) && !(hasNamespace && kind === Namespace.kind),
      );
      await applyManifests(cluster.client, manifests);
      cluster.operatorUser = `system:serviceaccount:${namespace}:${operator.name}`;

      for (const scenario of Object.values(scenarios))
        await playToEnd(cluster, scenario, { crash: undefined, settling });

      const rules = operatorAccess(operator, options).filter(isShownByRequests);
      const { missing, unused } = compareAccess(rules, cluster.access.used());
      assert.deepEqual(missing, []);
      const withoutReason = unused.filter((permission) => !Object.hasOwn(reasons, permission));
      const withReasonButUsed = Object.keys(reasons).filter((permission) => !unused.includes(permission));
      assert.deepEqual({ withoutReason, withReasonButUsed }, { withoutReason: [], withReasonButUsed: [] });
    });
  });
}
