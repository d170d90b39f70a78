"""The picture of README and the table of results/studies/peers/README.md, from what compare.py wrote: bash results/reference.sh calls it.

    draw.py picture results/reference/peers.tsv results/reference/peers.png     needs gnuplot
    draw.py readme results/reference/peers.tsv results/studies/peers/README.md            puts the table between its marks
    draw.py overlap results/reference/overlap.tsv overlap.png                   overlap of falling boxes by time step: bash results/studies/peers/overlap.sh
"""
import os
import subprocess
import sys
import tempfile

TITLES = {"stack": "six boxes, each 8 times heavier", "arch": "arch", "wall": "wall", "boxes": "500 boxes at rest", "falling": "500 falling boxes",
          "incline": "block on a slope, at rest", "threshold": "the same at the slip threshold", "sliding": "the same, sliding"}
SHORT = {"stack": "heavy stack", "arch": "arch", "wall": "wall", "boxes": "boxes at rest", "falling": "falling (overlap)",
         "incline": "slope, at rest", "threshold": "slope, limit", "sliding": "slope, sliding"}  # above a panel of the picture
NAMES = {"ncpbench": "ncpbench", "mujoco": "MuJoCo", "bullet": "Bullet", "drake": "Drake", "dart": "DART", "siconos": "Siconos"}
STYLES = {"ncpbench": ("#D55E00", 7, 6), "mujoco": ("#0072B2", 5, 4), "bullet": ("#009E73", 9, 8), "drake": ("#CC79A7", 11, 10),
          "dart": ("#E69F00", 13, 12), "siconos": ("#56B4E9", 15, 14)}  # colour; point of a warm start, of a cold one
FLOOR, CEILING = 1e-16, 1e2
LARGE, SMALL = 4.5, 2.2  # points
LETTERS = 40  # of the picture: 5 pt where it is 85 mm wide
OURS = ["auto", "auto to 1e-4 m/s"]  # settings of ncpbench with a column of the table, and a name in the picture
STAR = 3  # point of auto to 1e-4 m/s
DEFAULTS = ["mujoco", "bullet", "drake"]  # whose defaults have one
SHOWN = 0.0083  # the time step of picture and table


def read(path):
    """what is said at its head, and the rows"""
    head, rows, columns = [], [], None
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.rstrip("\n").split("\t")
            if words[0].startswith("# "):
                head.append((words[0][2:], words[1]))
            elif columns is None:
                columns = words
            else:
                rows.append(dict(zip(columns, words)))
    return head, rows


def error_of(row):
    """drift; of the pile whose motion nobody knows, the deepest overlap"""
    value = row["overlap" if row["scene"] == "falling" else "drift"]
    return float(value) if value != "-" else float("inf")


def is_whole(row, rows):
    """whether it made the whole scene in its time"""
    return float(row["seconds"]) >= 0.99 * max(float(other["seconds"]) for other in rows if other["scene"] == row["scene"] and other["h"] == row["h"])


def says_something(row, rows):
    """a pile that has not fallen has no overlaps"""
    return row["scene"] != "falling" or is_whole(row, rows)


# ---- the picture ----

def styled(row, rows):
    """its point, and how large: the default setting and auto are large, what stopped early is hollow"""
    _, filled, hollow = STYLES[row["engine"]]
    named = row["setting"] in ("default", *OURS)
    point = STAR if row["setting"] == OURS[1] else filled if is_whole(row, rows) else hollow
    return point, LARGE if named else SMALL


def panel(scene, rows, folder):
    """the commands of one panel"""
    parts, shown = [], [row for row in rows if row["start"] == "warm" and says_something(row, rows)]
    shown.sort(key=lambda row: styled(row, rows)[1])
    for i, row in enumerate(shown):
        path, (point, size) = os.path.join(folder, f"{scene}-{i}.tsv"), styled(row, rows)
        with open(path, "w", encoding="utf-8") as file:
            print(row["ms"], min(max(error_of(row), FLOOR), CEILING), file=file)
        parts.append(f"'{path}' with points pt {point} lc rgb '{STYLES[row['engine']][0]}' ps {size} lw 3 notitle")
    lines = [f"set title '{SHORT[scene]}' offset 0,-0.7", "plot " + ", ".join(parts or ["NaN notitle"])]
    return "\n".join(lines)


