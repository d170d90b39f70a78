# What figures share: colours (Okabe and Ito, for colour-blind eyes), markers, dashes, and the layout of a page.
# All lengths are printer's points (1/72 inch) on paper; a page is page_width wide and as high as it needs to be. Text is
# font_size high (8), ticks and caption a point less; `k` scales what has to grow with it.
#
# A script says what it draws in four texts:
#   brief     the first of at most two lines of caption: what a reader has to know, or what came out, in short
#   outcome   what came out, beside what the paper says of it
#   about     what is drawn, and how it was measured
#   entries   the legend: entry[i], entry_style[i] (a line style), entry_kind[i] ("lp" line and markers, "l", "p", "f" area),
#             and entry_shown[i]: 0 where the figure has nothing that looks so, 1 where it has, -1: curve i of the panels,
#             whose entry stays where a column of `shown_columns` has a number ("": any but the first)
# `claims`, where it is not empty, is the verdicts on the claims that the figure shows, by its own runs: a line below these two.
# brief stands on the figure with `source` (processor, precision, version, record), where two lines hold both; outcome,
# about and the settings go into the text beside the figure. papers is 1 where the runs are those that the paper's
# figure takes: only then the paper's number and claims are named.
#
# A script that draws a grid (rows of plots for each panel) sets rows, tall (the height of a plot) and perhaps least_wide, then
# @begin, and @place for panel p, row r. Others set `body`, the height of what they draw below the legend with its axes, and
# place it themselves from `head` downwards.
set encoding utf8
k = font_size / 8.0
small = sprintf(",%g", 7 * k); normal = sprintf(",%g", 8 * k); large = sprintf(",%g", 9 * k)
set colorsequence podo
# colour and marker of curve s; a colour that comes again is darker (black and grey: lighter), and has another dash and marker
color_of(s) = word("#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #000000 #999999 #003F63 #7A3500 #00553E #7D3F63 #8A5F00 #2A6F97 #666666 #444444", (s - 1) % 16 + 1)
marker_of(s) = int(word("7 5 9 11 13 4 6 8", (s - 1 + (s - 1) / 8 * 4) % 8 + 1))
set style line 1 lc rgb color_of(1) lw 1.1 pt 7 ps 0.62 dt 1
set style line 2 lc rgb color_of(2) lw 1.1 pt 5 ps 0.55 dt (8, 3)
set style line 3 lc rgb color_of(3) lw 1.1 pt 9 ps 0.68 dt (4, 2)
set style line 4 lc rgb color_of(4) lw 1.1 pt 11 ps 0.68 dt (10, 3, 2, 3)
set style line 5 lc rgb color_of(5) lw 1.1 pt 13 ps 0.75 dt (2, 2)
set style line 6 lc rgb color_of(6) lw 1.1 pt 4 ps 0.6 dt (6, 2, 2, 2)
set style line 7 lc rgb color_of(7) lw 1.1 pt 6 ps 0.65 dt 1
set style line 8 lc rgb color_of(8) lw 1.1 pt 8 ps 0.68 dt (3, 3)
set style line 9 lc rgb color_of(9) lw 1.1 pt marker_of(9) ps 0.7 dt (6, 2)
set style line 10 lc rgb color_of(10) lw 1.1 pt marker_of(10) ps 0.6 dt 1
set style line 11 lc rgb color_of(11) lw 1.1 pt marker_of(11) ps 0.65 dt (8, 2, 2, 2, 2, 2)
set style line 12 lc rgb color_of(12) lw 1.1 pt marker_of(12) ps 0.68 dt (3, 1.5)
set style line 13 lc rgb color_of(13) lw 1.1 pt marker_of(13) ps 0.6 dt (12, 3)
set style line 14 lc rgb color_of(14) lw 1.1 pt marker_of(14) ps 0.55 dt (1.5, 1.5)
set style line 15 lc rgb color_of(15) lw 1.1 pt marker_of(15) ps 0.65 dt (8, 3, 2, 3)
set style line 16 lc rgb color_of(16) lw 1.1 pt marker_of(16) ps 0.65 dt (4, 2, 1.5, 2)
set style line 21 lc rgb "#444444" lw 1.1 pt 2 ps 0.6 # what failed, drawn at the upper edge
set style line 17 lc rgb "#777777" lw 0.9 dt (5, 3) pt 0 # bounds
set style line 18 lc rgb "#777777" lw 0.6 dt 1 pt 0      # zero
frame = "set format '%g'; set border 3 lw 0.5 lc rgb '#444444'; set tics out scale 0.5 textcolor rgb '#222222' font small; set xtics nomirror offset 0, 0.4; set ytics nomirror offset 0.6, 0; set grid xtics ytics lc rgb '#dddddd' lw 0.4 dt 1; unset key"
set datafile separator "\t" # "nan" is not declared as missing: lines would be drawn across what failed
larger(a, b) = a > b ? a : b
smaller(a, b) = a < b ? a : b
panel_file(p) = sprintf("panel_%d.tsv", p)
panel_name(p) = word(panel_names, p)
# of a label "A_b_C=0.1": its first part, its last one and those before it, and the value in a text
first_part(t) = (l_ = strstrt(t, "_"), l_ ? t[1:l_ - 1] : t)
last_part(t) = (l_ = strstrt(t, "_"), l_ ? last_part(t[l_ + 1:]) : t)
before_last(t) = t[1:strlen(t) - strlen(last_part(t)) - 1]
value_in(t) = (i_ = strstrt(t, "="), i_ ? t[i_ + 1:] : t)
number_in(t, name) = (i_ = strstrt(t, name."="), i_ ? real(t[i_ + strlen(name) + 1:]) : NaN)
spaced(t) = (j_ = strstrt(t, "_"), j_ ? t[1:j_ - 1]." ".spaced(t[j_ + 1:]) : t)
label_of(p, s) = word(value(sprintf("labels_%d", p)), s)
series_of(p) = int(value(sprintf("series_%d", p)))
index_of(p, name) = (i_ = 0, sum [k_ = 1:series_of(p)] (label_of(p, k_) eq name ? k_ : 0))
# About six markers a curve, those of the curves one after the other along the axis, so that none hides another. The rows of
# curve s are drawn `every every_of(p, s)::first_of(p, s)`.
rows_of(p, s) = exists(sprintf("rows_%d_%d", p, s)) ? value(sprintf("rows_%d_%d", p, s)) : 1
every_of(p, s) = int(larger(ceil(rows_of(p, s) / 6.0), smaller(series_of(p), ceil(rows_of(p, s) / 2.0))))
first_of(p, s) = (s - 1) * every_of(p, s) / series_of(p)

