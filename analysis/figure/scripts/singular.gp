# title: Linear solvers on singular systems, as their regularization goes to zero
# run: heavy-stack,arch,wall --settle 30 --steps 1 --lead 8 --newton-iterations 1 --linear-iterations 200 --precision f32,f64 --regularization 1e-2,1e-4,1e-6,1e-9,1e-12,0 --linear-solver pcr,pcg,minres,cholesky
# quick: heavy-stack --settle 10 --steps 1 --lead 8 --newton-iterations 1 --linear-iterations 200 --precision f32,f64 --regularization 1e-2,1e-6,0 --linear-solver pcr,pcg,minres,cholesky
# select: steps=1 lead=8 newton_iterations=1 linear_iterations=200 linear_solver=pcr|pcg|minres|cholesky regularization_kind=relative
# panel: precision+regularization
# series: scenario+linear_solver
# rows: linear
# at: last:0
# columns: iteration residual_l2_over_start=residual_l2/start preconditioned_residual_over_start=preconditioned_residual/start
# Panels and curves are arranged anew: a panel of the drawing is a scene in a precision, a curve a solver, and its points
# the values of the regularisation, in the order in which they were asked for.
part(t, n) = (i_ = strstrt(t, "_"), n == 1 ? t[1:i_ - 1] : t[i_ + 1:])
listed(list, w) = (i_ = 0, sum [k_ = 1:words(list)] (word(list, k_) eq w ? k_ : 0))
added(list, w) = listed(list, w) ? list : list." ".w
precisions = ""; shifts = ""; scenes = ""; solvers = ""
do for [p = 1:panels] { precisions = added(precisions, part(panel_name(p), 1)); shifts = added(shifts, part(panel_name(p), 2)) }
do for [s = 1:series_of(1)] { scenes = added(scenes, part(label_of(1, s), 1)); solvers = added(solvers, part(label_of(1, s), 2)) }
panel_at(precision, shift) = (i_ = 0, sum [k_ = 1:panels] (panel_name(k_) eq precision."_".shift ? k_ : 0))
# the residual at the end over its start; NaN: there is no factor, or no such run
ended(c, i, e, v) = (p_ = panel_at(word(precisions, c), word(shifts, e)), s_ = index_of(p_ > 0 ? p_ : 1, word(scenes, i)."_".word(solvers, v)), p_ > 0 && s_ > 0 ? last_of(p_, s_, 2) : NaN)
ran(c, i, e, v) = (p_ = panel_at(word(precisions, c), word(shifts, e)), s_ = index_of(p_ > 0 ? p_ : 1, word(scenes, i)."_".word(solvers, v)), p_ > 0 && s_ > 0 ? exists(sprintf("last_%d_%d_1", p_, s_)) : 0)
solved_to = 1e-2
fails(c, i, e, v) = ran(c, i, e, v) && !(ended(c, i, e, v) <= solved_to)
array failed[words(solvers)]; array tried[words(solvers)]
do for [v = 1:words(solvers)] {
    failed[v] = 0; tried[v] = 0
    do for [c = 1:words(precisions)] { do for [i = 1:words(scenes)] { do for [e = 1:words(shifts)] {
        failed[v] = failed[v] + fails(c, i, e, v); tried[v] = tried[v] + ran(c, i, e, v)
    } } }
}
counts = ""
do for [v = 1:words(solvers)] { counts = counts.sprintf("%s%s %d of %d", v > 1 ? ", " : "", word(solvers, v), failed[v], tried[v]) }
outcome = "Systems on which a solver fails (no factor, or a residual above ".sprintf("%g", solved_to)." of its start at the end): ".counts.".\nThe paper (8.2): conjugate residuals converge for close to singular contact systems when CG and even direct Cholesky solvers may fail.\n"
do for [v = 1:words(solvers)] {
    outcome = outcome.word(solvers, v).", residual at the end by shift:"
    do for [c = 1:words(precisions)] { do for [i = 1:words(scenes)] {
        outcome = outcome." ".word(scenes, i)." ".word(precisions, c).":"
        do for [e = 1:words(shifts)] { outcome = outcome." ".number("%.0e", ended(c, i, e, v)) }
        outcome = outcome.";"
    } }
    outcome = outcome."\n"
}
about = "One Newton system of a step of each scene, the ninth, with the shift eps diag(A) of section 8.4 added, solved from zero in at most 200 iterations: the true residual at the end over that of the start. At the right there is no shift: redundant contacts make the system singular. Cholesky factorizes in double in both precisions; a cross: it found no factor."
brief = (papers ? "Paper: near singular, PCR converges where CG and Cholesky may fail. Fail here: " : "Fail: ").counts."."
entries = words(solvers)
do for [v = 1:entries] { entry[v] = word(solvers, v); entry_style[v] = v; entry_kind[v] = "lp"; entry_shown[v] = tried[v] > 0 }
drawn_panels = panels
panels = words(scenes) * words(precisions)
low = 1
set print $points
do for [c = 1:words(precisions)] { do for [i = 1:words(scenes)] { do for [v = 1:words(solvers)] {
    panels = drawn_panels
    do for [e = 1:words(shifts)] {
        y = ended(c, i, e, v)
        if (y > 1e-17) { low = smaller(low, y) }
        print sprintf("%d\t%g\t%d", e, y > 0 ? y : NaN, ran(c, i, e, v) && !(y == y))
    }
    print ""; print ""
} } }
set print
low = 10**floor(log10(low)); high = 10
panels = words(scenes); rows = words(precisions); tall = 78 * k
array name_of[panels]
do for [i = 1:panels] { name_of[i] = word(scenes, i) }
panel_name(p) = name_of[p]
@begin
@decade_ticks
set xrange [0.6:words(shifts) + 0.4]
set xtics ("" 1)
# "1e-06" and "0.001" as powers of ten; anything else as it stands
tick_of(t) = t[1:3] eq "1e-" ? "10^{-".(t[4:4] eq "0" ? t[5:] : t[4:])."}" : t[1:2] eq "0." && strstrt(t, "1") == strlen(t) ? sprintf("10^{-%d}", strlen(t) - 2) : t
do for [e = 1:words(shifts)] { eval(sprintf("set xtics add ('%s' %d)", tick_of(word(shifts, e)), e)) }
x_name = "shift of the diagonal, relative"
do for [p = 1:panels] { do for [r = 1:rows] {
    @place; @x_label
    y_name = "residual, ".word(precisions, r); @y_label
    plot for [v = 1:words(solvers)] $points index ((r - 1) * panels * words(solvers) + (p - 1) * words(solvers) + v - 1) using ($1 + 0.08 * (v - 0.5 * (words(solvers) + 1))):2 with linespoints ls v notitle, \
         for [v = 1:words(solvers)] $points index ((r - 1) * panels * words(solvers) + (p - 1) * words(solvers) + v - 1) using ($1 + 0.08 * (v - 0.5 * (words(solvers) + 1))):($3 > 0 ? 2.5 : NaN) with points ls v pt 2 lw 1.4 notitle
} }
