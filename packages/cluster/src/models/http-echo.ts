import { imageBaseName } from "../node/image-name.ts";
import type { AppModel, ProgramContext } from "../node/program.ts";
import { jsonResponse, type ModelResponse, type ModelRequest, serveHttp } from "./serve.ts";

/** Images that serve HTTP, and their default ports. */
const defaultPorts: ReadonlyMap<string, number> = new Map([
  ["http-echo", 5678],
  ["echo-server", 80],
  ["echoserver", 8080],
  ["http-https-echo", 8080],
  ["whoami", 80],
  ["nginx", 80],
  ["httpd", 80],
]);

/**
 * An app model that responds to every HTTP request: like `hashicorp/http-echo` with the text of `-text`, like a web
 * server with a page, otherwise with the request as JSON. It listens on the container's ports, or on the default port
 * of the image.
 *
 * Options: `status` (HTTP status, default 200), `text` (response body), `port`.
 */
export const httpEcho: AppModel = {
  name: "http-echo",
  runs: ({ image, command }) => command.length === 0 && defaultPorts.has(imageBaseName(image)),
  start: (context) => {
    const { exit, print, pod } = context;
    const servers = portsOf(context).map((port) =>
      serveHttp(context, port, (request) => {
        print(`${request.method} ${request.path}`);
        return responseOf(context, request);
      }),
    );
    print(`${pod.name} is listening`);
    const close = (): void => {
      for (const server of servers) server[Symbol.dispose]();
    };
    return {
      servesPorts: true,
      terminate: () => {
        close();
        exit({ exitCode: 0 });
      },
      kill: close,
    };
  },
};

function portsOf({ container, options, env }: ProgramContext): readonly number[] {
  const { port } = options;
  if (typeof port === "number") return [port];
  const listen = container.args
    .map((arg) => /^-{1,2}listen=.*?:(\d{1,5})$/.exec(arg)?.[1])
    .find((one) => one !== undefined);
  if (listen !== undefined) return [Number(listen)];
  if (container.ports.length > 0) return container.ports.map((one) => one.port);
  const fromEnvironment = /^\d{1,5}$/.exec(env.get("PORT") ?? "")?.[0];
  return [
    fromEnvironment === undefined
      ? (defaultPorts.get(imageBaseName(container.image)) ?? 8080)
      : Number(fromEnvironment),
  ];
}

function responseOf({ container, options, pod }: ProgramContext, request: ModelRequest): ModelResponse {
  const status = typeof options["status"] === "number" ? options["status"] : 200;
  const given = container.args.map((arg) => /^-{1,2}text=([\s\S]*)$/.exec(arg)?.[1]).find((one) => one !== undefined);
  const text = given ?? (typeof options["text"] === "string" ? options["text"] : undefined);
  if (text !== undefined)
    return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${text}\n` };
  const name = imageBaseName(container.image);
  if (name === "nginx" || name === "httpd") {
    const body = `<!DOCTYPE html>\n<html><head><title>${name}</title></head><body><h1>It works!</h1></body></html>\n`;
    return { status, headers: { "content-type": "text/html", server: name }, body };
  }
  return jsonResponse(
    {
      method: request.method,
      path: request.path,
      query: Object.fromEntries(request.query),
      headers: request.headers,
      body: request.body,
      pod: { namespace: pod.namespace, name: pod.name, ip: pod.ip },
    },
    status,
  );
}
