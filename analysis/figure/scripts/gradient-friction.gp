# title: Gradients of a stopping way where friction holds by little
# rows: gradient-friction
names(c) = c == 1 ? "smoothed, ε = 1e-3 m/s" : c == 2 ? "smoothed, ε = 1e-4 m/s" : c == 3 ? "interior-point, ρ = 1e-8 J" : c == 4 ? "interior-point, ρ = 1e-10 J" : c == 5 ? "single-level, its ρ of 1e-6" : "single-level, its ρ of 1e-9"
curves_ = 6
about = "A block of 1 kg on a slope of 10 degrees stops after 1 of 10 s (h = 0.05 s). r = tan(slope)/μ is the share of its friction that it needs to stand; it begins at the speed by which it stops after 1 s with each r. The error is that of d(place at the end)/d(force down the slope), over that of hard contacts: central differences of interior-point's motion. Dashed: what creep makes of it, T = 10 s times its slope by the force. With smooth friction that is ε/(2 μ N sqrt(1 - r)). On the central path of hard contacts, by which interior-point's derivatives are smoothed, each of four corners creeps at ρ r/(μ N h (1 - r²)), N a quarter of the load: the slope grows as (1 - r)^{-2}, and sliding takes a third of it back. Derivatives of single-level are smoothed by its own ρ. At ε = 1e-3 m/s the slowest blocks begin at a few ε."
low = least_of(1, 0, 2); high = most_of(1, 0, 2); hard = most_of(1, 0, 4)
outcome = "Outcome, least and largest error:"
do for [c = 1:curves_] { outcome = outcome.sprintf("%s %s %.1e, %.1e", c > 1 ? ";" : "", names(c), least_of(1, c, 2), most_of(1, c, 2)) }
outcome = outcome.sprintf(". Differences of the hard motion are off from their closed form by %.0e at most.", hard)
brief = "The error of d(place)/d(force), over that of hard contacts; dashed: what creep makes of it."
entries = curves_
do for [c = 1:curves_] { entry[c] = names(c); entry_style[c] = c; entry_kind[c] = "lp" }
low = low > 1e-9 ? 10**floor(log10(low)) : 1e-9; high = 10**ceil(log10(high))
panels = 1; panel_names = "_"; tall = 150 * k; least_wide = 200
@begin
p = 1
@place
set logscale x; set format x "10^{%L}"
@decade_ticks
set xrange [0.7:2e-3]; x_name = "friction left over, 1 - r"; @x_label
y_name = "error of the gradient"; @y_label
plot for [c = 1:curves_] panel_file(1) index (c - 1) using 1:($2 > low ? $2 : low) with linespoints ls c notitle, \
     for [c = 1:4] panel_file(1) index (c - 1) using 1:($3 > low ? $3 : low) with lines dt 2 lc rgb color_of(c) notitle
