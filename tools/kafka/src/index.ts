export { adapterFolder } from "./image/adapter-folder.ts";
export { buildKafkaRoot, whyNoKafkaImage } from "./image/build.ts";
