import { collectionPath, type Response, type Transport, withQuery } from "@homeostat/client";
import { apiErrorFrom, type ApiRequest, formatGroupResource } from "@homeostat/core";
import type { ListRequest, Source, Sources, SourceSelection, WatchRequest } from "./source.ts";

/** More of an error than this is not worth reading. */
const errorBytesMax = 256 * 1024;

/** Sources that ask an API server through a transport. */
export function transportSources(transport: Transport): Sources {
  return (selection) => transportSource(transport, selection);
}

function transportSource(transport: Transport, selection: SourceSelection): Source {
  const { type, namespace, labelSelector, fieldSelector, isMetadataOnly } = selection;
  const path = collectionPath(type, namespace);
  const resource = formatGroupResource(type);
  const accept = (kind: string): Record<string, string> => ({
    accept: isMetadataOnly ? `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json` : "application/json",
  });
  return {
    async list({ limit, continue: token, signal }: ListRequest) {
      const response = await transport.send({
        method: "GET",
        path: withQuery(path, { labelSelector, fieldSelector, limit, continue: token }),
        headers: accept("PartialObjectMetadataList"),
        signal,
        about: { verb: "list", resource },
      });
      return bodyOf(response, { method: "GET", path });
    },
    async watch({ resourceVersion, timeoutSeconds, sendInitialEvents, signal }: WatchRequest) {
      const initial = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
      const response = await transport.send({
        method: "GET",
        path: withQuery(path, {
          watch: true,
          allowWatchBookmarks: true,
          labelSelector,
          fieldSelector,
          resourceVersion: resourceVersion === "" ? undefined : resourceVersion,
          timeoutSeconds,
          ...(sendInitialEvents === true ? initial : {}),
        }),
        headers: accept("PartialObjectMetadata"),
        signal,
        // Silence is for the informer to judge: it knows when the last bookmark came.
        timeouts: { idleMs: Infinity },
        about: { verb: "watch", resource },
      });
      return bodyOf(response, { method: "GET", path });
    },
  };
}

async function bodyOf({ status, headers, body }: Response, request: ApiRequest): Promise<AsyncIterable<Uint8Array>> {
  if (status >= 200 && status < 300) return body;
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    pieces.push(piece);
    length += piece.length;
    if (length > errorBytesMax) break;
  }
  throw apiErrorFrom({ status, body: Buffer.concat(pieces), headers, request });
}
