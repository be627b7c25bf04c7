import { Agent, request as send } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { Case, RequestStep, Sender, Step, WatchStep } from "./case.ts";
import { protobuf, readWire, readWireEvent, wireFrames } from "./wire.ts";
import { Normaliser } from "../../../harness/normalise.ts";

/** URL and credentials of one of the two servers. */
export interface Access {
  readonly server: string;
  readonly ca: string;
  /** Certificate and key of the administrator. */
  readonly cert: string;
  readonly key: string;
}

/** A response in its compared form. */
export interface ComparedResponse {
  readonly request: string;
  readonly status: number;
  readonly type: string;
  readonly warnings: readonly string[];
  readonly body: unknown;
}

interface Raw {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

const watchMs = 20_000;
const responseMs = 60_000;

/** Runs cases on one of the two servers. */
export class Subject {
  readonly #access: Access;
  readonly #agents = new Map<Sender, Agent>();
  readonly #isBusy: boolean;

  /** For `isBusy`, see {@link Normaliser}. */
  constructor(access: Access, { isBusy = false }: { readonly isBusy?: boolean } = {}) {
    this.#access = access;
    this.#isBusy = isBusy;
  }

  /** Runs a case and returns its responses. */
  async run(
    { steps, unordered = false }: Pick<Case, "steps" | "unordered">,
    namespace: string,
    version = "",
  ): Promise<ComparedResponse[]> {
    const normaliser = new Normaliser({ isBusy: this.#isBusy || unordered });
    const responses: ComparedResponse[] = [];
    for (const step of steps) {
      const each = await this.#step(filled(step, namespace, version), step.path, normaliser);
      if (each !== undefined) responses.push(each);
    }
    return responses;
  }

  /** Sends one request and returns its status. */
  async ask(step: RequestStep): Promise<number> {
    return (await this.#send(step)).status;
  }

  /** Creates a namespace with a default service account for a case. Returns the resourceVersion at which the case begins. */
  async begin(name: string): Promise<string> {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    const made = parse(
      (
        await this.#send({ do: "request", method: "POST", path: "/api/v1/namespaces", body: namespace })
      ).body.toString(),
    );
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
    const path = `/api/v1/namespaces/${name}/serviceaccounts`;
    await this.#send({ do: "request", method: "POST", path, body: account });
    return (made as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion ?? "";
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }

  async #step(step: Step, shown: string, normaliser: Normaliser): Promise<ComparedResponse | undefined> {
    if (step.do === "request") return comparedResponse(step.method, shown, await this.#send(step), normaliser);
    if (step.do === "watch")
      return comparedResponse(
        "WATCH",
        shown,
        { ...(await this.#watch(step)), events: step.events === 0 ? undefined : step.events },
        normaliser,
      );
    const endMs = Date.now() + 20_000;
    for (;;) {
      const { status, body } = await this.#send({ do: "request", method: "GET", path: step.path });
      if (status === step.status && body.includes(step.shows ?? "")) return undefined;
      if (Date.now() > endMs) throw new Error(`GET ${step.path} returned ${status} for 20 s instead of ${step.status}`);
      await sleep(50);
    }
  }

  #send({ method, path, body, headers, as = "admin" }: RequestStep): Promise<Raw> {
    return new Promise((resolve, reject) => {
      const isReady = typeof body === "string" || body instanceof Uint8Array;
      const text = body === undefined ? "" : isReady ? body : JSON.stringify(body);
      const length = String(Buffer.byteLength(text));
      const type: Record<string, string> =
        body === undefined ? {} : { "content-type": "application/json", "content-length": length };
      const impersonation: Record<string, string> = as === "unprivileged" ? { "impersonate-user": "unprivileged" } : {};
      const all = { accept: "application/json", ...type, ...impersonation, ...headers };
      const options = { method, agent: this.#agent(as), headers: all };
      const sending = send(new URL(path, this.#access.server), options, (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.rawHeaders,
            body: Buffer.concat(pieces),
          }),
        );
      });
      sending.on("error", reject);
      sending.setTimeout(responseMs, () =>
        sending.destroy(new Error(`${method} ${path}: no response within ${responseMs} ms`)),
      );
      sending.end(text);
    });
  }

  #watch({ path, events, headers, meanwhile = [] }: WatchStep): Promise<Raw> {
    return new Promise((resolve, reject) => {
      const options = {
        method: "GET",
        agent: this.#agent("admin"),
        headers: { accept: "application/json", ...headers },
      };
      const sending = send(new URL(path, this.#access.server), options, (response) => {
        const pieces: Buffer[] = [];
        const type = response.headers["content-type"] ?? "";
        let isOver = false;
        const finish = (): void => {
          if (isOver) return;
          isOver = true;
          clearTimeout(timer);
          resolve({ status: response.statusCode ?? 0, headers: response.rawHeaders, body: Buffer.concat(pieces) });
          response.destroy();
        };
        const timer = setTimeout(finish, watchMs);
        response.on("data", (piece: Buffer) => {
          pieces.push(piece);
          if (events > 0 && eventsOf(Buffer.concat(pieces), type).length >= events) finish();
        });
        response.on("end", finish);
        response.on("error", finish);
        void (async () => {
          for (const step of meanwhile) await this.#send(step);
        })().catch(reject);
      });
      sending.on("error", reject);
      sending.end();
    });
  }

  #agent(as: Sender): Agent {
    const known = this.#agents.get(as);
    if (known !== undefined) return known;
    const { ca, cert, key } = this.#access;
    const identity = as === "anonymous" ? {} : { cert, key };
    const agent = new Agent({ keepAlive: true, maxSockets: 4, ca, ...identity });
    this.#agents.set(as, agent);
    return agent;
  }
}

/** Fills in the namespace of the case and the resourceVersion at which it began. */
function filled(step: Step, namespace: string, version: string): Step {
  const fill = (value: unknown): unknown => {
    if (typeof value === "string") return value.replaceAll("{ns}", namespace).replaceAll("{rv}", version);
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key.replaceAll("{ns}", namespace), fill(each)]),
    );
  };
  return fill(step) as Step;
}

function comparedResponse(
  method: string,
  path: string,
  { status, headers, body, events }: Raw & { readonly events?: number | undefined },
  normaliser: Normaliser,
): ComparedResponse {
  const type = headerOf(headers, "content-type")[0] ?? "";
  // One chunk may contain more events than expected.
  const read = method === "WATCH" ? eventsOf(body, type).slice(0, events) : readBody(body, type);
  return {
    request: `${method} ${path}`,
    status,
    type,
    warnings: headerOf(headers, "warning"),
    body: normaliser.normal(read),
  };
}

/** Returns the complete events at the beginning of a watch. */
function eventsOf(body: Buffer, type: string): unknown[] {
  if (type.startsWith(protobuf)) return wireFrames(body).map(readWireEvent);
  const lines = body.toString("utf8").split("\n");
  return lines.filter((line, index) => line !== "" && (index < lines.length - 1 || isWhole(line))).map(parse);
}

function isWhole(line: string): boolean {
  return typeof parse(line) !== "string";
}

function readBody(body: Buffer, type: string): unknown {
  return type.startsWith(protobuf) ? readWire(body) : parse(body.toString("utf8"));
}

function headerOf(headers: readonly string[], name: string): string[] {
  return headers.filter((_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === name);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
