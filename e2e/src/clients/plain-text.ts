/** Removes what differs between runs from kubectl output: ages, times, addresses, folders, name suffixes, column widths. */
export function plainText(text: string): string {
  return (
    text
      .replaceAll(/https:\/\/127\.0\.0\.1:\d+/g, "SERVER")
      .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "UID")
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| [+-]\d{4}\b)?/g, "TIME")
      .replaceAll(/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} [+-]\d{4}/g, "TIME")
      .replaceAll(/\/\S*\/(LIVE|MERGED)-\d+/g, "$1")
      .replaceAll(/\b(?:\d+m)?\d+s\b/g, "AGE")
      .replaceAll(/\b10\.\d+\.\d+\.\d+\b/g, "ADDRESS")
      .replaceAll(/(?<=-)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "?")
      .replaceAll(/resourceVersion: "\d+"/g, "resourceVersion: N")
      .replaceAll(/X509SHA256=[0-9a-f]{64}/g, "X509SHA256=…")
      // The user name of the administrator differs between clusters.
      .replaceAll(/^Username +(?:kubernetes-)?admin$/gm, "Username admin")
      // The build metadata does not matter here.
      .replaceAll(/"(?:buildDate|gitCommit|gitTreeState|goVersion|compiler|platform)": "[^"]*"/g, '"…"')
      // The controller that repairs allocated addresses sometimes sees a Service while it is created, and records an event.
      .replaceAll(/^.*\bClusterIPNotAllocated\b.*\n/gm, "")
      .replaceAll(/^Events:\n +Type +Reason +Age +From +Message\n[ -]+\n(?! )/gm, "Events: <none>\n")
      .replaceAll(/[ \t]+/g, " ")
      .replaceAll(/ ?-{3,}/g, " -")
      .trim()
  );
}
