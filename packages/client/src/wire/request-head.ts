import { ArgumentError } from "@homeostat/core";

/** A header with several values is sent as often. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** The lines of headers, each with its end. Throws an `ArgumentError` for what cannot be written, such as a line break. */
export function formatHeaders(headers: Headers): string {
  let text = "";
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (!/^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/.test(name)) throw unwritable(name);
    if (typeof value === "string") text += formatHeader(name, value);
    else for (const each of value ?? []) text += formatHeader(name, each);
  }
  return text;
}

/** The first line of a request. */
export function formatRequestLine(method: string, path: string): string {
  if (/[^\x21-\x7e]/.test(path)) {
    throw new ArgumentError({ argument: "path", problem: "has characters that must be escaped in a URL." });
  }
  return `${method} ${path} HTTP/1.1\r\n`;
}

function formatHeader(name: string, value: string): string {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) throw unwritable(name);
  return `${name}: ${value}\r\n`;
}

function unwritable(name: string): ArgumentError {
  return new ArgumentError({
    argument: "headers",
    problem: `has ${JSON.stringify(name.slice(0, 100))}, which cannot be written as a header.`,
  });
}
