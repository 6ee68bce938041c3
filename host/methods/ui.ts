import type { DialogOptions, PickEntryOptions, SelectOption } from "../api.ts";
import type { Panel } from "../panel.ts";
import { pickEntry } from "../pick-entry.ts";
import type { Shape } from "../shape.ts";
import { type Asking, silentUI, type UserInterface } from "../ui.ts";
import { checkShape, widgetLines } from "./checks.ts";
import { type Call, type Method, method } from "./method.ts";

const DIALOG: Shape = ["?", { signal: "signal?", timeout: "number?" }];

/** What an extension shows and asks (extensions spec §2.6). */
export const ui: readonly Method[] = [
  uiMethod({
    name: "ctx.ui.select",
    box: "call",
    isAsync: true,
    permission: "ui",
    args: ["string", "array", DIALOG],
    run: (
      call,
      title: string,
      options: readonly (string | SelectOption)[],
      dialog?: DialogOptions,
    ) => asked(call, dialog, (ui, asking) => ui.select(title, options.map(selectOption), asking)),
  }),
  uiMethod({
    name: "ctx.ui.input",
    box: "call",
    isAsync: true,
    permission: "ui",
    args: ["string", "string?", DIALOG],
    run: (call, title: string, placeholder?: string, dialog?: DialogOptions) =>
      asked(call, dialog, (ui, asking) => ui.input(title, placeholder ?? "", asking)),
  }),
  uiMethod({
    name: "ctx.ui.editor",
    box: "call",
    isAsync: true,
    permission: "ui",
    args: ["string", "string?", DIALOG],
    run: (call, title: string, prefill?: string, dialog?: DialogOptions) =>
      asked(call, dialog, (ui, asking) => ui.editor(title, prefill ?? "", asking)),
  }),
  uiMethod({
    name: "ctx.ui.confirm",
    box: "call",
    isAsync: true,
    permission: "ui",
    args: ["string", "string", DIALOG],
    run: (call, title: string, message: string, dialog?: DialogOptions) =>
      asked(call, dialog, (ui, asking) => ui.confirm(title, message, asking)),
  }),
  uiMethod({
    name: "ctx.ui.panel",
    box: "reg-s",
    isAsync: true,
    permission: "ui:render",
    args: [{ title: "string", update: "function", view: "function", keys: "any" }, DIALOG],
    run: (call, panel: Panel<unknown, unknown>, dialog?: DialogOptions) =>
      asked(call, dialog, (ui, asking) => ui.panel(panel, asking)),
  }),
  method({
    name: "ctx.ui.pickEntry",
    box: "call",
    isAsync: true,
    permission: ["ui", "session:read"],
    refused: (_call: Call, _options: PickEntryOptions) => undefined,
    args: [{ title: "string", accept: "function?" }],
    run: (call, options: PickEntryOptions) =>
      asked(call, undefined, (_ui, asking) => pickEntry(call, options, asking)),
  }),
  uiMethod({
    name: "ctx.ui.notify",
    box: "post",
    permission: "ui",
    args: ["string", "string?"],
    run: ({ runtime }, message: string, type?: "info" | "warning" | "error") =>
      runtime.ui.notify(message, type ?? "info"),
  }),
  uiMethod({
    name: "ctx.ui.setStatus",
    box: "post",
    permission: "ui",
    args: ["string", "string?"],
    run: ({ runtime, instance }, key: string, text?: string) =>
      runtime.ui.setStatus(`${instance.extension.id}/${key}`, text ?? undefined),
  }),
  uiMethod({
    name: "ctx.ui.setWidget",
    box: "post",
    permission: "ui",
    args: ["string", "any"],
    run: ({ runtime, instance }, key: string, lines?: readonly string[] | null) =>
      runtime.ui.setWidget(`${instance.extension.id}/${key}`, widgetLines(lines)),
  }),
  uiMethod({
    name: "ctx.ui.setEditorText",
    box: "post",
    permission: "ui",
    args: ["string"],
    run: ({ runtime }, text: string) => runtime.ui.setEditorText(text),
  }),
  uiMethod({
    name: "ctx.ui.getEditorText",
    box: "mirror",
    permission: "ui:input",
    args: [],
    run: ({ runtime }) => runtime.ui.getEditorText(),
  }),
];

function selectOption(option: string | SelectOption): SelectOption {
  if (typeof option === "string") return { label: option };
  checkShape("ctx.ui.select", { label: "string", description: "string?" }, option);
  return option;
}

const nobody = silentUI(() => undefined);

/** Without its permission a member answers as if there were nobody to ask (extensions spec §2.6). */
function uiMethod<A extends readonly unknown[]>(
  row: Omit<Method, "run" | "refused"> & { readonly run: (call: Call, ...args: A) => unknown },
): Method {
  return method<A>({
    ...row,
    refused: (call, ...args) =>
      row.run({ ...call, runtime: { ...call.runtime, ui: nobody } }, ...args),
  });
}

/** Asks a person; the handler's time stands still, and its end closes the dialog. */
function asked<T>(
  call: Call,
  dialog: DialogOptions | undefined,
  ask: (ui: UserInterface, asking: Asking) => Promise<T>,
): Promise<T> {
  const { extension } = call.instance;
  const signals = [dialog?.signal, call.budget?.signal].filter((signal) => signal !== undefined);
  const asking: Asking = {
    ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
    ...(dialog?.timeout !== undefined && { timeout: dialog.timeout }),
    ...(!extension.firstParty && { from: extension.id }),
  };
  const { ui } = call.runtime;
  const answer = ask(asking.signal?.aborted ? nobody : ui, asking);
  return call.budget ? call.budget.pauseFor(answer) : answer;
}
