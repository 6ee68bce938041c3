import type { Cell } from "./cells.ts";

/** The parts of blessed 0.1.81 that the screen stands on; its published types leave out most of them. */
export interface BlessedProgram {
  isAlt: boolean;
  _buf: string;
  clear: () => void;
  flush(): void;
  on(event: "resize", listener: () => void): void;
  removeAllListeners(event: "resize"): void;
}

export interface BlessedScreen {
  readonly cols: number;
  readonly rows: number;
  readonly lines: Cell[][];
  readonly olines: Cell[][];
  readonly tput: { brokenACS: boolean };
  draw: (start: number, end: number) => void;
  alloc(dirty?: boolean): void;
  render(): void;
  destroy(): void;
}

export interface BlessedBox {
  parseContent: () => boolean;
  render: () => void;
  lpos: unknown;
  _getCoords(): { xi: number; xl: number; yi: number; yl: number } | undefined;
}

type Handler = ((...args: unknown[]) => void) | undefined;

export interface Blessed {
  readonly Tput: { readonly ipaths: unknown[] };
  readonly Screen: {
    readonly _exceptionHandler: Handler;
    readonly _sigtermHandler: Handler;
    readonly _sigintHandler: Handler;
    readonly _sigquitHandler: Handler;
    readonly _exitHandler: Handler;
  };
  readonly Program: { readonly _exitHandler: Handler };
  program(options: object): BlessedProgram;
  screen(options: object): BlessedScreen;
  box(options: object): BlessedBox;
}
