/** Requests and sent data of a kube-apiserver, from its metrics. */
export interface ServerCounts {
  /** Requests for widgets and configmaps, without watches. */
  readonly requests: number;
  /** Requests among them that returned 409. */
  readonly conflicts: number;
  /** Number of widgets sent in lists and watches. */
  readonly objectsSent: number;
  /** Bytes of these lists and watch events. */
  readonly bytesSent: number;
}

const resources = new Set(["widgets", "configmaps"]);

/** Parses the text of `/metrics`. */
export function countsOf(metrics: string): ServerCounts {
  const counts = { requests: 0, conflicts: 0, objectsSent: 0, bytesSent: 0 };
  for (const line of metrics.split("\n")) {
    const sample = /^(apiserver_\w+)\{(.*)\} (\S+)$/.exec(line);
    if (sample === null) continue;
    const [, name, labelText = "", number] = sample;
    const labels = new Map([...labelText.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, value]) => [key, value]));
    const value = Number(number);
    const resource = labels.get("resource");
    const verb = labels.get("verb");
    if (name === "apiserver_request_total" && resources.has(resource ?? "") && verb !== "WATCH") {
      counts.requests += value;
      if (labels.get("code") === "409") counts.conflicts += value;
    } else if (resource !== "widgets") continue;
    else if (name === "apiserver_response_sizes_sum" && verb === "LIST") counts.bytesSent += value;
    else if (name === "apiserver_watch_events_sizes_sum") counts.bytesSent += value;
    else if (name === "apiserver_watch_events_total" || name === "apiserver_cache_list_returned_objects_total") {
      counts.objectsSent += value;
    }
  }
  return counts;
}
