import { chronikModel } from "@homeostat/chronik-operator/app-model";
import type { ClusterOptions } from "@homeostat/cluster";
import { locustModel } from "@homeostat/locust-operator/app-model";
import { redisModel } from "@homeostat/tenant-operator/app-model";

/** Programs that embedded clusters simulate beyond a container that only runs. */
export const appModels: NonNullable<ClusterOptions["models"]> = [chronikModel, locustModel, redisModel];