# ---- values ----
# steps of a run that are unsolved
open_steps(p, s) = exists(sprintf("open_steps_%d_%d", p, s)) ? value(sprintf("open_steps_%d_%d", p, s)) : NaN
told(name, p, s, c) = (told_ = sprintf("%s_%d_%d_%d", name, p, s, c), exists(told_) ? value(told_) : NaN)
# the last row of a series; a line `number` of the head, of a series (0: of a panel); NaN where there is none
last_of(p, s, c) = told("last", p, s, c)
number_of(name, p, s) = (told_ = sprintf("number_%s_%d_%d", name, p, s), exists(told_) ? value(told_) : NaN)
# the first number of a column of a series (0: of a panel), the least, the largest and the sum
first_of_column(p, s, c) = told("first", p, s, c)
least_of(p, s, c) = told("least", p, s, c)
most_of(p, s, c) = told("most", p, s, c)
sum_of(p, s, c) = told("sum", p, s, c)
number(format, x) = x == x ? sprintf(format, x) : "-"
# 1, 2 or 5 times a power of ten, at least x
nice(x) = (unit_ = 10**floor(log10(x)), x <= unit_ ? unit_ : x <= 2 * unit_ ? 2 * unit_ : x <= 5 * unit_ ? 5 * unit_ : 10 * unit_)
# low and high: the decades that columns `first` and `last` of all panels span, above round-off; ticks for these and for
# the iterations of column 1
drawn(x) = x > 1e-16 && x < 1e30 ? x : NaN
# an error above round-off; NaN stays NaN
floored(x) = x == x ? larger(x, 1e-16) : NaN
extent = "low = 1; high = 1; most = 1; do for [p = 1:panels] { i_ = widened(p, 0, extent_first) + widened(p, 0, extent_last); most = larger(most_of(p, 0, 1), most) }; low = 10**floor(log10(low) - 0.2); high = 10**ceil(log10(high) + 0.2)"
# the same of one column of panel p, from what was reached at least to the largest
own_extent = "low = 1e300; high = 0; i_ = widened(p, 0, own_column); low = 10**floor(log10(smaller(low, 1e299)) - 0.05); high = high > 100 * low ? 2 * high : high > low ? 10**ceil(log10(high) + 0.05) : 10 * low"
decade_ticks = "decades_ = ceil(log10(high / low) * 9.0 * k / tall); set ytics 10**decades_; if (decades_ > 1) { unset mytics } else { set mytics 10 }; set logscale y; set format y '10^{%L}'; set yrange [low:high]"
# the factor between labels of a logarithmic axis from a to b along a plot
decades_apart(a, b) = 10**larger(1, ceil(log10(larger(b, a) / a) * 24.0 * k / wide))
iteration_ticks = "set xtics larger(1, nice(most * 22 * k / wide)); set xrange [0:1<*]" # also where nothing can be drawn
extent_of(x) = (x == x ? (low = smaller(low, x), high = larger(high, x)) : 0, 1)
widened(p, s, c) = extent_of(told("low", p, s, c)) + extent_of(told("high", p, s, c))
# labels for an axis from a to b whose decades are too few to be its labels: steps of 1, 2, 5, or even ones
labels_between(a, b) = b / a < 3 ? even_labels(nice((b - a) / 5.0) * ceil(a / nice((b - a) / 5.0) - 1e-9), b, nice((b - a) / 5.0)) : decade_labels(10**floor(log10(a)), a, b)
even_labels(x, b, step) = x > b ? "" : sprintf("'%g' %.9g, ", x, x).even_labels(x + step, b, step)
decade_labels(unit, a, b) = unit > b ? "" : label_within(unit, a, b).label_within(2 * unit, a, b).label_within(5 * unit, a, b).decade_labels(10 * unit, a, b)
# the width of the numbers that gnuplot sets along an axis from a to b: ticks 0.2, 0.5, 1 or 2 powers of ten apart
digits_of(x, step) = larger(1, int(floor(log10(larger(abs(x), step)) + 1e-9) - floor(log10(step) + 1e-9)) + 1)
number_wide(x, step) = 0.875 * text_wide(sprintf(sprintf("%%#.%dg", digits_of(x, step)), x))
numbers_wide(a, b) = (step_ = 10**floor(log10((b > a ? b - a : a != 0 ? 0.02 * abs(a) : 1) / 5.0)), larger(number_wide(a, step_), number_wide(b, step_)))
label_within(x, a, b) = x < a * 0.999 || x > b ? "" : sprintf("'%g' %.9g, ", x, x)

