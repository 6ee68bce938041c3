import { expect, test } from "vitest";
import { pngOf, svgOf } from "./picture.ts";
import { screenAfter } from "./tui/emulate.ts";

test("a picture of a screen keeps text, colours and places", async () => {
  const screen = await screenAfter("a <b> \x1b[1;31mred\x1b[0m 日 \x1b[7minverse\x1b[0m", 30, 2);
  const svg = svgOf(screen);
  expect(svg).toContain(">a &#60;b&#62; </text>");
  expect(svg).toMatch(/fill="#e06c75"[^>]*font-weight="bold">red</);
  expect(svg).toMatch(/<text[^>]*>日<\/text>/);
  expect(svg).toMatch(/<rect[^>]*fill="#d8dee9"\/><text[^>]*fill="#1b1f27"[^>]*>inverse</);
  expect(pngOf(svg).subarray(1, 4).toString()).toBe("PNG");
});