def legend(engines):
    names = [("ncpbench", STYLES["ncpbench"][1], "auto"), ("ncpbench", STAR, "auto, 1e-4 m/s")] + [(name, STYLES[name][1], NAMES[name]) for name in engines if name != "ncpbench"]
    return ", ".join(f"NaN with points pt {point} lc rgb '{STYLES[name][0]}' ps {LARGE} lw 3 title '{title}'" for name, point, title in names)


def draw(table, picture):
    head, rows = read(table)
    shown = [row for row in rows if float(row["h"]) == SHOWN]
    scenes, engines = [s for s in TITLES if any(r["scene"] == s for r in shown)], [e for e in NAMES if any(r["engine"] == e for r in shown)]
    about = ", ".join(f"{NAMES[value.split()[0]]} {value.split()[1].split('+')[0]}" for name, value in head if name == "engine")
    processor = next(value for name, value in head if name == "processor")
    remark = "".join(f"; {value}" for name, value in head if name == "remark")
    notes = ["Large: default settings; small: others; hollow: stopped before the end of the scene.",
             f"h = {1e3 * SHOWN:g} ms. An error of 0 is drawn at 10^{{-16}}. One thread of {processor.split(',')[0]}.", f"{about}{remark}"]
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        text = ["set encoding utf8", f"set terminal pngcairo size 2104,1500 font 'DejaVu Sans,{LETTERS * 0.75:g}' background '#ffffff'", f"set output '{picture}'",
                "set multiplot", "set border 3 lw 2 lc rgb '#444444'", "set tics nomirror out scale 0.5 textcolor rgb '#222222'",
                "set grid lc rgb '#dddddd' lw 1 dt 1", "set logscale xy", "set format '10^{%L}'", f"set yrange [{FLOOR / 10}:{CEILING * 10}]",
                "set xrange [1e-3:2e4]", "set ytics 1e-16,1e8", "set xtics 1e-3,1e3", "unset key"]
        for i, scene in enumerate(scenes):
            column, row = i % 4, i // 4
            text += [f"set lmargin at screen {0.105 + 0.225 * column}", f"set rmargin at screen {0.105 + 0.225 * column + 0.195}",
                     f"set tmargin at screen {0.86 - 0.36 * row}", f"set bmargin at screen {0.86 - 0.36 * row - 0.27}",
                     "set xlabel 'ms per step' offset 0,0.6" if row or len(scenes) <= 4 else "unset xlabel", f"set format y '{'' if column else '10^{%L}'}'",
                     "unset ylabel" if column else "set ylabel 'drift [m]' offset 1.4,0", panel(scene, [r for r in shown if r["scene"] == scene], folder)]
        text += ["unset title; unset xlabel; unset ylabel; unset border; unset tics; unset grid", "set key at screen 0.5,0.995 center top horizontal maxrows 2 reverse Left samplen 1.5 width 0",
                 "set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 0.99", "unset logscale",
                 "set xrange [0:1]; set yrange [0:1]", *(f"set label {i + 1} '{note}' at screen 0.01,{0.095 - 0.034 * i} font ',{LETTERS * 0.65:g}' textcolor rgb '#444444'" for i, note in enumerate(notes)),
                 "plot " + legend(engines), "unset multiplot"]
        script = os.path.join(folder, "peers.gp")
        with open(script, "w", encoding="utf-8") as file:
            file.write("\n".join(text) + "\n")
        subprocess.run(["gnuplot", script], check=True)


# ---- the picture of overlap ----

