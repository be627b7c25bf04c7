import { NetworkError } from "@homeostat/core";
import type { Sources } from "@homeostat/runtime";

/** The connection of a replica to the API server, which a test can cut. */
export class ApiLink {
  readonly #sources: Sources;
  #isCut = false;
  #watching = new AbortController();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Ends open watches, and refuses all requests until {@link restore}. */
  cut(): void {
    this.#isCut = true;
    this.#watching.abort();
  }

  restore(): void {
    this.#isCut = false;
    this.#watching = new AbortController();
  }

  readonly sources: Sources = (selection) => {
    const source = this.#sources(selection);
    return {
      list: async (request) => {
        this.#check();
        return source.list(request);
      },
      watch: async (request) => {
        this.#check();
        const cut = this.#watching.signal;
        const lines = await source.watch({ ...request, signal: AbortSignal.any([request.signal, cut]) });
        return untilCut(lines, cut);
      },
    };
  };

  #check(): void {
    if (this.#isCut) throw new NetworkError({ socketCode: "ECONNREFUSED", requestSent: false });
  }
}

async function* untilCut<T>(items: AsyncIterable<T>, cut: AbortSignal): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw cut.aborted ? new NetworkError({ socketCode: "ECONNRESET" }, { cause: error }) : error;
  }
}