# The numbers i of 1:n_of whose key_of(i) is a number above -1e300, by it: order_of[1:ordered], for lines from left to right.
array order_of[64]
ascending = "ordered = 0; last_key_ = -1e300; do for [n_ = 1:n_of] { next_key_ = 1e300; at_key_ = 0; do for [j_ = 1:n_of] { key_ = key_of(j_); if (key_ > last_key_ && key_ < next_key_) { next_key_ = key_; at_key_ = j_ } }; if (at_key_) { ordered = ordered + 1; order_of[ordered] = at_key_; last_key_ = next_key_ } }"
# these as a block of what is printed, with a row point_of(i) each after one without numbers
print_curve = "@ascending; print no_numbers; do for [i = 1:ordered] { print point_of(order_of[i]) }; print ''; print ''"
no_numbers = "nan\tnan\tnan\tnan\tnan"

# ---- text ----
lines_of(t) = (i_ = strstrt(t, "\n"), i_ ? 1 + lines_of(t[i_ + 1:]) : 1)
line_at(t, n) = (i_ = strstrt(t, "\n"), n > 1 ? line_at(t[i_ + 1:], n - 1) : i_ ? t[1:i_ - 1] : t)
# A text in lines of at most n letters, broken after a comma or semicolon in their last third, else at a space, or of one word
# after a hyphen.
break_of(t, n) = (space_ = 0, comma_ = 0, hyphen_ = 0, sum [k_ = 2:n] (t[k_:k_] eq " " ? (space_ = k_, comma_ = strstrt(",;", t[k_ - 1:k_ - 1]) ? k_ : comma_) : (hyphen_ = t[k_:k_] eq "-" ? k_ : hyphen_, 0)), 3 * comma_ > 2 * n ? comma_ : space_ ? space_ : hyphen_ ? hyphen_ : n)
line_wrapped(t, n) = strlen(t) > n ? (b_ = break_of(t, n), t[1:b_]."\n".line_wrapped(t[b_ + 1:], n)) : t
wrapped(t, n) = (i_ = strstrt(t, "\n"), i_ ? line_wrapped(t[1:i_ - 1], n)."\n".wrapped(t[i_ + 1:], n) : line_wrapped(t, n))
# the width of letters of DejaVu Sans, and of fonts no wider, in their height: wide, narrow and others
letter_of(c) = strstrt("mwMW%@", c) ? 0.93 : strstrt("ijl.,:;'|! ()[]tfr/", c) ? 0.37 : 0.63
text_wide(t) = strlen(t) ? 8 * k * sum [k_ = 1:strlen(t)] letter_of(t[k_:k_]) : 0
letter_wide = 0.56 # on average
# what of the texts two lines hold
caption_letters = int((page_width - 8) / (0.51 * 7 * k))
two_lines(t) = lines_of(wrapped(t, caption_letters)) <= 2
caption_of(b, s) = b eq "" ? wrapped(s, caption_letters) : s eq "" || two_lines(b."\n".s) ? wrapped(b."\n".s, caption_letters) : two_lines(b." ".s) ? wrapped(b." ".s, caption_letters) : wrapped(s, caption_letters)
with_claims(t) = claims eq "" ? t : t."\n".wrapped(claims, caption_letters)
noted = note eq "" ? source : source.". ".note # what speaks against the times, where it shows any
brief = ""; outcome = ""; about = ""

