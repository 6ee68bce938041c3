import { checkFlag } from "../flags.ts";
import type { FlagOptions } from "../flags-types.ts";
import type { Renderer } from "../renderers.ts";
import { type Method, method } from "./method.ts";

function rendererRow(name: string, kind: Renderer["kind"]): Method {
  return method({
    name,
    box: "reg-s",
    permission: "ui:render",
    inFactory: true,
    args: ["string", "function"],
    run: ({ runtime, instance }, customType: string, render: Renderer["render"]) =>
      instance.register(() => runtime.renderers.add({ kind, customType, render, instance })),
  });
}

/** Flags of the command line, and renderers of custom messages and entries (extensions spec §2.3). */
export const registrationMore: readonly Method[] = [
  method({
    name: "api.registerFlag",
    box: "reg",
    permission: "commands",
    inFactory: true,
    args: ["string", { description: "string?", type: "string", default: "any" }],
    run({ runtime, instance }, name: string, options: FlagOptions) {
      checkFlag(options);
      return runtime.flags.register(name, options, instance);
    },
  }),
  method({
    name: "api.getFlag",
    box: "mirror",
    permission: "commands",
    inFactory: true,
    args: ["string"],
    run: ({ runtime, instance }, name: string) => runtime.flags.get(name, instance),
  }),
  rendererRow("api.registerMessageRenderer", "message"),
  rendererRow("api.registerEntryRenderer", "entry"),
];
