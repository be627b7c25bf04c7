import { ArgumentError } from "@homeostat/core";

/** Headers by name. One with several values is sent once per value. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Formats headers as lines. Throws an `ArgumentError` for invalid ones, such as a value with a line break. */
export function formatHeaders(headers: Headers): string {
  let text = "";
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (!/^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/.test(name)) throw invalidHeader(name);
    if (typeof value === "string") text += formatHeader(name, value);
    else for (const each of value ?? []) text += formatHeader(name, each);
  }
  return text;
}

/** Formats the request line. Throws an `ArgumentError` for a path with unescaped characters. */
export function formatRequestLine(method: string, path: string): string {
  if (/[^\x21-\x7e]/.test(path)) {
    throw new ArgumentError({ argument: "path", problem: "has characters that must be escaped in a URL." });
  }
  return `${method} ${path} HTTP/1.1\r\n`;
}

function formatHeader(name: string, value: string): string {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) throw invalidHeader(name);
  return `${name}: ${value}\r\n`;
}

function invalidHeader(name: string): ArgumentError {
  return new ArgumentError({
    argument: "headers",
    problem: `contains ${JSON.stringify(name.slice(0, 100))}, which has an invalid name or value.`,
  });
}
