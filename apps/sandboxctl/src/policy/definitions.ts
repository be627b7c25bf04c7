import { type Command, defineCommand } from "../command/definition.ts";

export const policyCheckFlags = {
  filename: { kind: "texts", short: "f", value: "FILE", suggests: "file", help: "file to check, - for standard input" },
} as const;

export const policyCommands: readonly Command[] = [
  defineCommand({
    words: "policy check",
    summary: "Show what would be created, denied and routed for the objects of a file, without applying it",
    description: [
      "Checks Sandboxes, RouteGroups, LocalWorkloads and SandboxPolicies of a file as the API server would: schema, rules, policies, quotas and your permissions. Prints the reasons of a denial, and for accepted objects what the operator would create and which requests would be routed differently. Reads from the cluster and writes nothing.",
      "Other objects of the file, such as Namespaces, Deployments and Services, are treated as already applied.",
    ],
    flags: policyCheckFlags,
    outputs: ["table", "json"],
    exits: { 3: "at least one object is denied" },
    examples: [
      "sandboxctl policy check -f sandbox.yaml",
      "sandboxctl policy check -f policy.yaml -f sandbox.yaml -n shop",
      "helm template preview | sandboxctl policy check -f - -o json",
    ],
    load: async () => (await import("./policy-check.ts")).policyCheck,
  }),
];
