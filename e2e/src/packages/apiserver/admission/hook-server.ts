// A webhook for both servers. The path determines its response.

import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { ServerCertificates } from "@homeostat/apiserver";
import { systemClock } from "@homeostat/core";

/** A received review. */
export interface ReceivedReview {
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly review: Review;
}

interface Review {
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly name?: string;
    readonly object?: unknown;
    readonly oldObject?: { readonly metadata: { readonly resourceVersion?: string } } | null;
    readonly namespace?: string;
  };
}

const patch = (operations: readonly object[]): object => ({
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});

/** Responses by path, without the uid. A string is sent unchanged, a number is an HTTP status. */
const responses: Readonly<Record<string, object | string | number>> = {
  "/allow": { allowed: true },
  "/deny": { allowed: false },
  "/deny-reason": { allowed: false, status: { reason: "Because" } },
  "/deny-message": { allowed: false, status: { message: 'no <way> & "never"', code: 200 } },
  "/deny-whole": {
    allowed: false,
    status: {
      message: "not so",
      reason: "Invalid",
      code: 422,
      details: { name: "x", kind: "y", causes: [{ reason: "FieldValueInvalid", message: "m", field: "f" }] },
    },
  },
  "/warn": { allowed: true, warnings: ["first", "second"] },
  "/label": { allowed: true, ...patch([{ op: "add", path: "/metadata/labels", value: { hooked: "yes" } }]) },
  "/count": {
    allowed: true,
    ...patch([{ op: "add", path: "/metadata/annotations", value: { counted: "once" } }]),
  },
  "/unknown-field": { allowed: true, ...patch([{ op: "add", path: "/spec/nonsense", value: 1 }]) },
  "/unknown-list": { allowed: true, ...patch([{ op: "add", path: "/spec/list", value: [{ a: "b", nonsense: [1] }] }]) },
  "/odd-type": { allowed: true, ...patch([{ op: "add", path: "/spec/size", value: "large" }]) },
  "/empty-patch": { allowed: true, ...patch([]) },
  "/bad-patch": { allowed: true, patchType: "JSONPatch", patch: Buffer.from("{").toString("base64") },
  "/failing-patch": { allowed: true, ...patch([{ op: "remove", path: "/metadata/nothing" }]) },
  "/merge-patch": { allowed: true, patchType: "Merge", patch: Buffer.from("{}").toString("base64") },
  "/no-type": { allowed: true, patch: Buffer.from("[]").toString("base64") },
  "/no-patch": { allowed: true, patchType: "JSONPatch" },
  "/no-response": '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}',
  "/wrong-uid": '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"x","allowed":true}}',
  "/no-kind": "{}",
  "/other-kind": '{"kind":"Pod","apiVersion":"v1"}',
  "/no-json": "well, yes",
  "/list": "[]",
  "/nothing": "",
  "/broken": '{"kind":',
  "/yaml": "kind: AdmissionReview\napiVersion: admission.k8s.io/v1\nresponse:\n  uid: x\n  allowed: true\n",
  "/500": 500,
  "/404": 404,
  "/400": 400,
  "/302": 302,
};

/** Serves responses on loopback and records the reviews. */
export class HookServer {
  readonly reviews: ReceivedReview[] = [];
  readonly #server: Server;
  readonly #certificates = new ServerCertificates({ clock: systemClock, hosts: ["127.0.0.1"] });

  constructor() {
    const { cert, key } = this.#certificates.server;
    this.#server = createServer({ cert, key }, (request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        const review = JSON.parse(Buffer.concat(pieces).toString("utf8")) as Review;
        const { url = "", headers } = request;
        this.reviews.push({ url, headers, review });
        const [path = ""] = url.split("?");
        if (path === "/slow") return;
        if (path === "/hang-up") {
          request.socket.destroy();
          return;
        }
        const reviewResponse = responses[path] ?? 404;
        if (typeof reviewResponse === "number") {
          response.writeHead(reviewResponse, { "content-type": "text/plain" }).end("error of the webhook\n");
          return;
        }
        const { apiVersion } = review;
        const { uid } = review.request;
        const body =
          typeof reviewResponse === "string"
            ? reviewResponse
            : JSON.stringify({ kind: "AdmissionReview", apiVersion, response: { uid, ...reviewResponse } });
        response.writeHead(200, { "content-type": "application/json" }).end(body);
      });
    });
  }

  /** Starts to listen on a free port. */
  async listen(): Promise<void> {
    // A server must not find its keep-alive connection closed when it sends the next review.
    this.#server.keepAliveTimeout = 300_000;
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get caBundle(): string {
    return Buffer.from(this.#certificates.ca).toString("base64");
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
