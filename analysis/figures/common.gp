# what figures share: colours (Okabe and Ito, for colour-blind eyes), markers, dashes, caption
set encoding utf8
set colorsequence podo
set style line 1 lc rgb "#0072B2" lw 2 pt 7 ps 0.7 dt 1
set style line 2 lc rgb "#D55E00" lw 2 pt 5 ps 0.7 dt (8,3)
set style line 3 lc rgb "#009E73" lw 2 pt 9 ps 0.8 dt (4,2)
set style line 4 lc rgb "#CC79A7" lw 2 pt 11 ps 0.8 dt (10,3,2,3)
set style line 5 lc rgb "#E69F00" lw 2 pt 13 ps 0.9 dt (2,2)
set style line 6 lc rgb "#56B4E9" lw 2 pt 4 ps 0.8 dt (6,2,2,2)
set style line 7 lc rgb "#000000" lw 2 pt 6 ps 0.8 dt 1
set style line 8 lc rgb "#999999" lw 2 pt 8 ps 0.8 dt (3,3)
larger(a, b) = a > b ? a : b
smaller(a, b) = a < b ? a : b
color_of(s) = word("#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #000000 #999999", (s - 1) % 8 + 1)
set for [s = 9:16] style line s lc rgb color_of(s) lw 1.4 pt (s < 13 ? s - 8 : s - 7) ps 0.7 dt (1, 2)
set border 3 lw 0.8 lc rgb "#444444"
set tics nomirror out scale 0.6 textcolor rgb "#333333" font ",10"
set xlabel font ",11"; set ylabel font ",11"; set title font ",12.5"
set grid xtics ytics lc rgb "#d8d8d8" lw 0.6 dt 1
set key noenhanced samplen 2.5 spacing 1.05 font ",10"
set datafile separator "\t"
set datafile missing "nan"
panel_file(p) = sprintf("panel_%d.tsv", p)
panel_name(p) = word(panel_names, p)
spaced(t) = (j_ = strstrt(t, "_"), j_ ? t[1:j_ - 1]." ".spaced(t[j_ + 1:]) : t)
label_of(p, s) = word(value(sprintf("labels_%d", p)), s)
series_of(p) = int(value(sprintf("series_%d", p)))
index_of(p, name) = (i_ = 0, sum [k_ = 1:series_of(p)] (label_of(p, k_) eq name ? k_ : 0))
# The sheet is 900 units wide. A script sets plot_height (title, legend and plots down to the lowest axis), caption and
# outcome, then begins: the sheet grows by the lines of text below the axis.
lines_of(t) = (i_ = strstrt(t, "\n"), i_ ? 1 + lines_of(t[i_ + 1:]) : 1)
# A text in lines of at most n letters, broken after a comma or semicolon in their last third, else at a space.
break_of(t, n) = (space_ = 0, comma_ = 0, sum [k_ = 2:n] (t[k_:k_] eq " " ? (space_ = k_, comma_ = strstrt(",;", t[k_ - 1:k_ - 1]) ? k_ : comma_) : 0), 3 * comma_ > 2 * n ? comma_ : space_ ? space_ : n)
line_wrapped(t, n) = strlen(t) > n ? (b_ = break_of(t, n), t[1:b_]."\n".line_wrapped(t[b_ + 1:], n)) : t
wrapped(t, n) = (i_ = strstrt(t, "\n"), i_ ? line_wrapped(t[1:i_ - 1], n)."\n".wrapped(t[i_ + 1:], n) : line_wrapped(t, n))
# what fits in the width of the sheet: letters of 9.5 and 8 points are 5 and 4.5 units wide
outcome_letters = 172; caption_letters = 190
axis_height = 62
# the legend above the plots has a column or more, by its longest name; the plots make room for its rows
series_count = exists("series_1") ? series_1 : 0
longest_ = 0
do for [s = 1:series_count] { longest_ = larger(longest_, strlen(label_of(1, s))) }
legend_columns = longest_ > 30 ? 2 : longest_ > 18 ? 3 : 5
legend_rows = larger(1, (series_count + legend_columns - 1) / legend_columns)
down = (legend_rows - 1) * 15
caption_height(t) = 12 * lines_of(t)
outcome_height(t) = 15 * lines_of(t)
terminal_for(t) = (i_ = strstrt(t, "FIGURE_HEIGHT"), i_ ? t[1:i_ - 1].sprintf("%g", figure_height * 1.0).t[i_ + 13:] : t)
from_top(u) = 1 - 1.0 * u / figure_height
# the top and the bottom of row r of plots that are `high` units high, below the title and the legend
row_top(r, high) = from_top(84 + down + (high + 36) * (r - 1))
row_bottom(r, high) = from_top(84 + down + (high + 36) * (r - 1) + high)
rows_height(n, high) = 84 + down + high * n + 36 * (n - 1)
begin = "outcome = wrapped(outcome, outcome_letters); caption = wrapped(caption, caption_letters); figure_height = plot_height + axis_height + outcome_height(outcome) + caption_height(caption) + 14; eval('set terminal '.terminal_for(figure_terminal)); set output figure_output; set multiplot; set label 100 figure_title at screen 0.5, screen from_top(18) center front noenhanced font ',15'; set label 102 outcome at screen 0.02, screen from_top(plot_height + axis_height) left front noenhanced font ',9.5' textcolor rgb '#000000'; set label 101 caption at screen 0.02, screen from_top(plot_height + axis_height + 8 + outcome_height(outcome)) left front noenhanced font ',8' textcolor rgb '#555555'"
unframe = "unset label 100; unset label 101; unset label 102"
outcome = ""

