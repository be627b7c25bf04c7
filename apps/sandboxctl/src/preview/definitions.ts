import { type Command, defineCommand } from "../command/definition.ts";

export const previewTargetFlags = {
  routegroup: { kind: "switch", help: "NAME is a RouteGroup" },
} as const;

export const previewLinkFlags = {
  expires: {
    kind: "text",
    value: "TIME",
    help: "lifetime of the link, such as 30m, 8h or 7d, at most 28d (default: 8h)",
  },
  for: {
    kind: "text",
    value: "USER",
    help: "the only user who may use the link, as the authentication service of the gateway names them",
  },
} as const;

const permissions =
  "A token is a PreviewLink object: you need permission to create it, and to get the Sandbox. The token is encrypted for this command.";

export const previewCommands: readonly Command[] = [
  defineCommand({
    words: "preview open",
    summary: "Print the preview address of an endpoint, with a token for you",
    description: [
      "Prints the address of an endpoint of a Sandbox or RouteGroup, with a token for you if the endpoint needs one.",
      permissions,
    ],
    arguments: [
      { name: "NAME", suggests: "sandbox" },
      { name: "ENDPOINT", isOptional: true },
    ],
    flags: previewTargetFlags,
    outputs: ["table", "json"],
    examples: [
      "sandboxctl preview open pr-42 -n shop",
      `curl -H "x-preview-token: $(sandboxctl preview open pr-42 -o json | jq -r '.header[]')" https://web--KEY.preview.example.com/`,
    ],
    load: async () => (await import("./preview-commands.ts")).openPreview,
  }),
  defineCommand({
    words: "preview link",
    summary: "Create a link to an endpoint that you can share",
    description: [
      "Creates a separate address that you can share. Everyone who has it can use it until it expires or is revoked. With --for, only one user can, who must log in to the authentication service of the gateway.",
      permissions,
    ],
    arguments: [{ name: "NAME", suggests: "sandbox" }, { name: "ENDPOINT" }],
    flags: { ...previewTargetFlags, ...previewLinkFlags },
    outputs: ["table", "json"],
    examples: [
      "sandboxctl preview link pr-42 web --expires 2d -n shop",
      "sandboxctl preview link pr-42 web --for bob@example.com -n shop",
    ],
    load: async () => (await import("./preview-commands.ts")).shareLink,
  }),
  defineCommand({
    words: "preview links",
    summary: "List preview links, with their users, expiry and uses",
    description: ["Lists the tokens and links of a namespace."],
    flags: {},
    outputs: ["table", "json"],
    examples: ["sandboxctl preview links -n shop"],
    load: async () => (await import("./preview-commands.ts")).listLinks,
  }),
  defineCommand({
    words: "preview revoke",
    summary: "Revoke a preview link",
    description: ["Deletes a PreviewLink. Gateways refuse its token within seconds."],
    arguments: [{ name: "ID", suggests: "previewlink" }],
    flags: {},
    outputs: [],
    examples: ["sandboxctl preview revoke pr-42-1a2b3c4d -n shop"],
    load: async () => (await import("./preview-commands.ts")).revokeLink,
  }),
];
