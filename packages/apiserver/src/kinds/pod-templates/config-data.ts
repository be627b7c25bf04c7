// Rules for the data of ConfigMaps and Secrets, and for references to it.

/** Limit of the data of a ConfigMap or a Secret. */
export const configBytesMax: number = 1024 * 1024;

/** Returns the problems of a key of a ConfigMap or Secret. */
export function configKeyProblems(key: string): string[] {
  const details: string[] = [];
  if (Buffer.byteLength(key) > 253) details.push("must be no more than 253 characters");
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    details.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === ".") details.push("must not be '.'");
  else if (key === "..") details.push("must not be '..'");
  else if (key.startsWith("..")) details.push("must not start with '..'");
  return details;
}
