// Where the embedded server still answers otherwise than the real one, with the reason. The number may only fall.

/** How many known differences there are. */
export const differencesMax = 2;

/** The cases that differ, as `group: name`, and why. */
export const knownDifferences: ReadonlyMap<string, string> = new Map([
  [
    "custom resources: a thing with another version",
    "the real server warns of every field of a version it does not know",
  ],
  ["forms: a quota is full", "the server keeps the status of quotas itself, without a controller"],
]);