# ---- layout ----
array entry[32]; array entry_style[32]; array entry_kind[32]; array entry_shown[32]; array entry_x[32]; array entry_row[32]
entries = exists("series_1") ? smaller(series_1, 16) : 0
do for [i = 1:32] { entry_shown[i] = i > entries ? 1 : -1 }
do for [i = 1:entries] { entry[i] = spaced(label_of(1, i)); entry_style[i] = i; entry_kind[i] = "lp" }
# whether series s has a number in the column, in a column of `shown_columns`, in one of them in any panel
has(p, s, c) = exists(sprintf("has_%d_%d_%d", p, s, c))
shown_columns = ""
is_drawn(p, s) = shown_columns eq "" ? exists(sprintf("has_%d_%d", p, s)) : sum [k_ = 1:words(shown_columns)] has(p, s, int(word(shown_columns, k_)))
recorded_panels = exists("panels") ? panels : 0 # a script may draw others
drawn_anywhere(s) = sum [p_ = 1:recorded_panels] (is_drawn(p_, s) > 0)
rows = 1; r = 1; tall = 100 * k; least_wide = 78
left_space = 40; right_space = 9; between = 29; row_gap = 17; axis_space = 23; panel_title = 13
legend_sample = 22; legend_left = 40
widest_line(t) = (w_ = 0, sum [n_ = 1:lines_of(t)] (w_ = larger(w_, text_wide(line_at(t, n_))), 0), w_)
entry_wide(i) = (legend_sample + 12) * k + widest_line(entry[i])
# the legend has no entry without a curve
drop_entries = "kept_ = 0; do for [i = 1:entries] { if (entry_shown[i] > 0 || (entry_shown[i] < 0 && drawn_anywhere(i))) { kept_ = kept_ + 1; entry[kept_] = entry[i]; entry_style[kept_] = entry_style[i]; entry_kind[kept_] = entry_kind[i] } }; entries = kept_"
# as many entries in a line as fit; one that is wider than the page has several lines
lay_legend = "row_ = 0; entry_high_ = 1; x_ = legend_left * k; do for [i = 1:entries] { entry[i] = wrapped(entry[i], int((page_width - (legend_left + legend_sample + 8) * k) / (0.6 * 8 * k))); if (x_ + entry_wide(i) > page_width && x_ > legend_left * k) { row_ = row_ + entry_high_; entry_high_ = 1; x_ = legend_left * k }; entry_x[i] = x_; entry_row[i] = row_; entry_high_ = larger(entry_high_, lines_of(entry[i])); x_ = x_ + entry_wide(i) }; figure_title = wrapped(figure_title, int(page_width / (0.54 * 9 * k))); title_high = figure_title eq '' ? 3 * k : (3 + 11 * lines_of(figure_title)) * k; legend_high = entries ? (11 * (row_ + entry_high_) + 2) * k : 0; head = title_high + legend_high"
lay_grid = "across = smaller(panels, larger(1, floor((page_width - (left_space + right_space - between) * k) / ((least_wide + between) * k)))); across = ceil(1.0 * panels / ceil(1.0 * panels / across)); wide = (page_width - (left_space + right_space) * k) / across - between * k * (across - 1) / across; if (panel_title > 3) { name_lines_ = 1; do for [p = 1:panels] { name_lines_ = larger(name_lines_, lines_of(fitted(spaced(panel_name(p)), wide))) }; panel_title = panel_title + 12 * (name_lines_ - 1) }; chunk_high = panel_title * k + rows * tall + (rows - 1) * row_gap * k + axis_space * k; body = exists('body') ? body : chunk_high * ceil(1.0 * panels / across)"
x_of(p) = left_space * k + (p - 1) % across * (wide + between * k)
y_of(p, r) = head + (p - 1) / across * chunk_high + panel_title * k + (r - 1) * (tall + row_gap * k)
first_column(p) = (p - 1) % across == 0
from_top(u) = 1 - 1.0 * u / figure_height
from_left(u) = 1.0 * u / page_width
# a plot `w` wide and `h` high whose upper left corner is at (x, y)
spot(x, y, w, h) = (spot_x_ = x, spot_y_ = y, spot_w_ = w, spot_h_ = h, sprintf("set lmargin at screen %.6f; set rmargin at screen %.6f; set tmargin at screen %.6f; set bmargin at screen %.6f", from_left(x), from_left(x + w), from_top(y), from_top(y + h)))
x_below = figure_terminal[1:3] eq 'svg' ? 19 : 17 # of an axis's name; browsers set letters higher
# names of the axes and of a panel, by variables: what a record says is never part of a command; "": none
x_named(t) = t eq "" ? "unset label 901" : (name_901 = t, sprintf("set label 901 name_901 at graph 0.5, screen %.6f center noenhanced font normal", from_top(spot_y_ + spot_h_ + x_below * k)))
# of an upright name that is longer than its plot the letters are smaller
upright(t, h) = sprintf(",%g", k * larger(6, smaller(8, 8 * (h + 12 * k) / larger(1, text_wide(t)))))
y_named(t) = t eq "" ? "unset label 902" : (name_902 = t, sprintf("set label 902 name_902 at screen %.6f, screen %.6f center rotate by 90 noenhanced font '%s'", from_left(spot_x_ - (left_space - 6) * k), from_top(spot_y_ + 0.5 * spot_h_), upright(t, spot_h_)))
fitted(t, w) = wrapped(t, int((w + 0.8 * between * k) / (letter_wide * 8 * k))) # a panel's name, in as many lines as it takes
panel_named(t) = t eq "" ? "unset label 903" : (name_903 = fitted(t, spot_w_), sprintf("set label 903 name_903 at graph 0.5, screen %.6f center noenhanced font normal", from_top(spot_y_ - (12 * lines_of(name_903) - 5.5) * k)))
place = "eval(spot(x_of(p), y_of(p, r), wide, tall)); eval(panel_named(r == 1 && panel_title > 3 ? spaced(panel_name(p)) : ''))"
terminal_for(t) = (i_ = strstrt(t, "FIGURE_HEIGHT"), i_ ? t[1:i_ - 1].sprintf("%g", figure_height * 1.0).t[i_ + 13:] : t)
sample = "do for [i = 1:entries] { y_ = from_top(title_high + (11 * entry_row[i] + 6) * k); l_ = from_left(entry_x[i]); r_ = from_left(entry_x[i] + legend_sample * k); if (entry_kind[i] eq 'f') { set object 400 + i rectangle from screen l_, screen y_ - 3.0 * k / figure_height to screen r_, screen y_ + 3.0 * k / figure_height fs solid noborder fc rgb entry_style[i] } else { if (entry_kind[i] ne 'p') { set arrow 400 + i from screen l_, screen y_ to screen r_, screen y_ nohead ls entry_style[i] }; if (entry_kind[i] ne 'l') { set label 440 + i '' at screen 0.5 * (l_ + r_), screen y_ point ls entry_style[i] } }; set label 400 + i entry[i] at screen r_ + 4.0 * k / page_width, screen y_ left noenhanced font normal }"
begin_texts = "set print 'text'; print outcome; print ''; print about; set print"
# opens the drawing, with title, legend and caption as a plot of their own; lines of the caption are shorter where one is wider
# than the page (letters of 7 points, which text_wide takes for 8 and a little wide)
begin = "@drop_entries; @lay_legend; @lay_grid; caption_ = ''; if (caption_shown) { caption_ = with_claims(caption_of(brief, noted)); while (widest_line(caption_) > 1.19 * page_width && caption_letters > 20) { caption_letters = caption_letters - 1; caption_ = with_claims(caption_of(brief, noted)) } }; figure_height = ceil(head + body + (caption_shown ? 8.5 * k * lines_of(caption_) + 6 * k : 0)); eval('set terminal '.terminal_for(figure_terminal)); set output figure_output; set multiplot; set label 500 figure_title at screen 0.5, screen from_top(7 * k) center noenhanced font large; do for [i = 1:lines_of(caption_)] { set label 500 + i line_at(caption_, i) at screen from_left(4), screen from_top(head + body + (8.5 * i - 3.5) * k) left noenhanced font small textcolor rgb '#444444' }; @sample; eval(spot(0, 0, page_width, figure_height)); unset border; unset tics; unset grid; unset key; plot [0:1] [0:1] -1 notitle; unset label; unset arrow; unset object; @frame; @begin_texts"
# the curves of a grid's plot, whose quantity in row r the script gives as y_at(r), of columns; the first is nothing, which
# @iteration_ticks needs where a panel has no curve
curves = "NaN notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) using 1:(y_at(r)) with lines ls s notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) every every_of(p, s)::first_of(p, s) using 1:(y_at(r)) with points ls s notitle"
x_label = "eval(x_named(r == rows ? x_name : ''))"
y_label = "eval(y_named(first_column(p) ? y_name : ''))"

