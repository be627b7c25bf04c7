import { type Command, defineCommand } from "../command/definition.ts";
import { connectFlags, disconnectFlags, proxyFlags, runFlags, statusFlags, targetFlags, tunnelFlags } from "./flags.ts";

const outbound =
  "Through the SOCKS5 and HTTP proxy on the loopback interface, the process calls Services by their names in the cluster, as far as the LocalWorkload and policies allow. Plain HTTP requests through the HTTP proxy get the routing key; SOCKS5 and CONNECT change nothing.";

const exits = { 3: "refused: by your permissions, a policy, or the tunnel server" } as const;

export const localCommands: readonly Command[] = [
  defineCommand({
    words: "local connect",
    aliases: ["local attach"],
    summary: "Replace a service with a process on this machine",
    description: [
      "Creates a LocalWorkload with the key of this machine, or adds the key to an existing one, and attaches to the tunnel server. Requests with the routing key of the sandbox then reach the local port. Runs until it is interrupted, reconnects by itself, and deletes the LocalWorkload that it has created at the end.",
      outbound,
      "The first interrupt disconnects cleanly; a second one quits at once, and the server notices it within 30 seconds.",
    ],
    flags: { ...targetFlags, ...tunnelFlags, ...connectFlags },
    outputs: [],
    isEndless: true,
    exits,
    examples: [
      "sandboxctl local connect --sandbox pr-42 --service cart --port 3000:8080 -n shop",
      "sandboxctl local connect --sandbox jane --create --service cart --background",
    ],
    load: async () => (await import("./connect-command.ts")).connectLocal,
  }),
  defineCommand({
    words: "local run",
    summary: "Run a command in place of a service, with its environment and files",
    description: [
      "Connects as local connect does, and starts a command with the environment variables of the baseline, as far as you may read them. Files that ConfigMaps and Secrets mount are written to a temporary folder, whose path is in SANDBOX_FILES. Proxy variables point to the proxy into the cluster, and SANDBOX_ROUTING_KEY contains the key. Disconnects when the command exits, and exits with its code.",
      outbound,
      "SIGINT, SIGTERM and SIGHUP are passed on to the command, which has 10 seconds to stop; a second signal ends it at once. If sandboxctl itself is killed, the command gets SIGTERM, except on Windows, and the next local run or local disconnect deletes the remaining LocalWorkload and files.",
    ],
    following: "COMMAND...",
    flags: { ...targetFlags, ...tunnelFlags, ...runFlags },
    outputs: [],
    isEndless: true,
    exits: {
      ...exits,
      130: "interrupted before the command has started; otherwise the exit code is that of the command",
    },
    examples: ["sandboxctl local run --sandbox pr-42 --service cart -n shop -- node server.js"],
    load: async () => (await import("./run-command.ts")).runLocal,
  }),
  defineCommand({
    words: "local status",
    summary: "List the tunnels of this machine",
    description: [
      "Lists the tunnels of this machine: state, time of the last state change, round trip time, connections, bytes, the state of local ports, the last error, and the replica of the tunnel server.",
    ],
    flags: statusFlags,
    outputs: ["table", "json"],
    isOffline: true,
    examples: ["sandboxctl local status", "sandboxctl local status -o json"],
    load: async () => (await import("./status-command.ts")).localStatus,
  }),
  defineCommand({
    words: "local disconnect",
    summary: "Disconnect tunnels of this machine and delete their LocalWorkloads",
    description: [
      "Stops a tunnel of this machine that runs in the background or another terminal, and deletes the LocalWorkload that it has created; one that another machine has created is kept. Without NAME, the machine must have one tunnel only.",
      "Also removes the LocalWorkload and the files that a killed process has left.",
    ],
    arguments: [{ name: "NAME", isOptional: true, suggests: "localworkload" }],
    flags: disconnectFlags,
    outputs: [],
    examples: ["sandboxctl local disconnect pr-42-cart", "sandboxctl local disconnect --all --delete-sandbox"],
    load: async () => (await import("./disconnect-command.ts")).disconnectLocal,
  }),
  defineCommand({
    words: "local proxy",
    summary: "Offer Services of the cluster on local ports, with the routing key",
    description: [
      "Listens on loopback addresses and forwards connections to Services of the cluster, through a tunnel of this machine that local connect or local run keeps open. The LocalWorkload of the tunnel determines which Services may be called.",
      "HTTP/1.1 requests through a map of the scheme http get the routing key, and so do HTTP/2 requests without TLS, such as gRPC, through a map of the scheme grpc. The scheme tcp changes nothing.",
    ],
    flags: proxyFlags,
    outputs: [],
    isEndless: true,
    exits,
    examples: ["sandboxctl local proxy --sandbox pr-42 --map http://orders.shop.svc:8080@127.0.0.1:9000"],
    load: async () => (await import("./proxy-command.ts")).proxyLocal,
  }),
];
