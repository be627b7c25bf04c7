import { systemClock } from "@homeostat/core";
import { useEffect, useState } from "preact/hooks";

/** Returns the current time in milliseconds since 1970. The component is drawn again every second. */
export function useNow(): number {
  const [now, setNow] = useState(systemClock.now());
  useEffect(() => {
    const stop = new AbortController();
    const tick = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        await systemClock.sleep(1_000, stop.signal).catch(() => undefined);
        // A page in the background is not drawn.
        if (!document.hidden) setNow(systemClock.now());
      }
    };
    void tick();
    return () => stop.abort();
  }, []);
  return now;
}
