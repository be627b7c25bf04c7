// The machines that are attached to one replica: who may attach, who may stay, and what their LocalWorkloads say about them.

import type { Client } from "@homeostat/client";
import { type Clock, formatTime, type Random, uuid } from "@homeostat/core";
import type { Logger } from "@homeostat/runtime";
import { createdByAnnotation, localPortOf, LocalWorkload, type OperatorConfig } from "@homeostat/sandbox-operator";
import { type AttachVerdict, type Hello, machineId } from "@homeostat/tunnel";
import type { TunnelMetrics } from "../metrics/tunnel-metrics.ts";
import type { ClusterState } from "../observe/cluster-state.ts";
import { Attachment, type Farewell } from "./attachment.ts";
import { attachMachine, detachMachine, isReplaced, machinesOf, promoteMachine, updateMachine } from "./machines.ts";
import { mayAttach } from "./may-attach.ts";
import { changeStatus } from "./status-store.ts";

/** Options of {@link Attachments}. */
export interface AttachmentsOptions {
  readonly state: ClusterState;
  readonly client: Pick<Client, "get" | "patch" | "reviewAccess">;
  readonly clock: Clock;
  /** The clock of the API server, for times in objects. */
  readonly serverClock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: TunnelMetrics;
  /** Configuration as it is now. */
  readonly config: () => Pick<OperatorConfig["tunnel"], "accessCheckIntervalSeconds">;
  /** Name and IP address of the pod. */
  readonly replica: string;
  readonly address: string;
  /** Called when machines have attached, left, or become active. */
  readonly onChange: () => void;
}

/** Time after which a review that failed is repeated. */
const reviewRetryMs = 10_000;
/** Interval of signs of life in the status. */
const heartbeatMs = 60_000;
/** Characters of `localMessage` that the schema allows. */
const localMessageMax = 512;

const denied: AttachVerdict = { isAllowed: false, reason: "Denied", isRetryable: false };

/** The machines that are attached to this replica. */
export class Attachments {
  readonly #options: AttachmentsOptions;
  readonly #all = new Set<Attachment>();
  /** Changes of each object are written one after the other. */
  readonly #writes = new Map<string, Promise<void>>();
  /** True after the replica was asked to stop: it accepts no machines, and those that have moved stay for their open streams. */
  isDraining = false;

  constructor(options: AttachmentsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#all.size;
  }

  get all(): Iterable<Attachment> {
    return this.#all;
  }

