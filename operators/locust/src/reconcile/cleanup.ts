import { events } from "./events.ts";
import type { Dependencies } from "./scope.ts";
import type { Context } from "../observe/kinds.ts";

/** Reports a deletion. The garbage collector deletes the owned objects. */
export async function cleanup(
  { name, namespace, key, log, event }: Context,
  { live, metrics }: Dependencies,
): Promise<"done"> {
  log.info("LocustTest deleted, cleaning up resources via owner references", { name, namespace });
  event(events.deleting);
  live().forget(key);
  live().series.drop(key);
  metrics.forget(namespace, name);
  return "done";
}
