# title: Infeasibility against the square of a step's displacement, I(q) <= C |h v|^2 (Anitescu, Hart, ICIAM 2003)
# run: ellipse --time-stepping anitescu-hart --friction-law coulomb --time-step 0.04 --steps 500 --method interior-point --newton-tolerance 1e-10 --linear-history off
# run: ellipse --time-stepping anitescu-hart --friction-law coulomb --time-step 0.02 --steps 1000 --method interior-point --newton-tolerance 1e-10 --linear-history off
# run: ellipse --time-stepping anitescu-hart --friction-law coulomb --time-step 0.01 --steps 2000 --method interior-point --newton-tolerance 1e-10 --linear-history off
# run: ellipse --time-stepping anitescu-hart --friction-law coulomb --time-step 0.005 --steps 4000 --method interior-point --newton-tolerance 1e-10 --linear-history off
# quick: ellipse --time-stepping anitescu-hart --friction-law coulomb --time-step 0.04 --steps 100 --method interior-point --newton-tolerance 1e-10 --linear-history off
# quick: ellipse --time-stepping anitescu-hart --friction-law coulomb --time-step 0.02 --steps 200 --method interior-point --newton-tolerance 1e-10 --linear-history off
# select: scenario=ellipse geometry=frozen newton_tolerance=1e-10
# panel: scenario
# series: time_step
# rows: step
# columns: step time infeasibility kinetic_energy
# number: dots=count(row where infeasibility > 1e-9)
# number: ratio=most(infeasibility / (2 * kinetic_energy * time_step^2) where infeasibility > 1e-9 and 2 * kinetic_energy * time_step^2 > 1e-9)
# number: late=most(infeasibility where 2 * step > rows)
# |v|^2 in the mass norm, for a mass of 1 kg
h_of(s) = real(label_of(1, s))
constant(s) = larger(number_of("ratio", 1, s), 0); late(s) = larger(number_of("late", 1, s), 0)
outcome = "Largest I(q)/|h v|^2, and the largest I(q) in the second half of the run [m]:"
do for [s = 1:series_of(1)] { outcome = outcome.sprintf("%s h = %s s %.2g, %.2g", s > 1 ? ";" : "", label_of(1, s), constant(s), late(s)) }
outcome = outcome.".\n".(papers ? "Anitescu and Hart (2003): there is a C, independent of h, with I(q) <= C |h v|^2 after every step.\n" : "")
about = "Each point is a step of the stabilized method (K = 1), with |v|^2 = 2 E/m of the kinetic energy E. The line is the largest ratio."
brief = "Each point a step; the line is the largest ratio C of all".(papers ? " (paper: one C for all h)." : ".")
largest = 0
do for [s = 1:series_of(1)] { largest = larger(largest, constant(s)); entry[s] = "h = ".label_of(1, s)." s"; entry_kind[s] = "p"; entry_shown[s] = number_of("dots", 1, s) > 0 }
entries = entries + 1; entry[entries] = sprintf("C = %.2g", largest); entry_kind[entries] = "l"; entry_style[entries] = 17
tall = 150 * k; panel_title = 3
@begin
set logscale xy; set format x "10^{%L}"; set format y "10^{%L}"; set xrange [1e-6:1]; set yrange [1e-9:1]
p = 1
@place
eval(x_named("|h v|² [m²]")); eval(y_named("I(q) [m]"))
plot for [s = 1:series_of(1)] panel_file(1) index (s - 1) using (2 * $4 * h_of(s)**2):($3 > 1e-9 ? $3 : NaN) with points ls s ps 0.3 notitle, largest * x with lines ls 17 notitle
