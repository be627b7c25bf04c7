// Where the embedded server still answers otherwise than the real one, with the reason. The number may only fall.

/** How many known differences there are. */
export const differencesMax = 21;

/** The cases that differ, as `group: name`, and why. */
export const knownDifferences: ReadonlyMap<string, string> = new Map([
  ["requests: create with two owners that control it", "the order of fields in a value that a message shows"],
  ["apply: apply of no YAML", "the words of another parser of YAML"],
  ["kinds: a container with an unknown resource", "names of resources are checked once, not twice"],
  ["kinds: a container with a security context that contradicts itself", "the message shows the Go struct"],
  ["kinds: a pod with bad tolerations", "the message shows another part"],
  ["kinds: a pod with no servers of names", "the message names another field"],
  ["kinds: a budget that says two things", "the message shows the Go struct"],
  ["kinds: a Job may be suspended and not be given another template", "the message shows the Go struct"],
  ["kinds: a pod may change in few fields", "the message shows a difference of Go structs"],
  [
    "custom resources: a thing with another version",
    "the real server warns of every field of a version it does not know",
  ],
  ["access: a stranger: GET /apis", "groups of the aggregator, of flow control and of devices are not served"],
  ["access: reviews of oneself 0", "managers of what is never stored"],
  ["access: reviews of oneself 1", "managers of what is never stored"],
  ["access: reviews of oneself 2", "managers of what is never stored"],
  ["access: reviews of oneself 3", "managers of what is never stored"],
  ["access: a review of a path", "which of two bindings is named"],
  ["access: a review of somebody", "managers of what is never stored"],
  ["access: a review in a namespace", "managers of what is never stored"],
  ["access: a review of a token that is none", "managers of what is never stored"],
  ["access: a token of a service account", "managers of what is never stored"],
  ["forms: a quota is full", "the server keeps the status of quotas itself, without a controller"],
]);