# ---- pictures ----
# Volumetric strain as colour, -1 to 1 of the strongest (as picture_soft.c), and its key below the picture that was placed last:
# what the strongest colours stand for is `limit`, 0 where nothing is coloured.
mixed(a, b, f) = int(a + (b - a) * f + 0.5)
strain_part(t, a, b, c, d, e) = t < -0.5 ? mixed(a, b, 2 * t + 2) : t < 0 ? mixed(b, c, 2 * t + 1) : t < 0.5 ? mixed(c, d, 2 * t) : mixed(d, e, 2 * t - 1)
strain_colour(t) = sprintf("#%02X%02X%02X", strain_part(t, 0, 121, 187, 235, 213), strain_part(t, 114, 180, 187, 160, 94), strain_part(t, 178, 216, 187, 106, 0))
strain_key = "unset for [i_ = 600:620] object i_; do for [i_ = 621:623] { unset label i_ }; if (limit > 0) { do for [i_ = 0:20] { set object 600 + i_ rectangle from screen from_left(strain_x + strain_wide * i_ / 21.0), from_top(strain_y + 4 * k) to screen from_left(strain_x + strain_wide * (i_ + 1) / 21.0), from_top(strain_y) fs solid noborder fc rgb strain_colour(0.1 * i_ - 1) }; set label 621 sprintf('J − 1: −%g', limit) at screen from_left(strain_x - 3 * k), from_top(strain_y + 2 * k) right noenhanced font small; set label 622 sprintf('%g', limit) at screen from_left(strain_x + strain_wide + 3 * k), from_top(strain_y + 2 * k) left noenhanced font small }"
picture_of(p, s) = (name_ = sprintf("panel_%d_%d.rgb", p, s), name_)
# a text above a picture: in the middle of its upper edge
above_x = 0.5 * scene_width - 0.5; above_y = scene_height - 0.5
above = "center noenhanced font normal offset 0, 0.5 notitle"
shown_as = "binary array=(scene_width,scene_height) flip=y format='%uchar%uchar%uchar' using 1:2:3 with rgbimage notitle"

