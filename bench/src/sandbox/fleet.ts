import type { AuditLog, RequestCounts } from "../operators/audit-log.ts";
import { forAll } from "../operators/lanes.ts";
import { countReconciles, fetchText } from "../operators/metrics-page.ts";
import type { ProgramProcess } from "../operators/program-process.ts";
import type { RawApi } from "../peers/raw-api.ts";
import { pause, until } from "../peers/time.ts";
import { createSandbox, forksPath, imageOf, type Place, placeOf, sandboxesPath, tablePath } from "./shop.ts";

/** The operator is quiet when it has sent no request for this time. */
const quietMs = 3_000;

/** Annotation whose new value triggers a reconcile without a change. */
const trigger = "sandbox.example.com/reconcile-at";

/** A list of objects, or an object with a status, as far as this benchmark reads it. */
interface Read {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string; readonly generation?: number };
  readonly spec?: { readonly entries?: readonly { readonly sandbox: string }[] };
  readonly status?: {
    readonly phase?: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** Seconds from the creation of a sandbox. */
export interface CreationTimes {
  /** Until the Deployment of its fork exists. */
  readonly applied: number;
  /** Until the table of its Service contains its route. */
  readonly published: number;
  /** Until its status is Ready: the pod is ready and its routes are in force. */
  readonly ready: number;
}

/** The parts that a measurement works with. */
export interface FleetParts {
  readonly api: RawApi;
  readonly audit: AuditLog;
  readonly metricsPort: number;
  readonly shops: number;
  readonly signal: AbortSignal;
  /** Returns the process of the operator, which is another one after a restart. */
  operator(this: void): ProgramProcess;
}

/** The sandboxes, and the operator that works for them. */
export class Fleet {
  readonly #parts: FleetParts;
  size = 0;

  constructor(parts: FleetParts) {
    this.#parts = parts;
  }

  get audit(): AuditLog {
    return this.#parts.audit;
  }

  /** Creates a sandbox and waits until it is ready. */
  async create(): Promise<CreationTimes> {
    const { api, shops, signal } = this.#parts;
    const place = placeOf(this.size, shops);
    this.size += 1;
    const begun = performance.now();
    const since = (): number => (performance.now() - begun) / 1_000;
    await createSandbox(api, place, signal);
    const when = async (what: string, check: () => Promise<boolean>): Promise<number> => {
      await until(check, { everyMs: 25, timeoutMs: 120_000, signal, what });
      return since();
    };
    const [applied, published, ready] = await Promise.all([
      when("the fork", async () => (await this.#list(forksPath(place.namespace, place.name))).length > 0),
      when("the route", () => this.#isRouted(place)),
      when("the sandbox", async () => isReady(await this.#read(`${sandboxesPath(place.namespace)}/${place.name}`))),
    ]);
    return { applied, published, ready };
  }

  /** Creates sandboxes at once. Returns the seconds until all of them are ready. */
  async growTo(count: number): Promise<number> {
    const { api, shops, signal } = this.#parts;
    const first = this.size;
    this.size = count;
    const begun = performance.now();
    await forAll(count - first, (index) => createSandbox(api, placeOf(first + index, shops), signal));
    const allReady = async (): Promise<boolean> => {
      const sandboxes = await this.#list(`${sandboxesPath()}?resourceVersion=0`);
      return sandboxes.length >= count && sandboxes.every(isReady);
    };
    await until(allReady, { everyMs: 1_000, timeoutMs: 1_800_000, signal, what: `the start of ${count} sandboxes` });
    return (performance.now() - begun) / 1_000;
  }

  /** Triggers a reconcile of every sandbox that changes nothing. */
  async trigger(): Promise<void> {
    const { api, shops, signal } = this.#parts;
    const body = JSON.stringify({ metadata: { annotations: { [trigger]: "again" } } });
    await forAll(this.size, async (index) => {
      const { namespace, name } = placeOf(index, shops);
      await api.must({ method: "PATCH", path: `${sandboxesPath(namespace)}/${name}`, body }, signal);
    });
  }

  /** Changes the image of one sandbox. */
  async changeOne(index: number): Promise<void> {
    const { api, shops, signal } = this.#parts;
    const { namespace, name, workload } = placeOf(index, shops);
    const services = [
      { name: workload, targetRef: { name: workload }, containers: [{ name: "app", image: imageOf(name, 2) }] },
    ];
    const body = JSON.stringify({ spec: { services } });
    await api.must({ method: "PATCH", path: `${sandboxesPath(namespace)}/${name}`, body }, signal);
  }

  /** Waits until the operator sends no requests. */
  async untilQuiet(): Promise<void> {
    const { audit, signal } = this.#parts;
    for (let round = 0, mark = audit.mark(); round < 600; round += 1) {
      await pause(quietMs, signal);
      if (Object.keys(audit.since(mark).byKind).length === 0) return;
      mark = audit.mark();
    }
    throw new Error("the operator is never quiet");
  }

  /** Runs work and returns the requests, CPU time and reconciles of sandboxes until the operator is quiet. */
  async count(work: () => Promise<unknown>): Promise<Work> {
    const [mark, cpu, before] = [this.audit.mark(), this.usage().cpuSeconds, await this.reconciles()];
    await work();
    await this.untilQuiet();
    const reconciles = (await this.reconciles()) - before;
    return { requests: this.audit.since(mark), cpuSeconds: this.usage().cpuSeconds - cpu, reconciles };
  }

  /** Returns the number of reconciles of sandboxes since the operator started. */
  async reconciles(): Promise<number> {
    return countReconciles(await fetchText(this.#parts.metricsPort, "/metrics"), "sandbox");
  }

  usage(): ReturnType<ProgramProcess["usage"]> {
    return this.#parts.operator().usage();
  }

  /** Returns UID and version of every object that the operator writes, in one text. */
  async versions(): Promise<string> {
    const paths = [
      sandboxesPath(),
      "/apis/sandbox.example.com/v1alpha1/routetables",
      "/api/v1/services",
      "/apis/apps/v1/deployments",
    ];
    const lists = await Promise.all(paths.map((path) => this.#list(path)));
    return lists
      .flat()
      .map(({ metadata: { uid, resourceVersion } }) => `${uid}@${resourceVersion}`)
      .toSorted()
      .join("\n");
  }

  async #isRouted(place: Place): Promise<boolean> {
    const { api } = this.#parts;
    const { status, text } = await api.send({ path: tablePath(place) });
    if (status !== 200) return false;
    const { spec } = JSON.parse(text) as Read;
    return spec?.entries?.some(({ sandbox }) => sandbox === place.name) === true;
  }

  async #read(path: string): Promise<Read> {
    const { api, signal } = this.#parts;
    return JSON.parse((await api.must({ path }, signal)).text) as Read;
  }

  async #list(path: string): Promise<readonly Read[]> {
    const { api, signal } = this.#parts;
    return (JSON.parse((await api.must({ path }, signal)).text) as { items: readonly Read[] }).items;
  }
}

/** Work of the operator for one step. */
export interface Work {
  readonly requests: RequestCounts;
  readonly cpuSeconds: number;
  /** Reconciles of sandboxes. */
  readonly reconciles: number;
}

/** Reports whether a sandbox is ready in its present generation. */
function isReady({ metadata, status }: Read): boolean {
  return (
    status?.observedGeneration === metadata.generation &&
    status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true
  );
}
