// The pod that produces records and compares them with the log.

import assert from "node:assert/strict";
import type { Client } from "@homeostat/client";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { judgeCommand, kafkaImage } from "./images.ts";

/** Numbers about the records of the judge. */
export interface Counts {
  readonly acknowledged: number;
  readonly failed: number;
  readonly longestGapMs: number;
}

interface Verdict extends Counts {
  readonly read: number;
  readonly missing: readonly string[];
}

/** Options of {@link Judge.start}. */
export interface JudgeOptions {
  readonly namespace: string;
  /** Name of the pod and of its topic. */
  readonly name: string;
  readonly bootstrapServers: string;
  /** Secret with the certificate of the client; undefined without TLS. */
  readonly tlsSecret: string | undefined;
  readonly eventually: <T>(what: string, look: () => Promise<T | undefined>) => Promise<T>;
}

const readyAfter = 50;

/** A client of the cluster that counts. */
export class Judge {
  readonly #client: Client;
  readonly #options: JudgeOptions;
  readonly #ip: string;

  private constructor(client: Client, options: JudgeOptions, ip: string) {
    this.#client = client;
    this.#options = options;
    this.#ip = ip;
  }

  /** Starts a producer, and waits until its first records are acknowledged. */
  static async start(client: Client, options: JudgeOptions): Promise<Judge> {
    const { namespace, name, bootstrapServers, tlsSecret, eventually } = options;
    const tls = tlsSecret === undefined ? [] : [{ name: "tls", secret: { secretName: tlsSecret } }];
    await client.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace, name },
      spec: {
        // Stories drain and lose the other nodes.
        nodeName: "node1",
        restartPolicy: "Never",
        enableServiceLinks: false,
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: "judge",
            image: kafkaImage,
            imagePullPolicy: "Never",
            command: [...judgeCommand],
            env: [
              { name: "JUDGE_BOOTSTRAP", value: bootstrapServers },
              { name: "JUDGE_TOPIC", value: name },
              { name: "JUDGE_RATE", value: "100" },
              ...tls.map(() => ({ name: "JUDGE_TLS", value: "/etc/tls" })),
            ],
            volumeMounts: [
              { name: "scratch", mountPath: "/tmp" },
              ...tls.map((volume) => ({ name: volume.name, mountPath: "/etc/tls" })),
            ],
          },
        ],
        volumes: [{ name: "scratch", emptyDir: {} }, ...tls],
      },
    });
    const judge = await eventually(`the pod ${name}`, async () => {
      const { status } = (await client.get(Pod, { namespace, name })) ?? {};
      assert.notEqual(status?.phase, "Failed", `the pod ${name} has failed`);
      const ip = status?.phase === "Running" ? status.podIP : undefined;
      return ip === undefined ? undefined : new Judge(client, options, ip);
    });
    await eventually(`acknowledged records of ${name}`, async () => {
      const counts = await judge.counts().catch(() => undefined);
      return counts !== undefined && counts.acknowledged >= readyAfter ? counts : undefined;
    });
    return judge;
  }

  /** Waits until a number of further records is acknowledged. */
  async more(records: number): Promise<void> {
    const { acknowledged } = await this.counts();
    await this.#options.eventually(`${records} further records`, async () =>
      (await this.counts()).acknowledged >= acknowledged + records ? true : undefined,
    );
  }

  /** Removes the pod. Its topic stays. */
  async remove(): Promise<void> {
    const { namespace, name } = this.#options;
    await this.#client.delete(Pod, { namespace, name });
  }

  /** Returns the numbers so far. The longest gap is that since the last call. */
  async counts(): Promise<Counts> {
    return this.#send("GET", "/counts");
  }

  /** Reads the whole topic, and fails if a record is missing that was acknowledged before. Returns the numbers. */
  async verify(): Promise<Counts> {
    const verdict = await this.#send<Verdict>("POST", "/verify");
    assert.deepEqual(verdict.missing, [], `of ${verdict.acknowledged} acknowledged records, with ${verdict.read} read`);
    return verdict;
  }

  async #send<Body>(method: string, path: string): Promise<Body> {
    const url = `http://${this.#ip}:8081${path}`;
    const response = await fetch(url, { method, signal: AbortSignal.timeout(400_000) });
    if (response.status !== 200) throw new Error(`${url}: status ${response.status}: ${await response.text()}`);
    return (await response.json()) as Body;
  }
}