# what happens within 20 ms has its times in ms
moment_text(t, last) = last < 0.02 ? sprintf('%.1f ms', 1000 * t) : sprintf('%.2f s', t)
# Moments: a line of at most four pictures of one run for each panel. A script sets `claim` (what the paper shows, and how this
# differs) and `in_short` (the same for the caption), then @moments.
read_moments = "entries = 0; array moments_[panels]; coloured = 0; outcome = ''; do for [p = 1:panels] { moments_[p] = has(p, 1, 1) ? rows_of(p, 1) : 0; if (last_of(p, 1, 5) > 0) { coloured = coloured + 1; outcome = outcome.sprintf('%s: volumetric strain J - 1 from %.3g to %.3g in these pictures. ', spaced(panel_name(p)), smaller(0, least_of(p, 1, 3)), larger(0, most_of(p, 1, 4))) } }; outcome = outcome.(papers ? claim : ''); about = 'The same run at these times, drawn from its recorded states, seen from one place.'.(coloured ? ' Colour: volumetric strain J − 1 of the tetrahedron behind each face.' : ''); brief = papers ? in_short : about; widest_ = 1; do for [p = 1:panels] { widest_ = larger(widest_, moments_[p]) }; picture_wide = (page_width - 12 * k) / widest_; picture_high = (picture_wide - 4 * k) * scene_height / scene_width; line_of_pictures = picture_high + (coloured ? 26 : 16) * k; body = line_of_pictures * panels + 6 * k"
draw_moments = "unset border; unset tics; unset grid; set xrange [-0.5:scene_width - 0.5]; set yrange [-0.5:scene_height - 0.5]; do for [p = 1:panels] { top_ = head + 13 * k + line_of_pictures * (p - 1); strain_x = 0.4 * page_width; strain_wide = 0.2 * page_width; strain_y = top_ + picture_high + 4 * k; do for [i = 1:moments_[p]] { limit = i == 1 ? last_of(p, 1, 5) : 0; @strain_key; eval(spot(8 * k + picture_wide * (i - 1), top_, picture_wide - 4 * k, picture_high)); of_ = i == 1 ? spaced(panel_name(p)).', ' : ''; plot picture_of(p, i) @shown_as, panel_file(p) index 0 every ::i-1::i-1 using (above_x):(above_y):(of_.moment_text($1, last_of(p, 1, 1))) with labels @above } }"
moments = "@read_moments; @begin; @draw_moments"