# the last row of a series, and of iteration 20; NaN where there is none
last_of(p, s, c) = exists(sprintf("last_%d_%d_%d", p, s, c)) ? value(sprintf("last_%d_%d_%d", p, s, c)) : NaN
at20_of(p, s, c) = exists(sprintf("at20_%d_%d_%d", p, s, c)) ? value(sprintf("at20_%d_%d_%d", p, s, c)) : NaN
number(format, x) = x == x ? sprintf(format, x) : "-"
# 1, 2 or 5 times a power of ten, at least x
nice(x) = (unit_ = 10**floor(log10(x)), x <= unit_ ? unit_ : x <= 2 * unit_ ? 2 * unit_ : x <= 5 * unit_ ? 5 * unit_ : 10 * unit_)
# low and high: the decades that columns `first` and `last` of all panels span, above round-off; ticks for these and for
# the iterations of column 1
drawn(x) = x > 1e-16 && x < 1e30 ? x : NaN
extent = "low = 1; high = 1; most = 1; do for [p = 1:panels] { stats panel_file(p) using (extent_of(drawn(column(extent_first)))):(extent_of(drawn(column(extent_last)))) nooutput; stats panel_file(p) using (most = $1 == $1 && $1 > most ? $1 : most, 1) nooutput }; low = 10**floor(log10(low) - 0.2); high = 10**ceil(log10(high) + 0.2); @iteration_ticks"
decade_ticks = "decades_ = ceil(log10(high / low) / 8.0); set ytics 10**decades_; if (decades_ > 1) { unset mytics } else { set mytics 10 }"
iteration_ticks = "set xtics larger(1, nice(most / (panels <= 2 ? 8.0 : panels <= 6 ? 4.0 : 2.0)))"
extent_of(x) = (x == x ? (low = smaller(low, x), high = larger(high, x)) : 0, 1)

# one legend above all panels, a last plot of its own as wide as the figure
legend = "set lmargin at screen 0.05; set rmargin at screen 0.97; set tmargin at screen from_top(30); set bmargin at screen from_top(60 + down); unset border; unset tics; unset grid; unset xlabel; unset ylabel; unset title; unset logscale; set xrange [0:1]; set yrange [0:1]; set key center center horizontal maxrows legend_rows font ',10' Left reverse width 1"