# (engine, setting): name, width of its line, dashes; colours and points are those of the engine, filled points are its default
CURVES = {("ncpbench", "auto to 1e-4 m/s"): ("auto, --verify-contacts 1e-4", 3, 1), ("ncpbench", "auto to 1e-4 m/s, not verified"): ("auto, not verified", 1.5, 2),
          ("mujoco", "default"): ("MuJoCo", 1.5, 1), ("mujoco", "stiff"): ("MuJoCo, stiff", 1.5, 2),
          ("bullet", "default"): ("Bullet", 1.5, 1), ("bullet", "rigid, 10 substeps"): ("Bullet, 10 substeps", 1.5, 2),
          ("drake", "default"): ("Drake", 1.5, 1), ("drake", "hydroelastic"): ("Drake, hydroelastic", 1.5, 2)}


def curve_of(engine, setting, rows, path):
    """its whole runs by time step, in a file of h [ms], overlap [mm], ms per step; how many there are"""
    chosen = sorted((float(row["h"]), float(row["overlap"]), float(row["ms"])) for row in rows
                    if (row["scene"], row["engine"], row["setting"], row["start"]) == ("falling", engine, setting, "warm") and is_whole(row, rows))
    with open(path, "w", encoding="utf-8") as file:
        for h, overlap, ms in chosen:
            print(1e3 * h, 1e3 * overlap, ms, file=file)
    return len(chosen)


def draw_overlap(table, picture):
    head, rows = read(table)
    steps = sorted({1e3 * float(row["h"]) for row in rows})
    about = ", ".join(f"{NAMES[value.split()[0]]} {value.split()[1].split('+')[0]}" for name, value in head if name == "engine")
    processor = next(value for name, value in head if name == "processor").split(",")[0]
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        curves = []
        for (engine, setting), (name, width, dashes) in CURVES.items():
            path, (colour, filled, hollow) = os.path.join(folder, f"{len(curves)}.tsv"), STYLES[engine]
            if curve_of(engine, setting, rows, path):
                curves.append((path, f"lw {width} dt {dashes} lc rgb '{colour}' pt {filled if dashes == 1 else hollow} ps 1.5", name))
        text = ["set encoding utf8", f"set terminal pngcairo size 1680,860 font 'DejaVu Sans,17' background '#ffffff'", f"set output '{picture}'", "set multiplot",
                "set border 3 lw 1 lc rgb '#444444'", "set tics nomirror out scale 0.5 textcolor rgb '#222222'", "set grid lc rgb '#dddddd' lw 0.8 dt 1", "set logscale xy",
                "set format '%g'", "set yrange [5e-4:1e3]", "set tmargin at screen 0.8", "set bmargin at screen 0.2", "unset key", "set ylabel 'largest overlap [mm]' offset 0.8,0",
                "set arrow 1 from graph 0, first 0.1 to graph 1, first 0.1 nohead dt 3 lc rgb '#444444'", "set label 1 'allowed' at graph 0.01, first 0.14 left font ',14' textcolor rgb '#444444'"]
        ticks = ", ".join(f"'{h:g}' {h}" for h in steps)
        for left, column, label, axis in ((0.075, 1, "time step [ms]", f"set xrange [{steps[0] / 1.2}:{steps[-1] * 1.2}]; set xtics ({ticks})"),
                                          (0.575, 3, "ms per step", "set xrange [*:*]; set xtics autofreq")):
            text += [f"set lmargin at screen {left}", f"set rmargin at screen {left + 0.4}", f"set xlabel '{label}' offset 0,0.3", axis,
                     "plot " + ", ".join(f"'{path}' using {column}:2 with linespoints {style}" for path, style, _ in curves) + "".join(
                         f", '{path}' using ({column} == 3 && $1 > 0.99 * {steps[-1]} ? $3 : NaN):2:(sprintf('%g', $1)) with labels left offset 0.9,0.2 font ',14' tc rgb '#444444' notitle" for path, _, _ in curves)]
        text += ["unset arrow; unset label; unset xlabel; unset ylabel; unset border; unset tics; unset grid; unset logscale", "set lmargin at screen 0; set rmargin at screen 1",
                 "set xrange [0:1]; set yrange [0:1]", "set key at screen 0.5,0.99 center top horizontal maxrows 2 reverse Left samplen 3 width 1",
                 f"set label 1 '500 falling boxes, half a second. Along a curve h = {', '.join(f'{h:g}' for h in steps)} ms. auto solves to 1e-4 m/s. "
                 f"Missing points: stopped before the end.' at screen 0.01,0.06 font ',14' textcolor rgb '#444444'",
                 f"set label 2 '{about}. One thread of {processor}.' at screen 0.01,0.025 font ',14' textcolor rgb '#444444'",
                 "plot " + ", ".join(f"NaN with linespoints {style} title '{name}'" for _, style, name in curves), "unset multiplot"]
        script = os.path.join(folder, "overlap.gp")
        with open(script, "w", encoding="utf-8") as file:
            file.write("\n".join(text) + "\n")
        subprocess.run(["gnuplot", script], check=True)


