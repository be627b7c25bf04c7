// A client that sets the content type of patches.

import { isRecord } from "@homeostat/core";
import type { ApiAccess } from "@homeostat/kube";
import { Api, parseJson } from "../../../harness/api.ts";

/** A request to the server. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
}

/** A response. */
export interface ApiResponse {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Sends requests to one API server. */
export class Client {
  readonly #api: Api;

  constructor(access: ApiAccess) {
    this.#api = new Api(access);
  }

  /** Sends a request. A body that is not JSON, for example before a resource is served, is returned as `{ text }`. */
  async send({ contentType = "application/json", ...request }: ApiRequest): Promise<ApiResponse> {
    const { status, text } = await this.#api.sendForText({ ...request, headers: { "content-type": contentType } });
    const body = parseJson(text);
    return { status, body: isRecord(body) ? body : { text } };
  }

  close(): void {
    this.#api.close();
  }
}
