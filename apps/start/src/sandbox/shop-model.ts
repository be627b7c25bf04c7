import { type AppModel, imageBaseName, serveHttp } from "@homeostat/cluster/app-model";

const headers = { "content-type": "text/plain; charset=utf-8" };

/** Simulates the services of the sample shop. Each pod responds with its image and its name, so that a response shows where it comes from. */
export const shopModel: AppModel = {
  name: "shop",
  runs: ({ image, command }) => command.length === 0 && imageBaseName(image) === "nginx",
  start: (context) => {
    const { container, pod, exit } = context;
    const body = `${container.image} in pod ${pod.name}`;
    const servers = container.ports.map(({ port }) => serveHttp(context, port, () => ({ status: 200, headers, body })));
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
