// A simulated cluster for tests of decisions over time: pods terminate, start and become ready; controllers vote by incarnation. Time advances in
// steps of five seconds, and each reconcile performs the step that was decided.

import assert from "node:assert/strict";
import type { StatefulComponent } from "../api/identity.ts";
import type { ComponentResult, QuorumView, Voter } from "../component/contract.ts";
import type { ObservedMember, ObservedTier } from "../observe/observed.ts";
import {
  claim,
  member,
  memberPolicy,
  now as beginning,
  previous,
  requests,
  statefulSet,
  updatePolicy,
} from "./observed-clusters.ts";
import { decideStep, type Step, type StepDecision } from "../decide/plan.ts";
import { majorityOf } from "../decide/quorum.ts";

interface SimulatedPod {
  readonly uid: string;
  readonly revision: number;
  incarnation: string;
  createdAt: number;
  readySince: number | undefined;
  isTerminating: boolean;
  /** True if the operator has restarted it while it was ready. */
  isDisrupted: boolean;
  drain: "idle" | "draining" | "drained";
}

interface SimulatedTier {
  replicas: number;
  desired: number;
  revision: number;
  /** Revisions whose pods never become ready. */
  readonly broken: Set<number>;
  readonly pods: Map<number, SimulatedPod>;
  /** Incarnations on the volumes, by ordinal. */
  readonly disks: Map<number, string>;
}

const stepMs = 5_000;

export class ClusterSimulation {
  readonly tiers: Readonly<Record<StatefulComponent, SimulatedTier>>;
  voters: readonly Voter[];
  leader = 0;
  now = beginning;
  /** True while a fault other than a step of the operator has taken a controller down. */
  hasFault = false;
  neverDrains = false;
  #lastRestart: { component: StatefulComponent; podName: string; at: number } | undefined;
  #scaleDown: { readonly podName: string; readonly since: number } | undefined;
  #uids = 0;

  constructor({ controllers, ingest }: { readonly controllers: number; readonly ingest: number }) {
    const tierOf = (replicas: number): SimulatedTier => ({
      replicas,
      desired: replicas,
      revision: 1,
      broken: new Set(),
      pods: new Map(),
      disks: new Map(),
    });
    this.tiers = { controller: tierOf(controllers), ingest: tierOf(ingest) };
    for (const component of ["controller", "ingest"] as const) {
      const tier = this.tiers[component];
      for (let ordinal = 0; ordinal < tier.replicas; ordinal += 1) this.#createPod(tier, ordinal, this.now - 600_000);
    }
    this.voters = [...this.tiers.controller.disks].map(([ordinal, incarnation]) => ({
      id: ordinal + 1,
      incarnation,
      caughtUp: true,
    }));
  }

  /** Changes the pod template of a component. */
  changeTemplate(component: StatefulComponent, isBroken: boolean): void {
    const tier = this.tiers[component];
    tier.revision += 1;
    if (isBroken) tier.broken.add(tier.revision);
  }

  scale(component: StatefulComponent, desired: number): void {
    this.tiers[component].desired = desired;
  }

  /** Kills a pod, as a crash of its node does. */
  kill(component: StatefulComponent, index: number): void {
    const { pods } = this.tiers[component];
    const ordinal = [...pods.keys()][index % Math.max(1, pods.size)];
    if (ordinal === undefined) return;
    pods.delete(ordinal);
    if (component === "controller") this.hasFault = true;
  }

  /** Destroys the disk of a controller, if a majority of the voters survives it. */
  loseDisk(index: number): void {
    const { pods, disks } = this.tiers.controller;
    const ordinal = [...pods.keys()][index % Math.max(1, pods.size)];
    const survivors = this.liveVoters().filter((one) => one !== ordinal).length;
    if (ordinal === undefined || survivors < majorityOf(this.voters.length) || this.voters.length < 3) return;
    disks.delete(ordinal);
    pods.delete(ordinal);
    this.hasFault = true;
  }

