// What the pages of a browser have, and the tests' document does not.
import { MessageChannel } from "node:worker_threads";

Object.assign(globalThis, { MessageChannel });