  /** Resolves when all changes of this replica are written, or have failed. */
  async written(): Promise<void> {
    await Promise.all(this.#writes.values());
  }

  /** Decides about a machine that has proven its key, and writes it to the status of its LocalWorkload. */
  async authorize(hello: Hello): Promise<AttachVerdict | Attachment> {
    const { serverClock, random, replica, address, client, log } = this.#options;
    const unavailable: AttachVerdict = { isAllowed: false, reason: "Unavailable", isRetryable: true };
    if (this.isDraining) return { isAllowed: false, reason: "Draining", isRetryable: true };
    const object = this.#options.state.workload(hello.workload);
    const claim = { uid: hello.uid, key: hello.key };
    const may = mayAttach(claim, object, this.#options.state.policies(object?.metadata.namespace ?? ""));
    if (!may.isAllowed || object === undefined) {
      log.info("Denied machine", {
        localWorkload: hello.workload,
        machine: machineId(hello.key),
        why: may.isAllowed ? "" : may.why,
      });
      return denied;
    }
    if (object.metadata.deletionTimestamp !== undefined) return denied;
    if ((object.status?.ports ?? []).length === 0)
      return { ...unavailable, detail: "the operator has not assigned ports yet" };
    const { namespace = "", name = "" } = object.metadata;
    try {
      if (!(await this.#isPermitted({ namespace, name }, may))) return denied;
      const { mode } = object.spec.connection;
      let result: ReturnType<typeof attachMachine> | undefined;
      const machine = machineId(hello.key);
      const exists = await changeStatus(
        { client, key: { namespace, name }, uid: hello.uid, cached: object },
        (current) => {
          result = attachMachine(current.status ?? {}, {
            mode,
            takeover: hello.takeover,
            now: serverClock.now(),
            machine: {
              machine,
              host: hello.host.slice(0, 253),
              user: may.user,
              clientVersion: hello.client.slice(0, 64),
              replica,
              address,
              resume: hello.resume,
              newTunnelId: uuid(random),
            },
          });
          return result.isBusy ? undefined : result.status;
        },
      );
      if (!exists || result === undefined) return denied;
      if (result.isBusy) {
        const { host = "another machine", user = "" } = result.by;
        return {
          isAllowed: false,
          reason: "Busy",
          detail: `${host}${user === "" ? "" : ` of ${user}`}`,
          isRetryable: false,
        };
      }
      const { entry, isActive } = result;
      const attachment = new Attachment({
        key: hello.workload,
        uid: hello.uid,
        machine,
        publicKey: hello.key,
        host: hello.host,
        epoch: entry.epoch ?? 0,
        tunnelId: entry.tunnelId ?? "",
        isActive,
      });
      attachment.reviewed = reviewKey(object);
      attachment.reviewedAt = this.#options.clock.monotonic();
      attachment.heartbeatAt = attachment.reviewedAt;
      this.#all.add(attachment);
      return attachment;
    } catch (error) {
      log.warn("Failed to attach a machine", { localWorkload: hello.workload, error });
      return { ...unavailable, detail: "the API server did not accept the change" };
    }
  }

  /** Asks whether the user who created the LocalWorkload may still change it. */
  async #isPermitted(
    { namespace, name }: { readonly namespace: string; readonly name: string },
    { user, groups }: { readonly user: string; readonly groups: readonly string[] },
  ): Promise<boolean> {
    const access = { type: LocalWorkload, verb: "update", namespace, name };
    return (await this.#options.client.reviewAccess({ user, groups }, access)).isAllowed;
  }

  /** Checks all machines of a namespace after a change of its policies. */
  policiesChanged(namespace: string): void {
    const keys = new Set([...this.#all].map(({ key }) => key).filter((key) => key.startsWith(`${namespace}/`)));
    for (const key of keys) this.changed(key);
  }

  /** Checks all machines of a LocalWorkload after a change, and opens and closes listening ports. */
  changed(key: string): void {
    const object = this.#options.state.workload(key);
    for (const attachment of this.#all) {
      if (attachment.key !== key) continue;
      if (object === undefined || object.metadata.uid !== attachment.uid) {
        this.close(attachment, { reason: "Deleted", detail: "the LocalWorkload was deleted", retry: false });
        continue;
      }
      const may = mayAttach(
        { uid: attachment.uid, key: attachment.publicKey },
        object,
        this.#options.state.policies(object.metadata.namespace ?? ""),
      );
      if (!may.isAllowed) {
        this.close(attachment, { reason: "AccessRevoked", detail: may.why, retry: false });
        continue;
      }
      const { mode } = object.spec.connection;
      const status = object.status ?? {};
      if (isReplaced(status, { machine: attachment.machine, epoch: attachment.epoch, mode }))
        this.#replaced(attachment);
      else if (
        machinesOf(status).some((each) => each.machine === attachment.machine && each.epoch === attachment.epoch)
      )
        this.#setActive(
          attachment,
          mode === "Pool" ||
            (status.connection?.machine === attachment.machine && status.connection.epoch === attachment.epoch),
        );
      if (attachment.reviewed !== reviewKey(object)) this.#review(attachment);
    }
    this.#options.onChange();
  }

  #setActive(attachment: Attachment, isActive: boolean): void {
    if (attachment.isActive === isActive) return;
    attachment.isActive = isActive;
    attachment.tunnel?.setActive(isActive);
  }

  /** A connection that a client opened while this replica drains, or another machine, has taken over. */
  #replaced(attachment: Attachment): void {
    if (attachment.isLeaving) return;
    attachment.isLeaving = true;
    attachment.isActive = false;
    if (!this.isDraining)
      this.close(attachment, { reason: "Replaced", detail: "another connection has taken its place", retry: false });
  }

  #review(attachment: Attachment): void {
    const object = this.#options.state.workload(attachment.key);
    const may =
      object === undefined ? undefined : mayAttach({ uid: attachment.uid, key: attachment.publicKey }, object, []);
    if (object === undefined || may?.isAllowed !== true) return;
    attachment.reviewed = reviewKey(object);
    attachment.reviewedAt = this.#options.clock.monotonic();
    const { namespace = "", name = "" } = object.metadata;
    void this.#reviewAccess(attachment, { namespace, name, ...may });
  }

  /** Returns the time between two reviews of the rights of a user. */
  #reviewMs(): number {
    return this.#options.config().accessCheckIntervalSeconds * 1_000;
  }

  async #reviewAccess(
    attachment: Attachment,
    {
      namespace,
      name,
      user,
      groups,
    }: { readonly namespace: string; readonly name: string; readonly user: string; readonly groups: readonly string[] },
  ): Promise<void> {
    try {
      if (await this.#isPermitted({ namespace, name }, { user, groups })) return;
      const detail = `${user} may not change the LocalWorkload any more`;
      this.close(attachment, { reason: "AccessRevoked", detail, retry: false });
    } catch (error) {
      // Reviewed again soon; an API server that does not respond must not end tunnels.
      attachment.reviewedAt = this.#options.clock.monotonic() - this.#reviewMs() + reviewRetryMs;
      this.#options.log.warn("Failed to review the rights of a user", { localWorkload: attachment.key, error });
    }
  }

  /** Ends a tunnel, and says why to the machine and in the LocalWorkload. */
  close(attachment: Attachment, bye: Farewell): void {
    attachment.isLeaving = true;
    attachment.isActive = false;
    attachment.farewell = bye;
    if (attachment.tunnel === undefined) return;
    this.#options.log.info("Closing tunnel", {
      localWorkload: attachment.key,
      machine: attachment.machine,
      reason: bye.reason,
      detail: bye.detail,
    });
    attachment.tunnel.close(bye);
    this.end(attachment, bye.reason);
  }

  /** Removes an attachment, and writes why to the LocalWorkload. */
  end(attachment: Attachment, reason: string): void {
    if (!this.#all.delete(attachment)) return;
    this.#options.metrics.closed.inc({ reason });
    this.#options.onChange();
    const { key, machine, epoch } = attachment;
    this.#options.log.info("Detached machine", { localWorkload: key, machine, reason });
    const status = reason === "Drained" ? "ServerDraining" : reason;
    this.#write(attachment, (object) =>
      detachMachine(object.status ?? {}, {
        machine,
        epoch,
        reason: status,
        mode: object.spec.connection.mode,
        now: this.#options.serverClock.now(),
      }),
    );
  }

  /** Writes a sign of life, and the state of the local ports. */
  report(attachment: Attachment): void {
    const { serverClock, clock } = this.#options;
    const object = this.#options.state.workload(attachment.key);
    const ports = object?.spec.service.ports ?? [];
    const { state, port } = attachment.localTarget(ports.map(({ name }) => name));
    const found = ports.find(({ name }) => name === port);
    const target = found === undefined ? port : `${found.localHost}:${localPortOf(found)}`;
    const localMessage =
      state === "NotListening"
        ? `Nothing listens on ${target} of ${attachment.host}`
        : state === "ProbeTimeout"
          ? `${target} of ${attachment.host} does not accept connections`
          : undefined;
    attachment.heartbeatAt = clock.monotonic();
    const rttMs = attachment.tunnel?.session.rttMs;
    if (rttMs !== undefined) this.#options.metrics.rttSeconds.observe(rttMs / 1_000);
    this.#write(attachment, (current) =>
      updateMachine(current.status ?? {}, attachment, {
        lastHeartbeat: formatTime(serverClock.now()),
        localTarget: state,
        localMessage: localMessage?.slice(0, localMessageMax),
        ...(rttMs === undefined ? {} : { rttMillis: Math.round(rttMs) }),
      }),
    );
  }

  #write(attachment: Attachment, change: Parameters<typeof changeStatus>[1]): void {
    const { client, log } = this.#options;
    const { key, uid } = attachment;
    const [namespace = "", name = ""] = key.split("/");
    const before = this.#writes.get(key) ?? Promise.resolve();
    const run = async (): Promise<void> => {
      await before;
      try {
        await changeStatus(
          { client, key: { namespace, name }, uid, cached: this.#options.state.workload(key) },
          change,
        );
      } catch (error) {
        log.warn("Failed to write the status of a LocalWorkload", { localWorkload: key, error });
      }
      if (this.#writes.get(key) === write) this.#writes.delete(key);
    };
    const write = run();
    this.#writes.set(key, write);
  }

  /** Does what no event triggers: reviews, heartbeats, standbys. Call it every second. */
  tick(): void {
    const now = this.#options.clock.monotonic();
    for (const attachment of this.#all) {
      if (attachment.tunnel === undefined || attachment.isLeaving) continue;
      if (now - attachment.reviewedAt >= this.#reviewMs()) this.#review(attachment);
      if (now - attachment.heartbeatAt >= heartbeatMs) this.report(attachment);
      if (!attachment.isActive) this.#promote(attachment);
    }
  }

  /** Makes a standby active whose active machine was at a replica that crashed. */
  #promote(attachment: Attachment): void {
    const { serverClock } = this.#options;
    const { key, machine, epoch } = attachment;
    const status = this.#options.state.workload(key)?.status ?? {};
    if (this.#writes.has(key) || promoteMachine(status, { machine, epoch, now: serverClock.now() }) === undefined)
      return;
    this.#write(attachment, (object) =>
      promoteMachine(object.status ?? {}, { machine, epoch, now: serverClock.now() }),
    );
  }
}

/** Returns what the rights of a user depend on: a change of it is a reason to check them again. */
function reviewKey({
  metadata,
}: {
  readonly metadata: {
    readonly generation?: number | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
}): string {
  return `${metadata.generation ?? 0} ${metadata.annotations?.[createdByAnnotation] ?? ""}`;
}
