import type { Refusal } from "../../api/types.ts";

/** Sends a write to the server. Returns the message of a refusal; undefined after a success. */
export async function sendWrite(action: string, body: unknown): Promise<string | undefined> {
  try {
    const response = await fetch(`/api/${action}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-homeostat-dashboard": "1" },
      body: JSON.stringify(body),
    });
    if (response.ok) return undefined;
    const { message }: Refusal = await response.json();
    return message;
  } catch {
    return "The dashboard server does not respond.";
  }
}