  /** Lets time pass: pods terminate, are created, start and become ready. */
  pass(): void {
    this.now += stepMs;
    for (const component of ["controller", "ingest"] as const) {
      const tier = this.tiers[component];
      for (const [ordinal, pod] of tier.pods) {
        if (pod.isTerminating || ordinal >= tier.replicas) tier.pods.delete(ordinal);
        else if (pod.drain === "draining" && !this.neverDrains) pod.drain = "drained";
      }
      for (let ordinal = 0; ordinal < tier.replicas; ordinal += 1)
        if (!tier.pods.has(ordinal)) this.#createPod(tier, ordinal, this.now);
    }
    this.#elect();
    for (const component of ["controller", "ingest"] as const) {
      const { pods, broken } = this.tiers[component];
      for (const [ordinal, pod] of pods) {
        const canStart = this.now > pod.createdAt && !broken.has(pod.revision);
        const isReady = canStart && (component === "ingest" || (this.#votes(ordinal, pod) && this.leader >= 0));
        pod.readySince = isReady ? (pod.readySince ?? this.now) : undefined;
      }
    }
    if (this.liveVoters().length === this.voters.length) this.hasFault = false;
  }

  /** Decides a step and performs it. */
  reconcile(): StepDecision {
    const decision = decideStep({
      observed: {
        controller: this.#observe("controller"),
        ingest: this.#observe("ingest"),
        claims: [...this.tiers.controller.disks.keys()].map((ordinal) => claim("controller", ordinal)),
        previous: {
          ...previous,
          lastRestart: this.#lastRestart,
          scaleDown: this.#scaleDown === undefined ? {} : { ingest: this.#scaleDown },
        },
        requests,
      },
      policy: { ...memberPolicy, updateStrategy: updatePolicy },
      desired: { controller: this.tiers.controller.desired, ingest: this.tiers.ingest.desired },
      permission: { isAllowed: true },
      now: this.now,
    });
    this.#perform(decision.step);
    return decision;
  }

  /** Returns the ordinals of the controllers that vote and run. */
  liveVoters(): readonly number[] {
    const { pods, broken } = this.tiers.controller;
    const runs = (pod: SimulatedPod): boolean =>
      !pod.isTerminating && this.now > pod.createdAt && !broken.has(pod.revision);
    return [...pods].flatMap(([ordinal, pod]) => (runs(pod) && this.#votes(ordinal, pod) ? [ordinal] : []));
  }

  get isSettled(): boolean {
    const { controller, ingest } = this.tiers;
    const isComplete = ({ pods, desired, replicas, revision }: SimulatedTier): boolean =>
      replicas === desired &&
      pods.size === desired &&
      [...pods.values()].every((pod) => pod.readySince !== undefined && pod.revision === revision);
    return (
      isComplete(controller) &&
      isComplete(ingest) &&
      this.liveVoters().length === controller.desired &&
      this.voters.length === controller.desired
    );
  }

  #createPod(tier: SimulatedTier, ordinal: number, at: number): void {
    this.#uids += 1;
    const uid = `u${this.#uids}`;
    const incarnation = tier.disks.get(ordinal) ?? `disk-${uid}`;
    tier.disks.set(ordinal, incarnation);
    const isOld = at < this.now;
    tier.pods.set(ordinal, {
      uid,
      revision: tier.revision,
      incarnation,
      createdAt: at,
      readySince: isOld ? at : undefined,
      isTerminating: false,
      isDisrupted: false,
      drain: "idle",
    });
  }

  #votes(ordinal: number, pod: SimulatedPod): boolean {
    return this.voters.some(({ id, incarnation }) => id === ordinal + 1 && incarnation === pod.incarnation);
  }

  #elect(): void {
    const live = this.liveVoters();
    if (live.length < majorityOf(this.voters.length)) this.leader = -1;
    else if (!live.includes(this.leader)) this.leader = live[0] ?? -1;
  }

  #observe(component: StatefulComponent): ObservedTier {
    const { pods, replicas, revision } = this.tiers[component];
    const members = [...pods]
      .toSorted(([a], [b]) => a - b)
      .map(([ordinal, pod]): ObservedMember => {
        const quorum = component === "controller" ? this.#quorumOf(ordinal, pod) : undefined;
        return member(component, ordinal, {
          uid: pod.uid,
          revision: String(pod.revision),
          readySince: pod.isTerminating ? undefined : pod.readySince,
          unreadySince: pod.readySince === undefined ? pod.createdAt : undefined,
          createdAt: pod.createdAt,
          isTerminating: pod.isTerminating,
          component: {
            quorum,
            drain: { type: "response", value: { state: pod.drain, partitions: pod.drain === "drained" ? 0 : 3 } },
            restartCheck: { type: "response", value: { safe: true, reason: "" } },
          },
        });
      });
    return { set: statefulSet({ replicas, updateRevision: String(revision) }), members };
  }

  #quorumOf(ordinal: number, pod: SimulatedPod): ComponentResult<QuorumView> {
    if (this.now <= pod.createdAt || this.tiers.controller.broken.has(pod.revision)) return { type: "timeout" };
    const live = this.liveVoters();
    const voters = this.voters.map((voter) => ({ ...voter, caughtUp: live.includes(voter.id - 1) }));
    const leaderId = this.leader < 0 ? undefined : this.leader + 1;
    return {
      type: "response",
      value: { nodeId: ordinal + 1, incarnation: pod.incarnation, leaderId, term: 1, voters },
    };
  }

  #perform(step: Step): void {
    switch (step.type) {
      case "restart": {
        const { component, podName, uid } = step.restart;
        const pod = [...this.tiers[component].pods.values()].find((one) => one.uid === uid);
        assert.ok(pod !== undefined);
        pod.isTerminating = true;
        pod.isDisrupted = pod.readySince !== undefined;
        pod.readySince = undefined;
        this.#lastRestart = { component, podName, at: this.now };
        break;
      }
      case "controllers": {
        const { step: change } = step;
        if (change.type === "addVoter") this.voters = [...this.voters, { ...change.voter, caughtUp: true }];
        if (change.type === "removeVoter") this.voters = this.voters.filter(({ id }) => id !== change.voter.id);
        if (change.type === "setReplicas") this.tiers.controller.replicas = change.to;
        if (change.type === "transferLeader")
          this.leader = this.liveVoters().find((one) => one !== this.leader) ?? this.leader;
        this.#elect();
        break;
      }
      case "ingest": {
        const { step: change } = step;
        if (change.type === "setReplicas") {
          this.tiers.ingest.replicas = change.to;
          this.#scaleDown = undefined;
          break;
        }
        const pod = [...this.tiers.ingest.pods.values()].find(({ uid }) => uid === change.uid);
        if (pod !== undefined) pod.drain = change.type === "startDrain" ? "draining" : "idle";
        if (change.type === "startDrain") this.#scaleDown = { podName: change.podName, since: this.now };
        break;
      }
      default:
    }
  }
}
