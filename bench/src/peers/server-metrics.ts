/** The requests a kube-apiserver has answered and what it has sent, out of its own metrics. */
export interface ServerCounts {
  /** Requests about widgets and configmaps, watches left out. */
  readonly requests: number;
  /** Those among them that were answered with 409. */
  readonly conflicts: number;
  /** Widgets sent in lists and watches, each as often as it was. */
  readonly objectsSent: number;
  /** Bytes of these lists and of all events of watches of widgets. */
  readonly bytesSent: number;
}

const resources = new Set(["widgets", "configmaps"]);

/** Reads the text of `/metrics`. */
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
