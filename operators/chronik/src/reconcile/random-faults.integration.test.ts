import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Pod } from "@homeostat/kubernetes/core/v1";
import type { Fault, RunningOperator, SentRequest } from "@homeostat/operator-testing";
import { SeededRandom } from "@homeostat/core";
import { annotations } from "../api/annotations.ts";
import { Bench, namespace } from "../testing/bench.ts";
import { Invariants } from "../testing/invariants.ts";

// CHRONIK_FAULT_SEED repeats one run, CHRONIK_FAULT_MINUTES makes runs longer.
const isFull = process.env["HOMEOSTAT_FULL"] !== undefined;
const minutes = Number(process.env["CHRONIK_FAULT_MINUTES"] ?? (isFull ? 30 : 3));
const seed = process.env["CHRONIK_FAULT_SEED"];
const seeds = seed !== undefined ? [Number(seed)] : isFull ? [1, 2, 3, 4, 5] : [1];

describe("a cluster under random changes, failing requests and crashes of pods and of the operator", () => {
  for (const one of seeds)
    it(`keeps its majority and its volumes, and runs with its last spec in the end (seed ${one})`, async () => {
      await using bench = await Bench.start();
      const run = new FaultRun(bench, new SeededRandom(one));
      await run.start();
      const claimsBefore = (await bench.claims(name)).length;
      await run.play(minutes * 60);
      const claims = await run.settle();

      run.invariants.assertNone();
      assert.ok(claims >= claimsBefore, `${claims} of ${claimsBefore} claims are left`);
      assert.ok(
        run.invariants.disruptions >= minutes,
        `${run.invariants.disruptions} disruptions; ${run.log.join(", ")}`,
      );
    });
});

const name = "wild";

/** One run. Its random decisions depend on the seed alone. */
class FaultRun {
  readonly #bench: Bench;
  readonly #random: SeededRandom;
  readonly invariants: Invariants;
  /** Actions and faults of the run, for the message of a failed run. */
  readonly log: string[] = [];
  #operator: RunningOperator | undefined;
  #hasFaults = false;
  #count = 0;

  constructor(bench: Bench, random: SeededRandom) {
    this.#bench = bench;
    this.#random = random;
    this.invariants = new Invariants(bench, name);
  }

  async start(): Promise<void> {
    await this.#startOperator();
    await this.#bench.create(name, { controllers: 3, ingestNodes: 2 });
    await this.#bench.running(name);
  }

  /** Lets one thing happen about every ten seconds. */
  async play(seconds: number): Promise<void> {
    this.#hasFaults = true;
    for (let second = 0; second < seconds; second += 1) {
      if (this.#chance(0.1)) await this.#happen();
      await this.#bench.pass(1_000, 1);
      await this.#restartIfCrashed();
    }
  }

  /** Ends all faults, and waits until the cluster runs. Returns the number of claims. */
  async settle(): Promise<number> {
    this.#hasFaults = false;
    await this.#change({ config: { common: { misbehave: "none" } } });
    // 25 minutes of virtual time.
    for (let steps = 0; !(await this.#isRunning()); steps += 1) {
      if (steps > 300) assert.fail(`not Running after ${this.log.join(", ")}: ${await this.#describe()}`);
      await this.#bench.pass(5_000, 2);
      await this.#restartIfCrashed();
    }
    await this.#operator?.stop();
    return (await this.#bench.claims(name)).length;
  }

  async #isRunning(): Promise<boolean> {
    const { status, metadata } = await this.#bench.get(name);
    return status.phase === "Running" && status.observedGeneration === metadata.generation;
  }

  async #describe(): Promise<string> {
    const { phase, plan, conditions, lastError, summary } = (await this.#bench.get(name)).status;
    return JSON.stringify({ phase, summary, plan, lastError, conditions }, undefined, 1);
  }

  async #restartIfCrashed(): Promise<void> {
    if (this.#operator?.hasCrashed !== true) return;
    await this.#operator.stop();
    await this.#startOperator();
  }

  async #happen(): Promise<void> {
    const roll = this.#pick(["config", "controllers", "ingest", "bad", "kill", "kill", "crash", "restart", "grow"]);
    this.#count += 1;
    this.log.push(roll);
    this.invariants.note(roll);
    switch (roll) {
      case "config":
        return this.#change({ config: { common: { round: String(this.#count), misbehave: "none" } } });
      case "bad":
        return this.#change({ config: { common: { misbehave: "neverReady" } } });
      case "controllers":
        return this.#change({ controllers: this.#pick([3, 5]) });
      case "ingest":
        return this.#change({ ingestNodes: this.#pick([1, 2, 3]) });
      case "grow":
        return this.#change({ storage: { size: `${10 + this.#count}Gi` } });
      case "restart":
        return this.#bench.annotate(name, annotations.restart, String(this.#count));
      case "kill":
        return this.#kill();
      case "crash":
        await this.#operator?.stop();
        return this.#startOperator();
    }
  }

  async #kill(): Promise<void> {
    const pods = [...(await this.#bench.pods(name, "controller")), ...(await this.#bench.pods(name, "ingest"))];
    const pod = this.#pick(pods);
    this.invariants.fault(pod);
    await this.#bench.client.delete(Pod, { namespace, name: pod.metadata.name ?? "" }, { gracePeriodSeconds: 0 });
  }

  async #change(spec: object): Promise<void> {
    this.invariants.note(JSON.stringify(spec));
    await this.#bench.change(name, spec);
  }

  /** Starts an operator, which crashes at one of its next requests. */
  async #startOperator(): Promise<void> {
    this.#operator = await this.#bench.run({
      ...(this.#hasFaults && {
        crash: { nth: 20 + Math.floor(this.#random.next() * 200), when: this.#chance(0.5) ? "before" : "after" },
      }),
      fault: (sent) => this.#fault(sent),
      onWrite: (sent) => this.invariants.check(sent),
    });
  }

  /** Fails one in 50 writes of the operator. */
  #fault(sent: SentRequest): Fault | undefined {
    if (!this.#hasFaults || sent.method === "GET" || !this.#chance(0.02)) return undefined;
    return this.#pick([500, 503, 429, "lost"] as const);
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }

  #pick<T>(from: readonly T[]): T {
    const picked = from[Math.floor(this.#random.next() * from.length)];
    assert.ok(picked !== undefined);
    return picked;
  }
}
