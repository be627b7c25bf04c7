import { systemClock } from "@homeostat/core";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { Refusal, StreamProblems } from "../../api/types.ts";
import { SessionContext } from "../session/session.ts";

/** State of the connection of a page to the server. */
export interface StreamState {
  /** `lost`: the page retries by itself. `refused`: the user has to act. */
  readonly status: "connecting" | "open" | "lost" | "refused";
  /** Reason; empty if the connection is open and all requests succeed. */
  readonly message: string;
}

/** Handlers of the events of a stream. Each event has data in JSON. */
export type StreamHandlers = Readonly<Record<string, (data: string) => void>>;

/** Time between two attempts after the server has refused a stream, in milliseconds. */
const retryMs = 2_000;

/**
 * Opens the event stream of a view while the component is shown, and opens it again after it has ended.
 *
 * The stream is closed while the page is hidden, so that the server watches nothing for it. It also matters to other pages: a browser opens at most six
 * connections to a server, and keeps those of pages that it may show again.
 *
 * A browser repeats a broken stream by itself, but not one that the server refused. Then the response to the same request without a stream has the reason.
 */
export function useStream(view: string, query: string, handlers: StreamHandlers): StreamState {
  const [state, setState] = useState<StreamState>({ status: "connecting", message: "" });
  const session = useContext(SessionContext);
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const stop = new AbortController();
    let source: EventSource | undefined;
    const close = (): void => {
      source?.close();
      source = undefined;
    };
    const open = (): void => {
      source = new EventSource(`/api/stream/${view}?${query}`);
      source.addEventListener("open", () => setState({ status: "open", message: "" }));
      source.addEventListener("error", () => void handleError());
      listen(source, "problems", (data) => {
        const { problems }: StreamProblems = JSON.parse(data);
        setState({ status: "open", message: problems.join("\n") });
      });
      listen(source, "failed", (data) => {
        const { message, login }: Refusal = JSON.parse(data);
        setState({ status: "lost", message });
        if (login !== undefined) session?.showLogin(message);
      });
      for (const name of Object.keys(latest.current)) listen(source, name, (data) => latest.current[name]?.(data));
    };
    const handleError = async (): Promise<void> => {
      if (stop.signal.aborted) return;
      if (source?.readyState !== EventSource.CLOSED) {
        setState((before) => ({ status: "lost", message: before.status === "lost" ? before.message : unreachable }));
        return;
      }
      const refusal = await refusalOf(`/api/${view}?${query}`, stop.signal);
      if (stop.signal.aborted) return;
      if (refusal?.login !== undefined) session?.showLogin(refusal.message);
      setState({ status: refusal?.status === 401 ? "refused" : "lost", message: refusal?.message ?? unreachable });
      await systemClock.sleep(retryMs, stop.signal).catch(() => undefined);
      close();
      update();
    };
    const update = (): void => {
      if (stop.signal.aborted || document.hidden) close();
      else if (source === undefined) open();
    };
    document.addEventListener("visibilitychange", update);
    addEventListener("pagehide", close);
    addEventListener("pageshow", update);
    update();
    return () => {
      stop.abort();
      close();
      document.removeEventListener("visibilitychange", update);
      removeEventListener("pagehide", close);
      removeEventListener("pageshow", update);
    };
  }, [view, query]);
  return state;
}

const unreachable = "The dashboard server does not respond. Trying again.";

function listen(source: EventSource, name: string, handle: (data: string) => void): void {
  source.addEventListener(name, (event) => {
    if (event instanceof MessageEvent && typeof event.data === "string") handle(event.data);
  });
}

async function refusalOf(path: string, signal: AbortSignal): Promise<Refusal | undefined> {
  try {
    const response = await fetch(path, { signal });
    return response.ok ? undefined : await response.json();
  } catch {
    return undefined;
  }
}
