// One member: calls its own Kafka process and the other members, and offers the component contract.

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Address, KafkaRequestError, sendRequest, type TlsFiles } from "../protocol/connection.ts";
import {
  addVoter,
  describeCluster,
  describeQuorum,
  errorCodes,
  type KafkaRequest,
  metadata,
  minInSyncReplicas,
  ongoingReassignments,
  type Outcome,
  reassign,
  removeVoter,
  unregisterBroker,
} from "../protocol/messages.ts";
import type { AdapterConfig } from "./config.ts";
import { readObject } from "./json.ts";
import { drainCancellations, drainMoves, partitionsOf, restartCheck } from "./partitions.ts";
import { controllerListener } from "./properties.ts";
import { changeStatus, isVoting, type QuorumView, quorumView } from "./quorum.ts";

/** A response of the component contract. */
export interface ContractResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Time limits. The operator waits for two seconds, and a response can need two requests one after the other. */
const ownTimeoutMs = 900;
const peerTimeoutMs = 900;
const changeTimeoutMs = 1_500;

const notFound: ContractResponse = { status: 404, body: { error: "not found" } };

/** Options of {@link KafkaNode}. */
export interface KafkaNodeOptions {
  readonly config: AdapterConfig;
  /** Directory id of this member. */
  readonly incarnation: string;
  readonly tls: TlsFiles | undefined;
}

export class KafkaNode {
  readonly #config: AdapterConfig;
  readonly #incarnation: string;
  readonly #tls: TlsFiles | undefined;
  readonly #drainFile: string;
  #isDraining: boolean;

  constructor({ config, incarnation, tls }: KafkaNodeOptions) {
    this.#config = config;
    this.#incarnation = incarnation;
    this.#tls = tls;
    this.#drainFile = join(config.dataFolder, "draining");
    this.#isDraining = existsSync(this.#drainFile);
  }

