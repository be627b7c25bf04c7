// A namespace in which one story runs, and everything observed there.

import type { Client } from "@homeostat/client";
import { type KubeObject, NetworkError, type ResourceType } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { ConfigMap, Namespace, Pod, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { LocustTest, type LocustTestInput } from "@homeostat/locust-operator";
import type { OperatorProcess } from "../../../harness/operator-process.ts";
import { masterName, targetPod, targetService, testFiles, testName } from "./manifests.ts";
import type { Subject } from "./subject.ts";

const patienceMs = 400_000;

/** Counters of the target service. */
export interface Counts {
  readonly total: number;
  readonly refused: number;
}

/** One namespace with a target service and a load test. */
export class Stage {
  readonly subject: Subject;
  readonly namespace: string;
  readonly operator: OperatorProcess;
  /** Every observed version of the load test, in order. */
  readonly seen: LocustTest[] = [];
  /** Uids of all observed masters and workers. */
  readonly masters = new Set<string>();
  readonly workers = new Set<string>();

  constructor(subject: Subject, namespace: string, operator: OperatorProcess) {
    this.subject = subject;
    this.namespace = namespace;
    this.operator = operator;
  }

  get client(): Client {
    return this.subject.client;
  }

  /** Returns the last observed version of the load test. */
  get test(): LocustTest | undefined {
    return this.seen.at(-1);
  }

  /** Creates the namespace and the target service, and waits until the service responds. */
  async prepare(): Promise<void> {
    const { client, namespace } = this;
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await this.eventually("the default service account", () =>
      client.get(ServiceAccount, { namespace, name: "default" }),
    );
    await client.create(Service, targetService(namespace));
    await client.create(ConfigMap, testFiles(namespace));
    await client.create(Pod, targetPod(namespace));
    await this.eventually("the target service", async () => {
      const pod = await client.get(Pod, { namespace, name: "target" });
      if (pod?.status?.phase !== "Running") return undefined;
      return this.subject.name === "embedded" ? pod : this.counts();
    });
  }

  /** Returns the counters of the target service, or undefined if it does not respond. */
  async counts(): Promise<Counts | undefined> {
    const pod = await this.client.get(Pod, { namespace: this.namespace, name: "target" });
    if (this.subject.name === "embedded" || pod?.status?.podIP === undefined) return undefined;
    try {
      const response = await fetch(`http://${pod.status.podIP}:8080/counts`, { signal: AbortSignal.timeout(5_000) });
      return (await response.json()) as Counts;
    } catch {
      return undefined;
    }
  }

  /** Watches the load test and its pods until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#watch<LocustTest>(LocustTest, signal, (test) => this.seen.push(test)),
      this.#watch<Pod>(Pod, signal, ({ metadata: { labels = {}, uid = "" } }) => {
        const role = labels["performance-test-pod-name"];
        if (role !== undefined) (role === masterName ? this.masters : this.workers).add(uid);
      }),
    ]);
  }

  /** Applies a load test. */
  async apply(test: LocustTestInput): Promise<void> {
    const path = `/apis/locust.io/v2/namespaces/${this.namespace}/locusttests`;
    const headers = { "content-type": "application/json" };
    const { body } = await this.client.raw({ method: "POST", path, headers, body: JSON.stringify(test) });
    body.cancel();
  }

  /** Sets an annotation of the load test. */
  async annotate(name: string, value: string): Promise<void> {
    const merge = { metadata: { annotations: { [name]: value } } };
    await this.client.patch(LocustTest, { namespace: this.namespace, name: testName }, { merge });
  }

  /** Waits until the load test satisfies a condition. */
  async until(what: string, isWanted: (test: LocustTest) => boolean): Promise<LocustTest> {
    const look = (): LocustTest | undefined => {
      const { test } = this;
      return test !== undefined && isWanted(test) ? test : undefined;
    };
    return this.eventually(what, async () => look(), 20);
  }

  /** Waits until the load test has finished. */
  async untilOver(): Promise<LocustTest> {
    return this.until("the end of the load test", ({ status }) =>
      ["Succeeded", "Failed"].includes(status?.phase ?? ""),
    );
  }

  /** Polls until `look` returns a value. */
  async eventually<T>(what: string, look: () => Promise<T | undefined>, pauseMs = 200): Promise<T> {
    const end = Date.now() + patienceMs;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (Date.now() > end) throw this.#tooLate(what);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  /** Returns the totals that Locust prints at its end, from the log of the master. */
  async printedTotals(): Promise<{ readonly requests: number; readonly failures: number }> {
    return this.eventually("the summary in the log of the master", async () => {
      const { items } = await this.client.list(Pod, { namespace: this.namespace });
      const name = items.find(({ metadata }) => metadata.labels?.["performance-test-pod-name"] === masterName)?.metadata
        .name;
      if (name === undefined) return undefined;
      for await (const line of this.client.logs({ namespace: this.namespace, name }, { container: masterName })) {
        const [, requests, failures] = /^\s*Aggregated\s+(\d+)\s+(\d+)\(/.exec(line) ?? [];
        if (requests !== undefined) return { requests: Number(requests), failures: Number(failures) };
      }
      return undefined;
    });
  }

  /** Returns the totals in the stored results of a run. */
  async keptTotals(name: string): Promise<{ readonly requests: number; readonly failures: number }> {
    const kept = await this.client.get(ConfigMap, { namespace: this.namespace, name });
    const cells = kept?.data?.["requests.csv"]?.trimEnd().split(/\r?\n/).at(-1)?.split(",") ?? [];
    return { requests: Number(cells[2]), failures: Number(cells[3]) };
  }

  /** Returns the objects of a load test. */
  async leftovers(): Promise<string[]> {
    const at = { namespace: this.namespace };
    const lists = [
      (await this.client.list(Job, at)).items,
      (await this.client.list(Service, at)).items,
      (await this.client.list(Pod, at)).items,
      (await this.client.list(LocustTest, at)).items,
      (await this.client.list(ConfigMap, at)).items,
    ];
    return lists
      .flat()
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
      .filter((name) => !/ (?:target|files|kube-root-ca\.crt)$/.test(name));
  }

  /** Deletes running load tests, because the next story needs their resources. */
  async clear(): Promise<void> {
    await this.client.delete(Namespace, { name: this.namespace });
  }

  #tooLate(what: string): Error {
    const status = JSON.stringify(this.test?.status, undefined, 1);
    return new Error(
      `${this.namespace}: waited too long for ${what}. The status:\n${status}\nThe operator:\n${this.operator.log}`,
    );
  }

  async #watch<T extends KubeObject>(
    type: ResourceType<T>,
    signal: AbortSignal,
    onSight: (object: T) => void,
  ): Promise<void> {
    const { namespace, client } = this;
    let { resourceVersion } = await client.list(type, { namespace });
    while (!signal.aborted) {
      try {
        for await (const event of client.watch(type, { namespace, resourceVersion, signal })) {
          if (event.type === "BOOKMARK") continue;
          resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
          if (event.type !== "DELETED") onSight(event.object);
        }
      } catch (error) {
        if (!signal.aborted && !(error instanceof NetworkError)) throw error;
      }
    }
  }
}
