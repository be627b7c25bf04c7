import type { AppModel } from "../node/program.ts";
import { httpEcho } from "./http-echo.ts";
import { locust } from "./locust/locust.ts";
import { redis } from "./redis/redis.ts";

/** The programs that a simulated node can run. */
export const appModels: readonly AppModel[] = [locust, redis, httpEcho];
