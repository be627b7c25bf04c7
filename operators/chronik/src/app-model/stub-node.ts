// A stub of the three Chronik components. It offers the component contract with persistence, and misbehaves on request. The same code runs as an app
// model of an embedded cluster and as a program in an image.

import { type Clock, isRecord, type Random, type Timer } from "@homeostat/core";
import { componentPort, type DrainState } from "../component/contract.ts";
import type { StubConfig } from "./config.ts";
import { type MisbehaviorSet, misbehaviors, parseMisbehaviors, switchMisbehaviors } from "./misbehavior.ts";
import {
  type ChangeResult,
  type PeerTransport,
  QuorumMember,
  type QuorumMessage,
  type StubVolume,
} from "./quorum-member.ts";

/** A request to the stub. */
export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly apiKey: string | undefined;
}

/** A response of the stub. A promise that never settles simulates a stub that hangs. */
export interface StubResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Options of {@link StubNode}. */
export interface StubNodeOptions {
  readonly config: StubConfig;
  /** Misbehaviors in addition to those of the configuration. */
  readonly misbehave?: Readonly<Record<string, unknown>> | undefined;
  readonly volume: StubVolume;
  readonly peers: PeerTransport;
  readonly clock: Clock;
  readonly random: Random;
  /** Time that a drain takes. Default: 2 s. */
  readonly drainMs?: number | undefined;
}

/** Ports of a component: the contract and probes, the metrics, and the port of its clients. */
export const stubPorts: Readonly<Record<string, readonly number[]>> = {
  controller: [componentPort, 8080, 9090],
  ingest: [componentPort, 8080, 9092],
  search: [componentPort, 8080, 9093],
};

/** Ticks of the configuration between two messages of a leader. Fewer messages keep embedded clusters fast. */
const ticksPerMessage = 5;
const initialPartitions = 6;
const partitionsPerMove = 3;
const drainMsDefault = 2_000;
const never = new Promise<never>(() => undefined);

export class StubNode {
  readonly #options: StubNodeOptions;
  readonly #misbehaviors: MisbehaviorSet;
  /** The quorum member of a controller. */
  readonly quorum: QuorumMember | undefined;
  #drainTimer: Timer | undefined;
  #drain: { readonly state: DrainState; readonly partitions: number };

