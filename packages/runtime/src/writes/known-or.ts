import type { WriteAnswer } from "@homeostat/client";
import { asStored, type KubeObject, type Stored } from "@homeostat/core";

/** What was written, as the cache has it by now, frozen and shared; the answer itself where the cache has something else. */
export function knownOr(answer: WriteAnswer, known: Stored<KubeObject> | undefined): Stored<KubeObject> {
  const isSame = known !== undefined && known.metadata.resourceVersion === answer.resourceVersion;
  return isSame && known.metadata.uid === answer.uid ? known : asStored(answer.object);
}
