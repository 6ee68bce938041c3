import type { CommandOptions, ShortcutOptions } from "../api.ts";
import { checkCommandName } from "../commands.ts";
import { Contributions } from "../contributions.ts";
import type { ContributionPoint } from "../contributions-types.ts";
import type { ProviderConfig } from "../model-types.ts";
import { requirePermission } from "../permissions.ts";
import type { Shape } from "../shape.ts";
import { checkTool, TOOL_SHAPE } from "../tools-check.ts";
import type { ToolDefinition } from "../tools-types.ts";
import { type Method, method } from "./method.ts";

/** Fields of all that can be contributed; what a point asks for is checked by the point. */
const CONTRIBUTION: Shape = {
  id: "any",
  title: "any",
  tag: "any",
  order: "any",
  side: "any",
  types: "any",
  customTypes: "any",
  predicate: "function?",
  text: "function?",
  pick: "function?",
};

/** Registrations: each returns its undo and takes effect at commit (extensions spec §2.3, §1.5). */
export const registration: readonly Method[] = [
  method({
    name: "api.on",
    box: "reg",
    inFactory: true,
    args: ["string", "function"],
    run({ runtime, instance }, event: string, handler: () => unknown) {
      return instance.register(() => {
        const undo = runtime.hooks.tap(event, instance, handler);
        if (undo) return undo;
        const { id, version } = instance.extension;
        const message = `no event ${event} is ever sent by this host`;
        const code = "EVENT_NEVER_FIRES";
        runtime.reports.add({ code, extension: id, version, where: event, message });
        return () => undefined;
      });
    },
  }),
  method({
    name: "api.supports",
    box: "mirror",
    inFactory: true,
    args: ["string"],
    run: ({ runtime }, name: string) => runtime.supported.has(name),
  }),
  method({
    name: "api.contribute",
    box: "reg",
    inFactory: true,
    args: ["string", CONTRIBUTION],
    run({ runtime, instance }, point: ContributionPoint, value: object) {
      for (const permission of Contributions.permissionsOf(point)) {
        requirePermission(instance, permission, `api.contribute("${point}")`);
      }
      Contributions.check(point, value, instance.extension);
      return instance.register(() => runtime.contributions.add(point, value, instance));
    },
  }),
  method({
    name: "api.registerCommand",
    box: "reg",
    permission: "commands",
    inFactory: true,
    args: [
      "string",
      { description: "string?", handler: "function", getArgumentCompletions: "function?" },
    ],
    run({ runtime, instance }, name: string, options: CommandOptions) {
      checkCommandName(name);
      return instance.register(() => runtime.commands.register(name, options, instance));
    },
  }),
  method({
    name: "api.registerShortcut",
    box: "reg",
    permission: "commands",
    inFactory: true,
    args: ["string", { description: "string?", handler: "function" }],
    run: ({ runtime, instance }, key: string, options: ShortcutOptions) =>
      instance.register(() => runtime.shortcuts.register(key, options, instance)),
  }),
  method({
    name: "api.registerTool",
    box: "reg",
    permission: "tools:register",
    inFactory: true,
    args: [TOOL_SHAPE],
    run({ runtime, instance }, definition: ToolDefinition) {
      checkTool(definition);
      return instance.register(() => runtime.tools.register(definition, instance));
    },
  }),
  method({
    name: "api.registerProvider",
    box: "reg",
    permission: "model:provider",
    inFactory: true,
    args: [
      "string",
      {
        models: "array",
        hasCredentials: "function",
        streamSimple: "function",
        title: "string?",
        priority: "number?",
        credentialsHint: "string?",
      },
    ],
    run: ({ runtime, instance }, name: string, config: ProviderConfig) =>
      instance.register(() => runtime.models.register(name, config)),
  }),
  method({
    name: "api.unregisterProvider",
    box: "post",
    permission: "model:provider",
    args: ["string"],
    run: ({ runtime }, name: string) => runtime.models.unregister(name),
  }),
];
