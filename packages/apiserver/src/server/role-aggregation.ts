import { aggregationChanges } from "../auth/rbac/aggregate.ts";
import { rbacGroup } from "../auth/rbac/objects.ts";
import { systemCall, systemChoice } from "../registry/system-call.ts";
import { applySource } from "../registry/update-sources.ts";
import { StatusError } from "../status/status.ts";
import { StorageStoppedError } from "../storage/errors.ts";
import { aggregationManager } from "./bootstrap-policy.ts";
import type { RbacState } from "./rbac-state.ts";
import type { ServerTools } from "./server-options.ts";

type Roles = Pick<RbacState, "clusterRoles">;

/** Updates the rules of aggregated ClusterRoles, as the clusterrole-aggregation-controller does. */
export class RoleAggregation {
  readonly #tools: () => Pick<ServerTools, "kinds" | "registry">;
  #isActive = false;

  /** `tools` is called on each run: a server creates its tools after the aggregation. */
  constructor(tools: () => Pick<ServerTools, "kinds" | "registry">) {
    this.#tools = tools;
  }

  /** Does some work without aggregation. The default ClusterRoles are stored with the rules that aggregation would give them. */
  suspend(work: () => void): void {
    this.#isActive = true;
    try {
      work();
    } finally {
      this.#isActive = false;
    }
  }

  /** Starts an aggregation after a ClusterRole changed, unless one is running. */
  run(rbac: Roles): void {
    if (this.#isActive) return;
    this.#isActive = true;
    this.#aggregate(rbac)
      .catch((error: unknown) => {
        // The role was deleted meanwhile, or the disk is full. The next change, or the end of the disk failure, starts
        // the aggregation again.
        if (!(error instanceof StatusError || error instanceof StorageStoppedError)) throw error;
      })
      .finally(() => (this.#isActive = false));
  }

  /** Repeats until nothing changes, because an aggregated role may be part of another one. */
  async #aggregate(rbac: Roles): Promise<void> {
    const { kinds, registry } = this.#tools();
    const kind = kinds.find(rbacGroup, "v1", "clusterroles");
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
        await registry.update(call, source, systemChoice(aggregationManager));
      }
      changed = aggregationChanges(rbac.clusterRoles());
    }
  }
}
