import { quote } from "@homeostat/cel";

const texts: ReadonlyMap<number, string> = new Map([
  [400, "the server rejected our request for an unknown reason"],
  [401, "the server has asked for the client to provide credentials"],
  [404, "the server could not find the requested resource"],
  [405, "the server does not allow this method on the requested resource"],
  [409, "the server reported a conflict"],
  [422, "the server rejected our request due to an error in our request"],
  [429, "the server has received too many requests and has asked us to try again later"],
  [503, "the server is currently unable to handle the request"],
  [504, "the server was unable to return a response in the time allotted, but may still be processing the request"],
]);

/** Returns the error of a Go client for an unsuccessful response. `text` is the body if it is plain text. */
export function goStatusText(status: number, text: string): string {
  const fixedText = texts.get(status);
  if (fixedText !== undefined) return fixedText;
  if (status === 403 || status === 415) return text;
  if (status === 406) {
    const isEmpty = text === "" || text === "unknown";
    return isEmpty ? "the server was unable to respond with a content type that the client supports" : text;
  }
  return status >= 500
    ? `an error on the server (${quote(text)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`;
}
