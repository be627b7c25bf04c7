// Where the embedded server still answers otherwise than the real one, with the reason. The number may only fall.

/** How many known differences there are. */
export const differencesMax = 6;

/** The cases that differ, as `group: name`, and why. */
export const knownDifferences: ReadonlyMap<string, string> = new Map([
  ["kinds: a container with a security context that contradicts itself", "the message shows the Go struct"],
  ["kinds: a budget that says two things", "the message shows the Go struct"],
  ["kinds: a Job may be suspended and not be given another template", "the message shows the Go struct"],
  ["kinds: a pod may change in few fields", "the message shows a difference of Go structs"],
  [
    "custom resources: a thing with another version",
    "the real server warns of every field of a version it does not know",
  ],
  ["forms: a quota is full", "the server keeps the status of quotas itself, without a controller"],
]);