# ---- the table ----

def short(x):
    x = float(x)
    if x == float("inf"):
        return "∞"
    return f"{x:.0f}" if x >= 10 else f"{x:.2g}" if x >= 1e-3 else f"{x:.0e}".replace("e-0", "e-")


def cell(row, rows):
    if row is None:
        return "–"
    error = short(error_of(row)) if says_something(row, rows) else "–"
    return f"{short(row['ms'])}, {error}" + ("" if is_whole(row, rows) else "\\*")


def default(engine, rows):
    return next((row for row in rows if row["engine"] == engine and row["setting"] == "default" and row["start"] == "warm"), None)


def best(engine, rows, all_rows):
    """the setting of the least error, of those that came to half of the scene's time where one did"""
    chosen = [row for row in rows if row["engine"] == engine]
    half = max((float(row["seconds"]) for row in all_rows), default=0) / 2
    return min(chosen, key=lambda row: (not says_something(row, all_rows), float(row["seconds"]) < half, error_of(row)), default=None)


def markdown(path):
    _, rows = read(path)
    rows = [row for row in rows if float(row["h"]) == SHOWN]
    peers = [name for name in NAMES if name != "ncpbench" and any(row["engine"] == name for row in rows)]
    lines = ["| ms per step, error [m] | `auto` to 1e-8 m/s | to 1e-4 m/s |" + "".join(f" {NAMES[name]} | its best |" if name in DEFAULTS else f" {NAMES[name]}, best |" for name in peers)]
    lines.append("|" + "---|" * (lines[0].count("|") - 1))
    for scene in TITLES:
        here = [row for row in rows if row["scene"] == scene]
        ours = {row["setting"]: row for row in here if row["engine"] == "ncpbench" and row["start"] == "warm"}
        cells = [cell(ours.get(setting), here) for setting in OURS]
        for name in peers:
            cells += [cell(default(name, here), here)] * (name in DEFAULTS) + [cell(best(name, here, here), here)]
        if here:
            lines.append(f"| {TITLES[scene]} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


MARKS = "<!-- peers: made by results/studies/peers/draw.py -->\n", "<!-- peers: end -->\n"


def put(table, document):
    with open(document, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(MARKS[0])
    with open(document, "w", encoding="utf-8") as file:
        file.write(before + MARKS[0] + markdown(table) + MARKS[1] + rest.split(MARKS[1])[1])


if __name__ == "__main__":
    if sys.argv[1:2] == ["picture"] and len(sys.argv) == 4:
        draw(*sys.argv[2:])
    elif sys.argv[1:2] == ["readme"] and len(sys.argv) == 4:
        put(*sys.argv[2:])
    elif sys.argv[1:2] == ["overlap"] and len(sys.argv) == 4:
        draw_overlap(*sys.argv[2:])
    else:
        sys.exit(__doc__)
