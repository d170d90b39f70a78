# title: Eigenvalues with preconditioners, and iterations against the condition number
# apart: the study in full takes long: docs/reproduce.md
# run: arch-50,beam,wall-10x10,balls-64-rest --method newton --warm-start off --steps 1 --lead 9 --lead-exact on --newton-iterations 1 --linear-iterations 5000 --linear-tolerance 1e-12 --reference-linear on --store-systems --form stiffness --linear-solver pcg --preconditioner none,jacobi,block-jacobi,ssor,ic0,ict,block-ic,tree,chebyshev,fsai,schwarz
# quick: boxes-30-falling,beam --method newton --warm-start off --steps 1 --lead 9 --lead-exact on --newton-iterations 1 --linear-iterations 5000 --linear-tolerance 1e-12 --reference-linear on --store-systems --form stiffness --linear-solver pcg --preconditioner none,jacobi,block-jacobi,ssor,ic0,ict,block-ic,tree,chebyshev,fsai,schwarz
# select: steps=1 newton_iterations=1 lead=9 lead_exact=1 reference_linear=1 linear_iterations=5000 linear_solver=pcg form=stiffness
# panel: scenario
# series: preconditioner
# rows: spectra
plain = label_of(1, 1) eq "none" # of A alone eigenvalues are not drawn
bound(x) = 0.5 * sqrt(x) * log(2e6)
outcome = "Condition number, iterations to an energy error of 1e-6, the bound of CG:"
do for [p = 1:panels] { outcome = outcome."\n".spaced(panel_name(p)).":"; do for [s = 1:series_of(p)] { outcome = outcome.(s > 1 ? "," : "").sprintf(" %s %s %s (%s)", label_of(p, s), number("%.2g", last_of(p, s, 3)), number("%.0f", last_of(p, s, 4)), number("%.0f", bound(last_of(p, s, 3)))) } }
about = "The system of one Newton iteration, the tenth, in the stiffness formulation. Top: eigenvalues of P A, dense, ascending, against their number. Bottom: iterations of pcg to an energy error of 1e-6 of the solution against the condition number, the largest over the least eigenvalue. Dashed: the bound sqrt(condition) / 2 ln(2e6). Iterations before are exact, so that all have one system. Scenes are stored states of the standard set, and a beam as it is built. spectral is not here: it takes contacts, which a stored matrix does not tell."
brief = "Top: eigenvalues of P A, ascending. Bottom: iterations of pcg to an energy error of 1e-6. Dashed: the bound sqrt(condition) / 2 ln(2e6)."
entries = entries + 1; entry[entries] = "bound of CG"; entry_style[entries] = 17; entry_kind[entries] = "l"; entry_shown[entries] = 1
rows = 2; tall = 110 * k; row_gap = 28; least_wide = 100; between = 30
low = 1; high = 1; condition_ = 10; iterations_ = 10
do for [p = 1:panels] { do for [s = 1:series_of(p)] { if (last_of(p, s, 4) > 0) { condition_ = larger(condition_, last_of(p, s, 3)); iterations_ = larger(iterations_, last_of(p, s, 4)) } } }
@begin
set logscale y; set format y "10^{%L}"
do for [p = 1:panels] {
    r = 1
    @place
    unset logscale x; set format x "%g"; set xrange [*:*]; set yrange [*:*]; set xtics autofreq
    eval(x_named("number of the eigenvalue"))
    y_name = "eigenvalue"; @y_label
    plot for [s = plain + 1:series_of(p)] panel_file(p) index (s - 1) using 1:2 with lines ls s notitle, for [s = plain + 1:series_of(p)] panel_file(p) index (s - 1) every every_of(p, s)::first_of(p, s) using 1:2 with points ls s notitle
    r = 2
    @place
    set logscale x; set format x "10^{%L}"; set xrange [0.7:10**ceil(log10(condition_))]; set yrange [0.7:10**ceil(log10(iterations_))]
    eval("set xtics ".sprintf("%g", decades_apart(1, condition_)))
    eval(x_named("condition number"))
    y_name = "iterations"; @y_label
    plot bound(x) with lines ls 17 notitle, for [s = 1:series_of(p)] panel_file(p) index (s - 1) every ::0::0 using 3:4 with points ls s notitle
}