# ---- a picture of each scene ----
# Pictures of curve of_series_[i] of scene of_panel_[i], @list_first: of each scene's first run, curves are those of all scenes;
# @list_all: of every run. strain_limit(p, s): what the strongest colours of strain stand for.
shown(p) = (i_ = 0, sum [s_ = 1:series_of(p)] (i_ = i_ || last_of(p, s_, 1) != last_of(p, s_, 1) ? i_ : s_, 0), i_)
strain_limit(p, s) = last_of(p, s, 8)
list_first = "pictures = panels; array of_panel_[pictures]; array of_series_[pictures]; do for [i = 1:pictures] { of_panel_[i] = i; of_series_[i] = shown(i) }"
list_all = "pictures = 0; do for [p = 1:panels] { do for [s = 1:series_of(p)] { pictures = pictures + has(p, s, 1) } }; array of_panel_[pictures]; array of_series_[pictures]; i = 0; do for [p = 1:panels] { do for [s = 1:series_of(p)] { if (has(p, s, 1)) { i = i + 1; of_panel_[i] = p; of_series_[i] = s } } }"
lay_pictures = "coloured = 0; do for [i = 1:pictures] { coloured = coloured + (strain_limit(of_panel_[i], of_series_[i]) > 0) }; in_line = smaller(most_in_line, pictures); picture_wide = in_line > 1 ? (page_width - 8 * k) / in_line : smaller(page_width - 8 * k, 300 * k); picture_high = (picture_wide - 4 * k) * scene_height / scene_width; line_of_pictures = picture_high + (coloured ? 24 : 14) * k; entries = 0; body = line_of_pictures * ceil(1.0 * pictures / in_line) + 4 * k"
draw_pictures = "unset border; unset tics; unset grid; set xrange [-0.5:scene_width - 0.5]; set yrange [-0.5:scene_height - 0.5]; do for [i = 1:pictures] { p = of_panel_[i]; s = of_series_[i]; left_ = (in_line > 1 ? 6 * k : 0.5 * (page_width - picture_wide)) + picture_wide * ((i - 1) % in_line); top_ = head + 12 * k + line_of_pictures * ((i - 1) / in_line); eval(spot(left_, top_, picture_wide - 4 * k, picture_high)); strain_x = left_ + 0.4 * picture_wide; strain_y = top_ + picture_high + 3 * k; strain_wide = 0.3 * picture_wide; limit = strain_limit(p, s); @strain_key; set label 10 name_of_picture(p, s) at graph 0.5, graph 1 center noenhanced font normal offset 0, 0.5 front; plot picture_of(p, s) @shown_as }; unset label 10"
# Pictures of contacts: of one scene three in a line, of several a line each where five do; below them a key, which is placed on
# the page before @key_below
lay_marked = "strain_limit(p, s) = 0; most_in_line = 3; if (panels > 1) { most_in_line = 1; do for [p = 1:panels] { most_in_line = larger(most_in_line, series_of(p)) }; most_in_line = most_in_line > 5 ? 3 : larger(2, most_in_line) }; @list_all; @lay_pictures; body = body + 18 * k"
key_below = "eval(spot(0, 0, page_width, figure_height)); plot [0:1] [0:1] -1 notitle"
# an error as colour, 0 to 1 of the scale (as marks.c); the text of a run
error_part(t, a, b, c, d, e) = t < 0.25 ? mixed(a, b, 4 * t) : t < 0.5 ? mixed(b, c, 4 * t - 1) : t < 0.75 ? mixed(c, d, 4 * t - 2) : mixed(d, e, 4 * t - 3)
error_colour(t) = sprintf("#%02X%02X%02X", error_part(t, 255, 254, 253, 227, 103), error_part(t, 255, 217, 141, 26, 0), error_part(t, 204, 118, 60, 28, 31))
draw_error_key = "do for [i_ = 0:30] { set object 600 + i_ rectangle from screen from_left(page_width * (0.35 + 0.01 * i_)), from_top(head + body - 3 * k) to screen from_left(page_width * (0.36 + 0.01 * i_)), from_top(head + body - 9 * k) fs solid noborder fc rgb error_colour(i_ / 30.0) }; set label 621 sprintf('error [m/s]  %.0e', last_of(of_panel_[1], of_series_[1], 7)) at screen from_left(page_width * 0.345), from_top(head + body - 6 * k) right noenhanced font small; set label 622 sprintf('%.0e', last_of(of_panel_[1], of_series_[1], 8)) at screen from_left(page_width * 0.665), from_top(head + body - 6 * k) left noenhanced font small"
run_name(p, s) = (panels > 1 || series_of(p) == 1 ? spaced(panel_name(p)).", " : "").spaced(label_of(p, s))
body_name(b) = b < 0 ? "the world" : sprintf("body %d", b)
largest_at(p, s) = sprintf("%s and %s at (%.3g, %.3g, %.3g) m", body_name(last_of(p, s, 9)), body_name(last_of(p, s, 10)), last_of(p, s, 11), last_of(p, s, 12), last_of(p, s, 13))


