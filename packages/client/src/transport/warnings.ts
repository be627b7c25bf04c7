import { parseWarnings, type Warning } from "./warning-header.ts";
import type { Layer, Request } from "./transport.ts";

/** How warnings are handed on. */
export interface WarningOptions {
  /** Told of each warning, with the request that caused it. */
  readonly onWarning: (warning: Warning, request: Request) => void;
  /** How many different texts are remembered so as not to repeat them. Default 1,000. */
  readonly rememberedMax?: number;
}

/** Hands on what the server warns of in its `Warning` headers, each text once. */
export function withWarnings({ onWarning, rememberedMax = 1000 }: WarningOptions): Layer {
  const remembered = new Set<string>();
  const isNew = (text: string): boolean => {
    const isKnown = remembered.delete(text);
    remembered.add(text);
    const [oldest] = remembered;
    if (remembered.size > rememberedMax && oldest !== undefined) remembered.delete(oldest);
    return !isKnown;
  };
  return (next) => ({
    async send(request) {
      const response = await next.send(request);
      const header = response.headers["warning"];
      if (header === undefined) return response;
      for (const warning of parseWarnings(header)) {
        // Other codes are the business of caches.
        if (warning.code === 299 && warning.text !== "" && isNew(warning.text)) onWarning(warning, request);
      }
      return response;
    },
  });
}
