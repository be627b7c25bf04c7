import { parseWarnings, type Warning } from "./warning-header.ts";
import { Pipeline } from "./pipeline.ts";
import type { Layer, Request, Response } from "./transport.ts";

/** Options of {@link withWarnings}. */
export interface WarningOptions {
  /** Called for each warning, with the request that caused it. */
  readonly onWarning: (warning: Warning, request: Request) => void;
  /** The number of texts that are remembered to report each only once. The least recent is forgotten first. Default 1,000. */
  readonly rememberedMax?: number;
}

/** Returns a layer that reports the `Warning` headers of the server, each text once. */
export function withWarnings(options: WarningOptions): Layer {
  const inspect = warningStage(options);
  return (next) => new Pipeline(next, { inspect });
}

/** Returns the layer of {@link withWarnings} as a stage of a {@link Pipeline}. */
export function warningStage({
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
      // Other codes are warnings of HTTP caches (RFC 7234, section 5.5).
      if (warning.code === 299 && warning.text !== "" && isNew(warning.text)) onWarning(warning, request);
    }
  };
}
