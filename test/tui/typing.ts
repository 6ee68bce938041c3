import { InputDecoder } from "../../tui/input.ts";
import { type InputEvent, keyName } from "../../tui/input-events.ts";

/** A decoder whose timer only runs out when the test says so. */
export function decoder() {
  const events: InputEvent[] = [];
  let timer: { milliseconds: number; run: () => void } | undefined;
  const input = new InputDecoder({
    emit: (event) => events.push(event),
    startTimer(milliseconds, run) {
      timer = { milliseconds, run };
      return () => {
        timer = undefined;
      };
    },
  });
  return {
    feed: (text: string) => input.feed(Buffer.from(text, "utf8")),
    feedBytes: (...bytes: number[]) => input.feed(Buffer.from(bytes)),
    input,
    /** Lets the time of an unfinished sequence run out; false if no timer ran. */
    timeUp(): boolean {
      const due = timer;
      timer = undefined;
      due?.run();
      return due !== undefined;
    },
    wait: () => timer?.milliseconds,
    /** The events so far as short words, which are then forgotten. */
    take: () => events.splice(0).map(describeEvent),
  };
}

/** `ctrl+left`, `shift+l"L"`, `paste"a\nb"`, `wheelUp@3,4`, `focus`, `reply osc "11;…"`. */
export function describeEvent(event: InputEvent): string {
  switch (event.type) {
    case "key":
      return keyName(event) + (event.text === undefined ? "" : JSON.stringify(event.text));
    case "paste":
      return `paste${JSON.stringify(event.text)}`;
    case "mouse":
      return `${event.action}${event.button}@${event.column},${event.row}`;
    case "focus":
      return event.focused ? "focus" : "blur";
    case "reply":
      return `reply ${event.kind} ${JSON.stringify(event.data)}`;
  }
}
