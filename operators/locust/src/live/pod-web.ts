import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { answerBytesMax, type MasterAddress, type MasterWeb, messageOf, tooLarge, type WebAnswer } from "./web.ts";

/** Where to connect to for an address inside the cluster. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** How the addresses of pods are reached: as they are, unless this knows better. */
export type ResolvePod = (ip: string, port: number) => Endpoint | undefined;

// By name: since Node 22 an import of node:http loads a second HTTP client, 12 MB that nobody uses here.
const http = process.getBuiltinModule("node:http");

/**
 * Asks masters at the addresses of their pods. What a master shows as its certificate is taken: it is made by its user, and
 * nothing secret is sent.
 */
export function podWeb(resolve: ResolvePod = () => undefined): MasterWeb {
  return {
    ask: (address, { method, path, signal }) =>
      new Promise<WebAnswer>((settle) => {
        const fail = (error: unknown): void => settle({ type: "failure", message: messageOf(error) });
        try {
          const endpoint = resolve(address.ip, address.port) ?? { host: address.ip, port: address.port };
          const options = { ...endpoint, method, path: `${address.basePath}${path}`, signal, agent: false };
          const request = send(address, options);
          request.on("response", (response) => read(response, settle));
          request.on("error", fail);
          request.end();
        } catch (error) {
          // A host or a path that cannot be sent at all.
          fail(error);
        }
      }),
  };
}

function send({ isTls }: MasterAddress, options: RequestOptions): ClientRequest {
  const headers = { accept: "application/json", connection: "close" };
  if (!isTls) return http.request({ ...options, headers });
  const https = process.getBuiltinModule("node:https");
  return https.request({ ...options, headers, rejectUnauthorized: false });
}

function read(response: IncomingMessage, settle: (answer: WebAnswer) => void): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  response.on("data", (piece: Buffer) => {
    bytes += piece.length;
    pieces.push(piece);
    if (bytes <= answerBytesMax) return;
    settle({ type: "failure", message: tooLarge });
    response.destroy();
  });
  response.on("error", (error) => settle({ type: "failure", message: messageOf(error) }));
  response.on("close", () => settle({ type: "failure", message: "hung up in the middle of its answer" }));
  response.on("end", () => {
    const { statusCode: status = 0, headers } = response;
    const body = Buffer.concat(pieces).toString();
    settle({ type: "answer", status, contentType: headers["content-type"] ?? "", body });
  });
}
