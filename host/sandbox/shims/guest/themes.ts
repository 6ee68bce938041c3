import type { GuestSettings, GuestTheme } from "../settings.ts";

declare const settings: GuestSettings;

const plain = (_color: string, text: string) => text;
const same = (text: string) => text;
const NO_COLOURS: GuestTheme = {
  fg: plain,
  bg: plain,
  bold: same,
  italic: same,
  underline: same,
  strikethrough: same,
};

/** The theme of the screen, as it is when a text is drawn. */
export function theme(): GuestTheme {
  return settings.host.theme ?? NO_COLOURS;
}

const fg = (color: string) => (text: string) => theme().fg(color, text);

export function getMarkdownTheme() {
  return {
    heading: fg("mdHeading"),
    link: fg("mdLink"),
    linkUrl: fg("mdLinkUrl"),
    code: fg("mdCode"),
    codeBlock: fg("mdCodeBlock"),
    codeBlockBorder: fg("mdCodeBlockBorder"),
    quote: fg("mdQuote"),
    quoteBorder: fg("mdQuoteBorder"),
    hr: fg("mdHr"),
    listBullet: fg("mdListBullet"),
    bold: (text: string) => theme().bold(text),
    italic: (text: string) => theme().italic(text),
    underline: (text: string) => theme().underline(text),
    strikethrough: (text: string) => theme().strikethrough(text),
    highlightCode,
  };
}

export function getSelectListTheme() {
  return {
    selectedPrefix: fg("accent"),
    selectedText: fg("accent"),
    description: fg("muted"),
    scrollInfo: fg("muted"),
    noMatch: fg("muted"),
  };
}

export function getSettingsListTheme() {
  const chosen = (color: string) => (text: string, isSelected: boolean) =>
    isSelected ? theme().fg("accent", text) : color === "" ? text : theme().fg(color, text);
  return {
    label: chosen(""),
    value: chosen("muted"),
    description: fg("dim"),
    cursor: theme().fg("accent", "→ "),
    hint: fg("dim"),
  };
}

/** Lines of code in the colour of code blocks. */
export function highlightCode(code: string): string[] {
  return code.split("\n").map(fg("mdCodeBlock"));
}

/** The keys of a binding, and what they do. */
export function keyHint(binding: string, description: string): string {
  return theme().fg("dim", keyText(binding)) + theme().fg("muted", ` ${description}`);
}

export function keyText(binding: string): string {
  return settings.host.keyText?.(binding) ?? binding;
}