  /** Reports whether a controller votes, or whether the other brokers know this broker as a live one. */
  async isReady(): Promise<boolean> {
    try {
      if (this.#config.role === "controller") return isVoting(await this.#quorum());
      const { errorCode, nodes } = await this.#own(describeCluster("brokers"));
      return errorCode === errorCodes.none && nodes.some(({ id }) => id === this.#config.kafkaId);
    } catch (error) {
      if (error instanceof KafkaRequestError) return false;
      throw error;
    }
  }

  /** Handles a request of the component contract. */
  async respond({ method, path, body }: { method: string; path: string; body: string }): Promise<ContractResponse> {
    try {
      const target = `${method} ${path}`;
      return this.#config.role === "controller"
        ? await this.#respondAsController(target, body)
        : await this.#respondAsBroker(target);
    } catch (error) {
      if (error instanceof KafkaRequestError) return { status: 503, body: { error: error.message } };
      throw error;
    }
  }

  /** Continues a drain: moves partitions that were created or became movable since the last call. */
  async continueDrain(): Promise<void> {
    if (!this.#isDraining) return;
    const ongoing = await this.#own(ongoingReassignments(changeTimeoutMs), changeTimeoutMs);
    const moves = drainMoves(this.#config.kafkaId, await this.#own(metadata()), ongoing);
    if (moves.length > 0) await this.#own(reassign(moves, changeTimeoutMs), changeTimeoutMs);
  }

  /** Removes the registration of a broker that was drained and has stopped. */
  async leave(wasDrained: boolean): Promise<void> {
    if (!wasDrained) return;
    rmSync(this.#drainFile, { force: true });
    for (const controller of this.#config.controllers) {
      const outcome = await this.#tryPeer(controller, unregisterBroker(this.#config.kafkaId));
      if (outcome?.errorCode === errorCodes.none || outcome?.errorCode === errorCodes.brokerIdNotRegistered) return;
    }
  }

  /** Reports whether a drain has emptied this broker. */
  async isDrained(): Promise<boolean> {
    if (!this.#isDraining) return false;
    const known = await this.#own(metadata()).catch(() => undefined);
    return known !== undefined && partitionsOf(this.#config.kafkaId, known).length === 0;
  }

  async #respondAsController(target: string, body: string): Promise<ContractResponse> {
    if (target === "GET /quorum") return { status: 200, body: await this.#quorum() };
    // Kafka cannot move the leadership on request.
    if (target !== "POST /members/add" && target !== "POST /members/remove") return notFound;
    const { id, incarnation, address } = readObject(body);
    if (typeof id !== "number" || typeof incarnation !== "string")
      return { status: 400, body: { error: "id and incarnation are required" } };
    const { clusterId } = this.#config;
    if (target === "POST /members/remove")
      return this.#change("remove", removeVoter({ clusterId, id, directoryId: incarnation }));
    const [, host, port] = /^([^:]+):(\d+)$/.exec(typeof address === "string" ? address : "") ?? [];
    if (host === undefined) return { status: 400, body: { error: "address is required" } };
    const listener = { name: controllerListener, host, port: Number(port) };
    const request = addVoter({ clusterId, id, directoryId: incarnation, listener, timeoutMs: changeTimeoutMs });
    return this.#change("add", request);
  }

  async #change(change: "add" | "remove", request: KafkaRequest<Outcome>): Promise<ContractResponse> {
    const outcome = await this.#own(request, changeTimeoutMs);
    const status = changeStatus(change, outcome);
    if (status !== 409) return { status, body: { error: outcome.message } };
    const { controllerId } = await this.#own(describeCluster("controllers"));
    return { status, body: controllerId > 0 ? { leaderId: controllerId } : {} };
  }

  /** Asks the leader that the own process follows. A controller without a leader has no view of the voters. */
  async #quorum(): Promise<QuorumView> {
    const { nodeId } = this.#config;
    const self = { nodeId, incarnation: this.#incarnation };
    const { controllerId, nodes } = await this.#own(describeCluster("controllers"));
    // Controllers register after the first election.
    const leader = [...nodes, ...this.#config.founders].find(({ id }) => id === controllerId);
    const none: QuorumView = { ...self, leaderId: undefined, term: 0, voters: [] };
    if (controllerId === this.#config.kafkaId) return described(await this.#own(describeQuorum()));
    if (leader === undefined) return none;
    return described(await this.#peer(leader, describeQuorum()));

    function described(found: Parameters<typeof quorumView>[1]): QuorumView {
      return found.errorCode === errorCodes.none ? quorumView(self, found) : none;
    }
  }

  async #respondAsBroker(target: string): Promise<ContractResponse> {
    switch (target) {
      case "GET /restart-check":
        return { status: 200, body: await this.#restartCheck() };
      case "POST /drain":
        writeFileSync(this.#drainFile, "");
        this.#isDraining = true;
        await this.continueDrain();
        return this.#drainView();
      case "DELETE /drain":
        rmSync(this.#drainFile, { force: true });
        this.#isDraining = false;
        await this.#cancelMoves();
        return this.#drainView();
      case "GET /drain":
        return this.#drainView();
      default:
        return notFound;
    }
  }

  async #restartCheck(): Promise<object> {
    const known = await this.#own(metadata());
    const own = partitionsOf(this.#config.kafkaId, known);
    const topics = [...new Set(own.map(({ topic }) => topic))];
    const minimum = topics.length === 0 ? new Map() : await this.#own(minInSyncReplicas(topics));
    return restartCheck(this.#config.kafkaId, known, minimum);
  }

  async #drainView(): Promise<ContractResponse> {
    const partitions = partitionsOf(this.#config.kafkaId, await this.#own(metadata())).length;
    const draining = partitions === 0 ? "drained" : "draining";
    return { status: 200, body: { state: this.#isDraining ? draining : "idle", partitions } };
  }

  async #cancelMoves(): Promise<void> {
    const ongoing = await this.#own(ongoingReassignments(changeTimeoutMs), changeTimeoutMs);
    const cancellations = drainCancellations(this.#config.kafkaId, ongoing);
    if (cancellations.length > 0) await this.#own(reassign(cancellations, changeTimeoutMs), changeTimeoutMs);
  }

  async #own<Response>(request: KafkaRequest<Response>, timeoutMs: number = ownTimeoutMs): Promise<Response> {
    // By the own name, which the certificate contains.
    return sendRequest(this.#config.address, request, { timeoutMs, tls: this.#tls });
  }

  async #peer<Response>(address: Address, request: KafkaRequest<Response>): Promise<Response> {
    return sendRequest(address, request, { timeoutMs: peerTimeoutMs, tls: this.#tls });
  }

  async #tryPeer<Response>(address: Address, request: KafkaRequest<Response>): Promise<Response | undefined> {
    try {
      return await this.#peer(address, request);
    } catch {
      // The next controller may respond.
      return undefined;
    }
  }
}
