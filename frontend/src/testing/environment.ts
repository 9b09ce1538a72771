// Provides parts of a browser's page that the tests' document lacks.
import { MessageChannel } from "node:worker_threads";

Object.assign(globalThis, { MessageChannel });
