"""terminal-svg.py OUT SCREEN...: draws captured terminal screens (text with SGR colours) below each other as one SVG,
$COLUMNS wide, 80 where that is not set."""
import os
import re
import sys
from html import escape

COLUMNS = int(os.environ.get("COLUMNS", "80"))
CELL, LINE, MARGIN = 8.4, 18, 14
BACKGROUND, FOREGROUND = "#16181d", "#d7dae0"
# ECMA-48 SGR 30 to 37, in a palette of our own.
COLOURS = {31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea"}
SGR = re.compile(r"\x1b\[([0-9;]*)m")


def runs(line, colour):
    """The line's texts with column and colour, and the colour that holds behind it."""
    place, column, found = 0, 0, []
    for match in list(SGR.finditer(line)) + [None]:
        text = line[place : match.start() if match else len(line)]
        for word in re.finditer(r"\S+(?: \S+)*", text):
            found.append((column + word.start(), word.group(), colour))
        column += len(text)
        if match:
            place = match.end()
            for code in (match.group(1) or "0").split(";"):
                number = int(code or 0)
                colour = COLOURS.get(number, colour if number not in (0, 39) else None)
    return found, colour


def draw(lines, top):
    height = len(lines) * LINE + 2 * MARGIN
    yield f'<rect x="0" y="{top}" width="100%" height="{height}" rx="8" fill="{BACKGROUND}"/>'
    colour = None
    for row, line in enumerate(lines):
        found, colour = runs(line, colour)
        for column, text, paint in found:
            x, y = MARGIN + column * CELL, top + MARGIN + row * LINE + 13
            yield (
                f'<text x="{x:.1f}" y="{y}" textLength="{len(text) * CELL:.1f}" xml:space="preserve"'
                f' fill="{paint or FOREGROUND}">{escape(text)}</text>'
            )


def main(out, *screens):
    body, top = [], 0
    for screen in screens:
        lines = open(screen, encoding="utf-8").read().rstrip("\n").split("\n")
        while lines and not SGR.sub("", lines[-1]).strip():
            lines.pop()
        body += draw(lines, top)
        top += len(lines) * LINE + 2 * MARGIN + 10
    width = COLUMNS * CELL + 2 * MARGIN
    with open(out, "w", encoding="utf-8") as file:
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{top - 10}"'
            f' viewBox="0 0 {width:.0f} {top - 10}" font-family="ui-monospace, \'DejaVu Sans Mono\', monospace"'
            ' font-size="14">\n' + "\n".join(body) + "\n</svg>\n"
        )


main(*sys.argv[1:])
