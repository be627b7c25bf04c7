// Options of the commands about processes on this machine.

/** Waits of `local connect`. */
export const waitChoices = ["none", "tunnel", "ready"] as const;

export const targetFlags = {
  sandbox: { kind: "text", value: "NAME", suggests: "sandbox", help: "sandbox that the process belongs to (required)" },
  service: {
    kind: "text",
    value: "NAME",
    suggests: "service",
    help: "entry of the sandbox, or Service of the baseline, that the process replaces (required)",
  },
} as const;

export const tunnelFlags = {
  port: {
    kind: "texts",
    value: "LOCAL[:REMOTE]",
    help: "port of the process, and port of the container that it replaces (default: all ports of the Service)",
  },
  create: { kind: "switch", help: "create the sandbox if it does not exist" },
  name: {
    kind: "text",
    value: "NAME",
    suggests: "localworkload",
    help: "name of the LocalWorkload (default: SANDBOX-SERVICE)",
  },
  wait: {
    kind: "choice",
    choices: ["none", "tunnel", "ready"],
    default: "tunnel",
    help: "report success at once, when the tunnel is attached, or when requests reach the process",
  },
  "wait-timeout": { kind: "duration", value: "TIME", default: "1m", help: "longest time to wait" },
  takeover: { kind: "switch", help: "replace another machine that is attached" },
  transport: {
    kind: "choice",
    choices: ["auto", "tls", "wss", "h2", "kube"],
    default: "auto",
    help: "connection to the tunnel server; auto tries the others in this order",
  },
  socks: {
    kind: "text",
    value: "ADDRESS:PORT",
    help: "loopback address of the SOCKS5 and HTTP proxy into the cluster (default: a free port of 127.0.0.1)",
  },
  "allow-remote-local": { kind: "switch", help: "allow a LocalWorkload to forward to a machine other than this one" },
} as const;

export const connectFlags = {
  background: { kind: "switch", help: "run in the background; see local status and local disconnect" },
} as const;

export const runFlags = {
  container: {
    kind: "text",
    value: "NAME",
    help: "container whose environment and files are used (default: the first)",
  },
  env: { kind: "switch", default: true, help: "do not set the variables of the baseline" },
  files: { kind: "switch", default: true, help: "do not write the mounted files of the baseline" },
  proxy: { kind: "switch", default: true, help: "do not set the variables of proxies" },
} as const;

export const statusFlags = {
  details: { kind: "switch", help: "print all fields of each tunnel" },
} as const;

export const disconnectFlags = {
  all: { kind: "switch", help: "disconnect all tunnels of this machine" },
  "delete-sandbox": { kind: "switch", help: "delete the sandbox as well" },
  "wait-timeout": { kind: "duration", value: "TIME", default: "30s", help: "longest time to wait" },
} as const;

export const proxyFlags = {
  sandbox: { kind: "text", value: "NAME", suggests: "sandbox", help: "sandbox whose key is injected" },
  routegroup: { kind: "text", value: "NAME", suggests: "routegroup", help: "route group whose key is injected" },
  map: {
    kind: "texts",
    value: "SCHEME://SERVICE.NAMESPACE.svc:PORT@ADDRESS:PORT",
    help: "Service of the cluster and loopback address that forwards to it; http and grpc add the routing key to requests, tcp changes nothing",
  },
} as const;
