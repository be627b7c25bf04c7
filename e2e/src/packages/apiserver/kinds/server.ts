// A client of the real server that can request every response format.

import type { ApiAccess } from "@homeostat/kube";
import { Api, type ApiRequest, parseJson, type TextResponse } from "../../../harness/api.ts";

/** A response with its headers. */
export interface ApiResponse extends TextResponse {
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
}

/** Sends requests to one API server. */
export class Server {
  readonly #api: Api;

  constructor(access: ApiAccess) {
    this.#api = new Api(access);
  }

  async ask(request: ApiRequest): Promise<ApiResponse> {
    const response = await this.#api.sendForText(request);
    return { ...response, body: parseJson(response.text) };
  }

  /** Returns the body of a successful response; throws otherwise. */
  async good(request: ApiRequest): Promise<unknown> {
    const response = await this.ask(request);
    if (response.status >= 300) throw new Error(`${request.path}: ${response.status} ${response.text.slice(0, 2000)}`);
    return response.body;
  }

  close(): void {
    this.#api.close();
  }
}

/** Returns the own property at a path, or undefined. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of path) {
    found =
      typeof found === "object" && found !== null && Object.hasOwn(found, key) ? Reflect.get(found, key) : undefined;
  }
  return found;
}
