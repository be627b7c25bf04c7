import type { Transport } from "@homeostat/client";
import { answerBytesMax, type MasterAddress, type MasterWeb, messageOf, tooLarge, type WebAnswer } from "./web.ts";

/** Asks masters by way of the API server, which is reached from everywhere. Needs `get` and `create` on `pods/proxy`. */
export function proxyWeb(transport: Transport): MasterWeb {
  return {
    ask: async (address, { method, path, signal }): Promise<WebAnswer> => {
      try {
        const { status, headers, body } = await transport.send({
          method,
          path: `${proxyPath(address)}${path}`,
          headers: { accept: "application/json" },
          isRetried: false,
          about: {
            verb: method === "GET" ? "get" : "create",
            resource: "pods/proxy",
            key: `${address.namespace}/${address.pod}`,
          },
          signal,
        });
        const pieces: Uint8Array[] = [];
        let bytes = 0;
        for await (const piece of body) {
          bytes += piece.length;
          if (bytes > answerBytesMax) return { type: "failure", message: tooLarge };
          pieces.push(piece);
        }
        const text = Buffer.concat(pieces).toString();
        return { type: "answer", status, contentType: headers["content-type"] ?? "", body: text };
      } catch (error) {
        return { type: "failure", message: messageOf(error) };
      }
    },
  };
}

/** Where the API server leads on to a master: `/api/v1/namespaces/shop/pods/https:smoke-master-x7k2p:8089/proxy`. */
export function proxyPath({ namespace, pod, port, basePath, isTls }: MasterAddress): string {
  const name = `${isTls ? "https:" : ""}${pod}:${port}`;
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${name}/proxy${basePath}`;
}
