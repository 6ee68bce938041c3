import type { GuestSettings } from "../settings.ts";

declare const settings: GuestSettings;

const line = (text: string, data?: unknown) =>
  data === undefined ? text : `${text} ${JSON.stringify(data)}`;

/** The package's log. */
export const logger = {
  debug: (text: string, data?: unknown) => settings.log("debug", line(text, data)),
  info: (text: string, data?: unknown) => settings.log("info", line(text, data)),
  warn: (text: string, data?: unknown) => settings.log("warn", line(text, data)),
  error: (text: string, data?: unknown) => settings.log("error", line(text, data)),
};

/** Milliseconds as a person reads them. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${Math.round(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}
