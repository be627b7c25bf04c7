// The network of a laptop: a network namespace with one link to this machine, and routes to the API server and, for some, to the tunnel server only.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Options of {@link LaptopNetwork.create}. */
export interface LaptopNetworkOptions {
  /** Number of the laptop, from 0. */
  readonly number: number;
  /** Name of the machine, which other users see. */
  readonly host: string;
  /** Address of the API server on this machine, `10.X.0.1`. The address range `10.X.0.0/16` belongs to its cluster. */
  readonly apiServer: string;
  /** Address of the tunnel server, if the laptop may reach it. */
  readonly tunnelServer?: string | undefined;
}

/** A network and host name of its own. The kernel removes it together with the process that holds it. */
export class LaptopNetwork implements AsyncDisposable {
  readonly #holder: ChildProcess;
  readonly #up: string;

  private constructor(holder: ChildProcess, up: string) {
    this.#holder = holder;
    this.#up = up;
  }

  static async create({ number, host, apiServer, tunnelServer }: LaptopNetworkOptions): Promise<LaptopNetwork> {
    const [, range = "", slot = ""] = /^(10\.(\d+))\.0\.1$/.exec(apiServer) ?? [];
    if (range === "")
      throw new Error(`The API server has the address ${apiServer}, which is not that of a node's link`);
    // The links of nodes have addresses in 10.X.0.0/24.
    const [gateway, own] = [`${range}.1.${4 * number + 1}`, `${range}.1.${4 * number + 2}`];
    const script = 'hostname "$1" && ip link set lo up && echo ready && exec cat';
    // Its input ends together with this process.
    const holder = spawn("unshare", ["--net", "--uts", "sh", "-c", script, "laptop", host], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const servers = tunnelServer === undefined ? [apiServer] : [apiServer, tunnelServer];
    const routes = servers.map((server) => `route add ${server}/32 via ${gateway}\n`);
    const network = new LaptopNetwork(holder, `link set eth0 up\n${routes.join("")}`);
    try {
      await Promise.race([
        once(holder.stdout, "data"),
        once(holder, "exit").then(() => Promise.reject(new Error("The network namespace could not be created"))),
      ]);
      const link = `hs-lap${slot}-${number}`;
      await run("ip", ["link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", String(holder.pid)]);
      await run("ip", ["address", "add", `${gateway}/30`, "dev", link]);
      await run("ip", ["link", "set", link, "up"]);
      await network.#inside("ip", "address", "add", `${own}/30`, "dev", "eth0");
      await network.connect();
      return network;
    } catch (error) {
      await network[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Returns the command that runs another one in the network. */
  enter(command: readonly string[]): readonly [program: string, words: readonly string[]] {
    const namespaces = `/proc/${this.#holder.pid}/ns`;
    return ["nsenter", [`--net=${namespaces}/net`, `--uts=${namespaces}/uts`, "--", ...command]];
  }

  /** Takes the link down, as if the laptop had left the network: its address is not usable, and its routes are gone. */
  async disconnect(): Promise<void> {
    await this.#inside("ip", "link", "set", "eth0", "down");
  }

  /** Takes the link up, and adds the routes. */
  async connect(): Promise<void> {
    const batch = this.#inside("ip", "-batch", "-");
    batch.child.stdin?.end(this.#up);
    await batch;
  }

  /** Drops a share of the packets of both directions. */
  async losePackets(percent: number): Promise<void> {
    const drop = `numgen random mod 100 < ${percent} counter drop`;
    const rules = `
      table ip loss {
        chain out {
          type filter hook output priority 0
          oifname eth0 ${drop}
        }
        chain in {
          type filter hook input priority 0
          iifname eth0 ${drop}
        }
      }`;
    const applied = this.#inside("nft", "-f", "-");
    applied.child.stdin?.end(rules);
    await applied;
  }

  /** Returns the numbers of packets that were dropped, for each direction. */
  async lostPackets(): Promise<readonly number[]> {
    const { stdout } = await this.#inside("nft", "list", "table", "ip", "loss");
    return [...stdout.matchAll(/counter packets (\d+)/g)].map(([, count]) => Number(count));
  }

  /** Drops no more packets. */
  async keepPackets(): Promise<void> {
    await this.#inside("nft", "delete", "table", "ip", "loss");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#holder.exitCode !== null || this.#holder.signalCode !== null) return;
    const ended = once(this.#holder, "exit");
    this.#holder.stdin?.end();
    await ended;
  }

  #inside(...command: string[]) {
    const [program, words] = this.enter(command);
    return run(program, words);
  }
}

/** Returns the address of the API server of a kubeconfig. */
export function apiServerOf(kubeconfig: string): string {
  const [, host = ""] = /server: "?https:\/\/([^:"/]+)/.exec(readFileSync(kubeconfig, "utf8")) ?? [];
  return host;
}
