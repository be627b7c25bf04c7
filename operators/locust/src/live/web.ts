/** Where a master's web API is. */
export interface MasterAddress {
  readonly namespace: string;
  readonly pod: string;
  readonly ip: string;
  readonly port: number;
  /** What comes before every path: `""` or `/locust`. */
  readonly basePath: string;
  readonly isTls: boolean;
}

/** A question to a master. */
export interface WebRequest {
  readonly method: "GET" | "POST";
  /** `/stats/requests`. */
  readonly path: string;
  /** Ends it; the answer is then a failure. */
  readonly signal: AbortSignal;
}

/** What came back, whole, or why nothing did. */
export type WebAnswer =
  | { readonly type: "answer"; readonly status: number; readonly contentType: string; readonly body: string }
  | { readonly type: "failure"; readonly message: string };

/** Asks masters. Never rejects, follows no redirects, and refuses answers above {@link answerBytesMax}. */
export interface MasterWeb {
  ask(address: MasterAddress, request: WebRequest): Promise<WebAnswer>;
}

/** More than this is not read. */
export const answerBytesMax: number = 4 * 1_024 * 1_024;

/** What is said of an answer that is too large. */
export const tooLarge = `answered more than ${answerBytesMax / 1_024 / 1_024} MiB`;

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300);
}
