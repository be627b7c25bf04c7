import { type Command, defineCommand } from "../command/definition.ts";

export const explainFlags = {
  service: {
    kind: "text",
    value: "[NAMESPACE/]NAME",
    suggests: "service",
    help: "Service of the baseline, with or without its namespace (required)",
  },
  port: { kind: "integer", value: "N", min: 1, max: 65_535, help: "port of the Service (default: its only port)" },
  key: { kind: "text", value: "KEY", help: "routing key, sent as the header x-routing-key" },
  method: { kind: "text", value: "METHOD", help: "method of the request (default: GET)" },
  path: { kind: "text", value: "PATH", help: "path of the request (default: /)" },
  header: { kind: "texts", value: "NAME:VALUE", help: "header of the request" },
  server: {
    kind: "text",
    value: "URL",
    help: "query address of the route server, such as http://127.0.0.1:7778, which knows the ready targets (default: read the RouteTable with the kubeconfig; all targets count as ready)",
  },
} as const;

export const explainCommands: readonly Command[] = [
  defineCommand({
    words: "route explain",
    aliases: ["explain"],
    summary: "Show where a request goes, and why",
    description: [
      "Shows how the route table of a Service decides about a request: the source of the routing key, the routes that were considered, and the outcome. Uses the decision function of the proxies.",
    ],
    flags: explainFlags,
    outputs: ["table", "json"],
    exits: { 5: "the Service has no route table" },
    examples: [
      "sandboxctl route explain --service shop/cart --key k3v9q2m7x1c4d",
      'sandboxctl explain --service cart -n shop --header "baggage: routing-key=k3v9q2m7x1c4d" --path /api/cart',
    ],
    load: async () => (await import("./explain-command.ts")).explainCommand,
  }),
];
