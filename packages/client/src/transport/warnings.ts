import { parseWarnings, type Warning } from "./warning-header.ts";
import { Pipeline } from "./pipeline.ts";
import type { Layer, Request, Response } from "./transport.ts";

/** How warnings are handed on. */
export interface WarningOptions {
  /** Told of each warning, with the request that caused it. */
  readonly onWarning: (warning: Warning, request: Request) => void;
  /** How many different texts are remembered so as not to repeat them. Default 1,000. */
  readonly rememberedMax?: number;
}

/** Hands on what the server warns of in its `Warning` headers, each text once. */
export function withWarnings(options: WarningOptions): Layer {
  const look = warning(options);
  return (next) => new Pipeline(next, { look });
}

/** The same as {@link withWarnings}, as a stage of a {@link Pipeline}. */
export function warning({
  onWarning,
  rememberedMax = 1000,
}: WarningOptions): (request: Request, response: Response) => void {
  const remembered = new Set<string>();
  const isNew = (text: string): boolean => {
    const isKnown = remembered.delete(text);
    remembered.add(text);
    const [oldest] = remembered;
    if (remembered.size > rememberedMax && oldest !== undefined) remembered.delete(oldest);
    return !isKnown;
  };
  return (request, response) => {
    const header = response.mayWarn === false ? undefined : response.headers["warning"];
    if (header === undefined) return;
    for (const warning of parseWarnings(header)) {
      // Other codes are the business of caches.
      if (warning.code === 299 && warning.text !== "" && isNew(warning.text)) onWarning(warning, request);
    }
  };
}
