import { type Command, defineCommand } from "../command/definition.ts";
import { restoreFlags, uninstallFlags } from "./flags.ts";

export const adminCommands: readonly Command[] = [
  defineCommand({
    words: "admin status",
    summary: "Show the programs of sandbox environments, route tables and Services that are taken over",
    description: [
      "Shows the Deployments of the operator's namespace with their versions, all route tables with their conditions, and all Services that select the routing proxy. Names the parts that you have no permission to list.",
    ],
    flags: {},
    outputs: ["table", "json"],
    examples: ["sandboxctl admin status"],
    load: async () => (await import("./status.ts")).adminStatus,
  }),
  defineCommand({
    words: "admin restore",
    summary: "Restore Services that select the routing proxy, so that they select their baseline again",
    description: [
      "Restores the selector and the target ports of Services that are taken over, without the operator. Use it in an emergency. The operator does not take the Services over again before the time of --hold has passed.",
    ],
    arguments: [{ name: "SERVICE", isOptional: true, suggests: "service" }],
    flags: restoreFlags,
    outputs: [],
    exits: { 1: "error, or a Service could not be restored" },
    examples: ["sandboxctl admin restore cart -n shop", "sandboxctl admin restore --all --hold 1h"],
    load: async () => (await import("./restore.ts")).adminRestore,
  }),
  defineCommand({
    words: "admin uninstall",
    summary: "Delete all sandboxes and restore all Services, before the operator is removed",
    description: [
      "Deletes all Sandboxes, RouteGroups, LocalWorkloads and PreviewLinks of all namespaces, waits until the operator has removed their forks and routes, and restores all Services that still select the routing proxy. Then prints how to remove the operator itself. Policies and CRDs stay.",
    ],
    flags: uninstallFlags,
    outputs: [],
    exits: { 1: "error, or a Service could not be restored" },
    examples: ["sandboxctl admin uninstall", "sandboxctl admin uninstall --yes"],
    load: async () => (await import("./uninstall.ts")).adminUninstall,
  }),
];
