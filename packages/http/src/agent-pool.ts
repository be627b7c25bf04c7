import type { Agent } from "node:https";
import { https } from "./node-http.ts";

/**
 * HTTPS agents with keep-alive connections, one per key: connections with different TLS options must not be shared.
 *
 * Holds at most `agentsMax` agents and closes the oldest one beyond that. The key includes the CA bundle, so each
 * rotation of a bundle creates a new agent.
 */
export class AgentPool implements Disposable {
  readonly #agentsMax: number;
  readonly #agents = new Map<string, Agent>();

  constructor(agentsMax: number) {
    this.#agentsMax = agentsMax;
  }

  /** Returns the agent of a key; creates it if there is none. */
  agentFor(key: string): Agent {
    const found = this.#agents.get(key);
    if (found !== undefined) return found;
    const { Agent: HttpsAgent } = https();
    const agent = new HttpsAgent({ keepAlive: true, minVersion: "TLSv1.2" });
    this.#agents.set(key, agent);
    const [oldest] = this.#agents.keys();
    if (this.#agents.size > this.#agentsMax && oldest !== undefined) {
      this.#agents.get(oldest)?.destroy();
      this.#agents.delete(oldest);
    }
    return agent;
  }

  /** Closes all connections. The pool can be used again. */
  [Symbol.dispose](): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }
}
