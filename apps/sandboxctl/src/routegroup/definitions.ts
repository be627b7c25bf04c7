import { type Command, defineCommand } from "../command/definition.ts";
import { applyFlags, deleteFlags, filenameFlag, listFlags } from "../command/shared-flags.ts";

const name = { name: "NAME", suggests: "routegroup" } as const;

export const routeGroupCommands: readonly Command[] = [
  defineCommand({
    words: "routegroup apply",
    summary: "Create or update the route groups of a file",
    description: [
      "Applies the RouteGroups of a file by server-side apply and waits until they are ready. A group that matches no sandbox is not an error; the command says so and does not wait for one.",
      "The text @{NAME} in the file stands for the value of --set NAME=VALUE, and @{embed: PATH} for the content of a file, relative to the manifest.",
    ],
    flags: { ...filenameFlag, ...applyFlags },
    outputs: ["table", "json", "yaml", "name"],
    exits: { 4: "a group is not ready in time" },
    examples: ["sandboxctl routegroup apply -f group.yaml -n shop"],
    load: async () => (await import("./commands.ts")).applyGroups,
  }),
  defineCommand({
    words: "routegroup list",
    aliases: ["routegroup ls"],
    summary: "List route groups",
    description: ["Lists the route groups of one namespace or of all namespaces."],
    flags: listFlags,
    outputs: ["table", "wide", "json", "yaml", "name"],
    examples: ["sandboxctl rg list -A"],
    load: async () => (await import("./commands.ts")).listGroups,
  }),
  defineCommand({
    words: "routegroup get",
    summary: "Show a route group: sandboxes, conflicts, endpoints and conditions",
    description: [
      "Shows the sandboxes that a group includes, conflicts between them, its endpoints and its conditions.",
    ],
    arguments: [name],
    flags: {},
    outputs: ["table", "json", "yaml", "name"],
    examples: ["sandboxctl rg get checkout-v2 -n shop"],
    load: async () => (await import("./commands.ts")).getGroup,
  }),
  defineCommand({
    words: "routegroup delete",
    summary: "Delete a route group",
    description: ["Deletes a route group. Requests with its key are no longer routed; its sandboxes are kept."],
    arguments: [name],
    flags: deleteFlags,
    outputs: [],
    examples: ["sandboxctl rg delete checkout-v2 -n shop"],
    load: async () => (await import("./commands.ts")).deleteGroup,
  }),
];
