import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** A server that is measured. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  readonly process: ChildProcess;
}

/** Starts a program of this folder and waits until it listens. */
export async function startProgram(
  name: string,
  program: string,
  port: number,
  args: readonly (string | number)[],
  node = process.execPath,
): Promise<Subject> {
  const path = new URL(program, import.meta.url).pathname;
  return start(name, port, node, ["--conditions=development", path, String(port), ...args.map(String)]);
}

/** Starts HAProxy in front of an upstream; undefined if it is not installed. */
export async function startHaproxy(port: number, upstreamPort: number): Promise<Subject | undefined> {
  const config = `global
  nbthread 1
defaults
  mode http
  timeout connect 1s
  timeout client 75s
  timeout server 30s
  http-reuse always
frontend in
  bind 127.0.0.1:${port}
  option forwardfor
  http-request add-header via "1.1 haproxy"
  use_backend sandbox if { req.hdr(baggage) -m sub routing-key=key-00000000 }
  default_backend base
backend sandbox
  server s 127.0.0.1:${upstreamPort}
backend base
  server s 127.0.0.1:${upstreamPort}
`;
  const path = onPath("haproxy");
  return path === undefined ? undefined : start("HAProxy", port, path, ["-db", "-f", configFile(config)]);
}

/** Starts nginx in front of an upstream; undefined if it is not installed. */
export async function startNginx(port: number, upstreamPort: number): Promise<Subject | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "proxy-bench-"));
  const config = `daemon off;
worker_processes 1;
pid ${folder}/pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c; uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
  keepalive_requests 10000000;
  map $http_baggage $backend { default base; "~routing-key=key-00000000" sandbox; }
  upstream base { server 127.0.0.1:${upstreamPort}; keepalive 64; keepalive_requests 10000000; }
  upstream sandbox { server 127.0.0.1:${upstreamPort}; keepalive 64; keepalive_requests 10000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://$backend;
      proxy_http_version 1.1;
      proxy_set_header connection "";
      proxy_set_header host $host;
      proxy_set_header x-forwarded-for $proxy_add_x_forwarded_for;
    }
  }
}
`;
  const path = onPath("nginx");
  return path === undefined ? undefined : start("nginx", port, path, ["-p", folder, "-c", configFile(config)]);
}

/** Returns the CPU time of a process and its children in nanoseconds. */
export function cpuNs({ process: { pid } }: Subject): number {
  const children = pid === undefined ? "" : readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  const pids = [String(pid), ...children.split(" ").filter((each) => each !== "")];
  let total = 0;
  for (const each of pids) {
    for (const task of readdirSync(`/proc/${each}/task`))
      total += Number(readFileSync(`/proc/${each}/task/${task}/schedstat`, "utf8").split(" ")[0]);
  }
  return total;
}

async function start(name: string, port: number, path: string, args: readonly string[]): Promise<Subject> {
  const child = spawn(path, args, { stdio: ["ignore", "ignore", "inherit"] });
  for (let tries = 0; tries < 600; tries += 1) {
    if (child.exitCode !== null) throw new Error(`${name} ended with code ${child.exitCode}`);
    const socket = connect({ port, host: "127.0.0.1" });
    const isOpen = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return { name, port, process: child };
    await setTimeout(100);
  }
  child.kill();
  throw new Error(`${name} does not listen on port ${port}`);
}

function configFile(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "proxy-bench-")), "config");
  writeFileSync(path, text);
  return path;
}

function onPath(program: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}