# ---- tables ----
# A table has head_1 over head_2 (units) for each of its columns, cells[(row - 1) * columns + column], and ends[column]: the
# right end of a column in letters, where its numbers stand flush; the first column is flush left. Lines are as booktabs sets
# them. A script sets columns, lines, and these arrays, then @begin_table and @table.
line_high = 11
table_fits(end) = (page_width - 16.0 * k) / end > 0.75 * letter_wide * 8 * k
# a table that is too wide for the page is turned: a line for each of its columns
turn_table = "array turned_[columns * (lines + 1)]; do for [j = 1:columns] { turned_[(j - 1) * (lines + 1) + 1] = head_1[j].(head_2[j] eq '' ? '' : ' '.head_2[j]); do for [i = 1:lines] { turned_[(j - 1) * (lines + 1) + 1 + i] = cells[(i - 1) * columns + j] } }; undefine head_1 head_2 ends cells; array head_1[lines + 1]; array head_2[lines + 1]; array ends[lines + 1]; array cells[(columns - 1) * (lines + 1)]; do for [i = 1:lines + 1] { head_1[i] = turned_[i]; head_2[i] = ''; longest_ = 0; do for [j = 1:columns] { longest_ = larger(longest_, strlen(turned_[(j - 1) * (lines + 1) + i])) }; ends[i] = i == 1 ? longest_ : ends[i - 1] + 2 + longest_; do for [j = 2:columns] { cells[(j - 2) * (lines + 1) + i] = turned_[(j - 1) * (lines + 1) + i] } }; i_ = columns; columns = lines + 1; lines = i_ - 1; head_lines = 1"
begin_table = "if (!latex && !table_fits(ends[columns])) { @turn_table }; entries = 0; body = table_high(lines); if (latex) { @begin_texts; @latex_table; exit }; @begin"
table_row(i, j) = i == 0 ? head_1[j] : i == 1 ? head_2[j] : cells[(i - 2) * columns + j]
latex_table = "set print figure_output; print '% GNUPLOT: LaTeX table of ncpbench, which takes the package booktabs'; row_ = 'l'; do for [j = 2:columns] { row_ = row_.'r' }; print '\\begin{tabular}{'.row_.'}'; print '\\toprule'; do for [i = 0:lines + 1] { if (i != 1 || head_lines > 1) { row_ = table_row(i, 1); do for [j = 2:columns] { row_ = row_.'\t'.table_row(i, j) }; print row_ }; if (i == 1) { print '\\midrule' } }; print '\\bottomrule'; print '\\end{tabular}'; set print"
head_lines = 2
table_high(n) = (line_high * (n + head_lines) + 14) * k
letters_ = "letter = smaller(letter_wide * 8 * k, (page_width - 16.0 * k) / ends[columns]); table_font = sprintf(',%g', smaller(8 * k, letter / letter_wide))"
cell_at(x, y, t, left, font) = (cell_ = t, sprintf("set label at screen %.6f, screen %.6f cell_ %s noenhanced font '%s'", from_left(8 * k + letter * x), from_top(y), left ? "left" : "right", font))
rule_at(y, wide) = sprintf("set arrow from screen %.6f, screen %.6f to screen %.6f, screen %.6f nohead lc rgb '#222222' lw %g", from_left(6 * k), from_top(y), from_left(10 * k + letter * ends[columns]), from_top(y), wide)
table = "@letters_; unset label; unset border; unset tics; unset grid; eval(spot(0, 0, page_width, figure_height)); y_ = head + 6 * k; eval(rule_at(y_, 0.8)); do for [j = 1:columns] { eval(cell_at(j == 1 ? 0 : ends[j], y_ + 7 * k, head_1[j], j == 1, table_font)); eval(cell_at(j == 1 ? 0 : ends[j], y_ + (7 + line_high) * k, head_2[j], j == 1, table_font)) }; y_ = y_ + (head_lines * line_high + 3) * k; eval(rule_at(y_, 0.5)); do for [i = 1:lines] { do for [j = 1:columns] { eval(cell_at(j == 1 ? 0 : ends[j], y_ + (7 + line_high * (i - 1)) * k, cells[(i - 1) * columns + j], j == 1, table_font)) } }; eval(rule_at(y_ + (line_high * lines + 3) * k, 0.8)); plot [0:1] [0:1] -1 notitle; unset label; unset arrow"
