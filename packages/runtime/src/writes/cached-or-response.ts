import type { WriteResponse } from "@homeostat/client";
import { asStored, type KubeObject, type Stored } from "@homeostat/core";

/** Returns the written object from the cache, which is frozen and shared, if the cache has this version; otherwise parses the response. */
export function cachedOrResponse(response: WriteResponse, known: Stored<KubeObject> | undefined): Stored<KubeObject> {
  const isSame = known !== undefined && known.metadata.resourceVersion === response.resourceVersion;
  return isSame && known.metadata.uid === response.uid ? known : asStored(response.object);
}
