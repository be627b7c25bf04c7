// Where the embedded server still answers otherwise than the real one, with the reason. The number may only fall.

/** How many known differences there are. */
export const differencesMax = 1;

/** The cases that differ, as `group: name`, and why. */
export const knownDifferences: ReadonlyMap<string, string> = new Map([
  ["forms: a quota is full", "the server keeps the status of quotas itself, without a controller"],
]);
