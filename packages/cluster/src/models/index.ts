// `@homeostat/cluster/app-model`: the interface of app models, and helpers for writing and testing them.

export type { AppModel, CommandResult, ProbeTarget, ProgramContext, RunningProgram } from "../node/program.ts";
export type { VolumeFiles } from "../node/disks.ts";
export type { Exit } from "../node/exit.ts";
export { Network } from "../node/network.ts";
export { imageBaseName } from "../node/image-name.ts";
export { jsonResponse, type ModelResponse, type ModelRequest, serveHttp, serveTcp } from "./serve.ts";
export { modelContainer, type ModelContainer, type ModelContainerOptions } from "./model-container.ts";
