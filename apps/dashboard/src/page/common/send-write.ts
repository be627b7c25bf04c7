import type { Refusal } from "../../api/types.ts";

/** Response to a write: its body, or the message of a refusal. */
export type WriteResponse<T> = { readonly value: T } | { readonly refused: string };

/** Sends a write to the server. Returns the message of a refusal; undefined after a success. */
export async function sendWrite(action: string, body: unknown): Promise<string | undefined> {
  const response = await requestWrite<object>(action, body);
  return "refused" in response ? response.refused : undefined;
}

/** Sends a write to the server, and returns the body of its response. */
export async function requestWrite<T>(action: string, body: unknown): Promise<WriteResponse<T>> {
  try {
    const response = await fetch(`/api/${action}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-homeostat-dashboard": "1" },
      body: JSON.stringify(body),
    });
    if (response.ok) return { value: await response.json() };
    const { message }: Refusal = await response.json();
    return { refused: message };
  } catch {
    return { refused: "The dashboard server does not respond." };
  }
}