  constructor(options: StubNodeOptions) {
    this.#options = options;
    const { config, volume, peers, clock, random } = options;
    this.#misbehaviors = parseMisbehaviors(config.misbehave);
    switchMisbehaviors(this.#misbehaviors, options.misbehave ?? {});
    if (this.#misbehaviors.has("comeBackEmpty")) volume.clear();
    const { nodeId: id, address, founders, isFounder, namespace } = config;
    const cluster = `${namespace}/${config.cluster}`;
    const tickMs = Number(config.settings.get("raft.tick_ms") ?? "100") * ticksPerMessage;
    if (config.role === "controller")
      this.quorum = new QuorumMember({
        id,
        address,
        cluster,
        founders,
        isFounder,
        volume,
        peers,
        clock,
        random,
        tickMs,
      });
    this.#drain = readDrain(volume);
  }

  start(): void {
    this.quorum?.start();
    if (this.#drain.state === "draining") this.#moveData();
  }

  stop(): void {
    this.quorum?.stop();
    this.#drainTimer?.[Symbol.dispose]();
  }

  /** Turns misbehaviors on and off. */
  misbehave(switches: Readonly<Record<string, unknown>>): void {
    switchMisbehaviors(this.#misbehaviors, switches);
  }

  /** Handles a message of another controller; undefined if this stub does not respond. */
  receive(message: QuorumMessage): ReturnType<QuorumMember["receive"]> {
    return this.#misbehaviors.has("hang") ? undefined : this.quorum?.receive(message);
  }

  /** Handles a request on any port. */
  respond(request: StubRequest): StubResponse | Promise<StubResponse> {
    const { method, path } = request;
    switch (path) {
      case "/healthz":
        return text(200, "ok\n");
      case "/readyz":
        return this.#isReady() ? text(200, "ok\n") : text(503, "not ready\n");
      case "/metrics":
        return text(200, this.#metrics());
      case "/misbehave":
        if (method === "POST") this.misbehave(readObject(request.body));
        return json(200, Object.fromEntries(misbehaviors.map((one) => [one, this.#misbehaviors.has(one)])));
      case "/settings":
        return json(200, Object.fromEntries(this.#options.config.settings));
      default:
        return this.#contract(request);
    }
  }

  #isReady(): boolean {
    if (this.#misbehaviors.has("neverReady")) return false;
    return this.quorum === undefined || this.quorum.isVoting;
  }

  #contract(request: StubRequest): StubResponse | Promise<StubResponse> {
    const { adminApiKey, role } = this.#options.config;
    if (this.#misbehaviors.has("noContract")) return text(404, "not found\n");
    if (this.#misbehaviors.has("hang")) return never;
    if (this.#misbehaviors.has("garbage")) return text(200, '<html>{"nodeId":\u0000');
    if (adminApiKey !== undefined && request.apiKey !== adminApiKey) return text(401, "unauthorized\n");
    if (role === "controller" && this.quorum !== undefined) return this.#controller(request, this.quorum);
    return role === "ingest" ? this.#ingest(request) : text(404, "not found\n");
  }

  #controller({ method, path, body }: StubRequest, quorum: QuorumMember): StubResponse {
    const target = `${method} ${path}`;
    if (target === "GET /quorum")
      return json(200, this.#misbehaviors.has("lieAboutQuorum") ? lie(quorum) : quorum.view());
    if (target === "POST /leader/transfer") return changed(quorum.transfer());
    const { id, incarnation, address } = readObject(body);
    if (typeof id !== "number" || typeof incarnation !== "string") {
      const isKnown = path === "/members/add" || path === "/members/remove";
      return isKnown ? text(400, "id and incarnation are required\n") : text(404, "not found\n");
    }
    if (target === "POST /members/remove") return changed(quorum.remove({ id, incarnation }));
    if (target !== "POST /members/add") return text(404, "not found\n");
    if (typeof address !== "string") return text(400, "address is required\n");
    return changed(quorum.add({ id, incarnation, address }));
  }

  #ingest({ method, path }: StubRequest): StubResponse {
    if (path === "/restart-check" && method === "GET") {
      const isUnsafe = this.#misbehaviors.has("unsafeToRestart");
      return json(200, {
        safe: !isUnsafe,
        reason: isUnsafe ? "a partition would fall below its in-sync replicas" : "",
      });
    }
    if (path !== "/drain") return text(404, "not found\n");
    if (method === "POST" && this.#drain.state === "idle") {
      this.#setDrain("draining", this.#drain.partitions);
      this.#moveData();
    } else if (method === "DELETE") this.#setDrain("idle", this.#drain.partitions);
    return json(200, this.#drain);
  }

  /** Moves some partitions at a time until none is left. */
  #moveData(): void {
    const { clock, drainMs = drainMsDefault } = this.#options;
    this.#drainTimer?.[Symbol.dispose]();
    this.#drainTimer = clock.schedule((drainMs * partitionsPerMove) / initialPartitions, () => {
      if (this.#drain.state !== "draining") return;
      if (!this.#misbehaviors.has("neverDrain")) {
        const partitions = Math.max(0, this.#drain.partitions - partitionsPerMove);
        this.#setDrain(partitions === 0 ? "drained" : "draining", partitions);
      }
      this.#moveData();
    });
  }

  #setDrain(state: DrainState, partitions: number): void {
    this.#drain = { state, partitions };
    this.#options.volume.set(drainFile, JSON.stringify(this.#drain));
  }

  #metrics(): string {
    const { role } = this.#options.config;
    const lines = [`chronik_ready{role="${role}"} ${this.#isReady() ? 1 : 0}`];
    if (role === "ingest") lines.push(`chronik_partitions ${this.#drain.partitions}`);
    return `${lines.join("\n")}\n`;
  }
}

const drainFile = "drain.json";

function readDrain(volume: StubVolume): { readonly state: DrainState; readonly partitions: number } {
  const saved = readObject(volume.get(drainFile) ?? "");
  const { state, partitions } = saved;
  const isKnown = state === "idle" || state === "draining" || state === "drained";
  return isKnown && typeof partitions === "number"
    ? { state, partitions }
    : { state: "idle", partitions: initialPartitions };
}

/** Returns a view in which this member is the leader and the only voter of a newer term. */
function lie(quorum: QuorumMember): unknown {
  const { nodeId, incarnation, term } = quorum.view();
  return {
    nodeId,
    incarnation,
    leaderId: nodeId,
    term: term + 100,
    voters: [{ id: nodeId, incarnation, caughtUp: true }],
  };
}

function changed({ status, leaderId }: ChangeResult): StubResponse {
  return json(status, { leaderId });
}

function json(status: number, value: unknown): StubResponse {
  return { status, contentType: "application/json", body: `${JSON.stringify(value)}\n` };
}

function text(status: number, body: string): StubResponse {
  return { status, contentType: "text/plain", body };
}

function readObject(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
